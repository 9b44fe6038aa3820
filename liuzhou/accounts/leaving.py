"""Taking one's data along, and closing an account 注销. The ledger keeps the player's plain number, which then names nobody."""

from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import transaction

from ledger import selectors
from ledger.terms import CURRENCIES
from liuzhou.accounts import hooks, preferences
from liuzhou.accounts.days import database_now
from liuzhou.accounts.errors import AlreadyClosed, OpenHolds, StaffStays, WrongPassword
from liuzhou.accounts.models import PALETTE, User, random_number

CLOSED_NAME = "已注销"
PAGE = 500
_MOVED = ("entry", "kind", "account_kind", "amount", "balance", "hand", "room", "reason")


def exported(*, user: User) -> dict[str, Any]:
    """Everything stored about the player, ready for JSON."""
    return {
        "account": _account(user),
        "preferences": preferences.complete(user.preferences),
        "limits": {
            "adult": user.adult,
            "cool_off_until": _iso(user.cool_off_until),
            "loss_cap": user.loss_cap,
            "loss_cap_next": user.loss_cap_next,
            "loss_cap_next_on": user.loss_cap_next_on.isoformat() if user.loss_cap_next_on else None,
        },
        "sessions": [
            {
                "signed_in": _iso(one.created_at),
                "seen": _iso(one.last_seen_at),
                "address": one.ip,
                "agent": one.user_agent,
            }
            for one in UserSession.objects.filter(user=user).order_by("created_at")
        ],
        "sign_ins": [
            {"on": row.on.isoformat(), "streak": row.streak, "coins": row.coins} for row in user.sign_ins.order_by("on")
        ],
        "reliefs": [
            {"on": row.on.isoformat(), "number": row.number, "coins": row.coins}
            for row in user.reliefs.order_by("on", "number")
        ],
        "balances": {one: selectors.holdings(owner_ref=user.pk, currency=one) for one in CURRENCIES},
        "movements": {one: _movements(user.pk, one) for one in CURRENCIES},
        **hooks.exported(user),
    }


def _account(user: User) -> dict[str, Any]:
    return {
        "username": user.username,
        "number": user.number,
        "nickname": user.nickname,
        "color": user.color,
        "email": user.email,
        "in_rankings": user.ranked,
        "joined": _iso(user.date_joined),
        "last_login": _iso(user.last_login),
        "groups": list(user.groups.values_list("name", flat=True)),
    }


def _movements(owner: int, currency: str) -> list[dict[str, Any]]:
    """All of the player's lines in the ledger, newest first, read a page at a time."""
    found: list[dict[str, Any]] = []
    before = None
    while page := selectors.movements(owner_ref=owner, currency=currency, before=before, limit=PAGE):
        found += [{name: getattr(one, name) for name in _MOVED} | {"at": _iso(one.at)} for one in page]
        before = page[-1].entry
    return found


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def close_account(*, user: User, password: str, now: datetime | None = None) -> None:
    """Close the account for good: the name goes and is free again, all sessions end, the ledger's lines stay.

    Errors: WrongPassword, AlreadyClosed, StaffStays, OpenHolds, and what apps above refuse (hooks.on_closing). The row is
    locked as for sitting down, so nobody sits down meanwhile; coins in the wallet are given up with the account."""
    with transaction.atomic():
        player = User.objects.select_for_update().get(pk=user.pk)
        if player.closed_at is not None:
            raise AlreadyClosed
        if not player.check_password(password):
            raise WrongPassword
        if player.is_staff or player.is_superuser:
            raise StaffStays
        hooks.check_closing(player)
        _check_nothing_bound(player.pk)
        hooks.erase(player)
        _anonymise(player, now or database_now())
    hooks.signed_out(user.pk, None)


def _check_nothing_bound(owner: int) -> None:
    """Nothing on hold, nothing at a table, no agent's stock."""
    for currency in CURRENCIES:
        held = selectors.holdings(owner_ref=owner, currency=currency)
        if held.get("hold") or held.get("seat"):
            raise OpenHolds
        if held.get("agent"):
            raise StaffStays


def _anonymise(player: User, now: datetime) -> None:
    """`~` is in no username that can be chosen, so the closed ones never stand in anybody's way."""
    player.username = f"~{player.pk}"
    player.nickname, player.look, player.color, player.number = CLOSED_NAME, "", PALETTE[-1], random_number()
    player.first_name = player.last_name = player.email = ""
    player.preferences, player.ranked, player.adult = {}, False, None
    player.is_active, player.last_login = False, None
    player.cool_off_until = player.loss_cap = player.loss_cap_next = player.loss_cap_next_on = None
    player.closed_at = player.sessions_revoked_at = now
    player.set_unusable_password()
    player.save()
    player.groups.clear()
    player.user_permissions.clear()
    player.sign_ins.all().delete()
    player.reliefs.all().delete()
    for session in UserSession.objects.filter(user=player):
        session.end()
    EmailAddress.objects.filter(user=player).delete()
    Authenticator.objects.filter(user=player).delete()
