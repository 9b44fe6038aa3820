"""What admins do to an account: freeze, unfreeze, force signing out, take the second factor away. Each with a reason, and
each ends the player's sessions, whose sockets close on every process.

A frozen player's seat is empty: 托管 plays the running hand to its end. Only coins and cards are frozen, never 积分: a hand's
settlement must go through whoever lost it."""

from collections.abc import Callable
from functools import wraps

from allauth.mfa.models import Authenticator
from django.db import transaction

from ledger import services as ledger
from ledger.services import CARD, COIN
from liuzhou.accounts import devices, hooks, staff
from liuzhou.accounts.errors import AccountError, AlreadyClosed
from liuzhou.accounts.models import User

REASON_LENGTH = 200


class NeedsReason(AccountError):
    code = "needs_reason"
    zh = "要写原因（1–200 字）。"
    en = "A reason is needed (1–200 characters)."


class NotYours(AccountError):
    code = "not_yours"
    zh = "你不能对这个帐号这样做：自己的帐号、同事和超级管理员的帐号由超级管理员处理。"
    en = "You may not do this to that account: your own, colleagues' and superusers' are a superuser's business."


class AlreadySo(AccountError):
    code = "already_so"
    zh = "已经是这样了。"
    en = "It is so already."


def may_touch(by: User, user: User) -> bool:
    """Superusers: everybody else; other admins: players and agents, never colleagues, never themselves."""
    if by.pk == user.pk:
        return False
    return by.is_superuser or not (user.is_superuser or (user.is_staff and not staff.is_agent(user)))


def _deed(work: Callable[[User, User, str], None]) -> Callable[..., None]:
    """One transaction over the locked player, after which their sockets are told."""

    @wraps(work)
    def run(*, user: User, by: User, reason: str) -> None:
        reason = reason.strip()
        if not reason or len(reason) > REASON_LENGTH:
            raise NeedsReason
        if not may_touch(by, user):
            raise NotYours
        with transaction.atomic():
            player = User.objects.select_for_update(no_key=True).get(pk=user.pk)
            work(player, by, reason)
            # Not before it is committed: a socket that came back at once would be let in.
            transaction.on_commit(lambda: hooks.signed_out(player.pk, None))

    return run


@_deed
def freeze(player: User, by: User, reason: str) -> None:
    """Nobody signs in to the account, and its coins and cards stay where they are. AlreadySo, AlreadyClosed."""
    if player.closed_at is not None:
        raise AlreadyClosed
    if not player.is_active:
        raise AlreadySo
    player.is_active = False
    player.save(update_fields=["is_active"])
    _freeze_money(player, by, reason, frozen=True)
    devices.sign_out_everywhere(user=player)


@_deed
def unfreeze(player: User, by: User, reason: str) -> None:
    """The account is its player's again, signed out everywhere. AlreadySo, AlreadyClosed."""
    if player.closed_at is not None:
        raise AlreadyClosed
    if player.is_active:
        raise AlreadySo
    player.is_active = True
    player.save(update_fields=["is_active"])
    _freeze_money(player, by, reason, frozen=False)


@_deed
def sign_out(player: User, by: User, reason: str) -> None:
    """Every session of the player ends, listed or not."""
    devices.sign_out_everywhere(user=player)


@_deed
def reset_mfa(player: User, by: User, reason: str) -> None:
    """TOTP and recovery codes are gone: the next time they are needed they are set up anew. AlreadySo without any."""
    if not Authenticator.objects.filter(user=player).delete()[0]:
        raise AlreadySo
    devices.sign_out_everywhere(user=player)


def wallets(user_id: int) -> dict[str, int]:
    """The ledger's accounts of the player's coins and cards."""
    return {currency: ledger.wallet(owner_ref=user_id, currency=currency) for currency in (COIN, CARD)}


def _freeze_money(player: User, by: User, reason: str, *, frozen: bool) -> None:
    accounts = list(wallets(player.pk).values())
    if staff.is_agent(player):
        accounts.append(ledger.agent(owner_ref=player.pk))
    for account in accounts:
        ledger.freeze(account=account, frozen=frozen, actor=by.pk, reason=reason)
