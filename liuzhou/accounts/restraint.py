"""Limits a player sets for themselves, and the real-name check. What is stricter holds at once; what is looser, tomorrow."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from liuzhou.accounts import limits
from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.errors import BadLimit, CoolOffRunning, RealNameRefused
from liuzhou.accounts.models import User

LOSS_CAPS = (500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000)


def _locked(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


@transaction.atomic
def cool_off(*, user: User, length: str, now: datetime | None = None) -> User:
    """Take a break of that length (COOL_OFFS) from now on; it can be made longer, never shorter. CoolOffRunning, BadLimit."""
    if length not in limits.COOL_OFFS:
        raise BadLimit(value=length, allowed=" / ".join(limits.COOL_OFFS))
    player = _locked(user)
    until = (now or database_now()) + limits.COOL_OFFS[length]
    if player.cool_off_until is not None and until <= player.cool_off_until:
        raise CoolOffRunning
    player.cool_off_until = until
    player.save(update_fields=["cool_off_until"])
    return player


@transaction.atomic
def set_loss_cap(*, user: User, coins: int | None, now: datetime | None = None) -> User:
    """The coins one wants to lose in a day at most (LOSS_CAPS; None: no cap). A looser cap holds from tomorrow on."""
    if coins is not None and coins not in LOSS_CAPS:
        raise BadLimit(value=coins, allowed=" / ".join(map(str, LOSS_CAPS)))
    player = _locked(user)
    today = day_of(now or database_now())
    if player.loss_cap_next_on is not None and today >= player.loss_cap_next_on:
        player.loss_cap = player.loss_cap_next
    if limits.looser(coins, player.loss_cap):
        player.loss_cap_next, player.loss_cap_next_on = coins, today + timedelta(days=1)
    else:
        player.loss_cap, player.loss_cap_next, player.loss_cap_next_on = coins, None, None
    player.save(update_fields=["loss_cap", "loss_cap_next", "loss_cap_next_on"])
    return player


def check_real_name(*, user: User, name: str, document: str) -> User:
    """Ask the operator's service (settings.REAL_NAME_HOOK: `(name, document) -> adult?`, None when they do not belong
    together). Only the answer is kept, never name or number. RealNameRefused."""
    adult = import_string(settings.REAL_NAME_HOOK)(name, document)
    if adult is None:
        raise RealNameRefused
    User.objects.filter(pk=user.pk).update(adult=bool(adult))
    user.adult = bool(adult)
    return user
