"""What players change about themselves: name, colour, preferences, whether the leaderboard shows them."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from liuzhou.accounts import names, preferences, services
from liuzhou.accounts.errors import BadColour, NicknameEmpty, NicknameTaken
from liuzhou.accounts.models import PALETTE, User


def rename(*, user: User, nickname: str) -> User:
    """Give the player another nickname, cleaned. Errors: NicknameEmpty, NicknameTooLong, NicknameReserved, NicknameTaken.

    A name that looks like the player's own (other capitals, an accent) is theirs to take."""
    nickname = names.clean_nickname(nickname)
    if not nickname:
        raise NicknameEmpty
    if nickname == user.nickname:
        return user
    seen = services.check_nickname(nickname, but=user.pk)
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(nickname=nickname, look=seen)
    except IntegrityError as error:
        raise NicknameTaken from error
    user.nickname, user.look = nickname, seen
    return user


def recolour(*, user: User, color: str) -> User:
    """Another colour of the palette for the avatar. BadColour."""
    if color not in PALETTE:
        raise BadColour
    User.objects.filter(pk=user.pk).update(color=color)
    user.color = color
    return user


def prefer(*, user: User, wanted: Mapping[str, Any]) -> User:
    """Store these preferences beside those already stored. BadPreference."""
    chosen = preferences.checked(wanted)
    with transaction.atomic():
        player = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        player.preferences = {**preferences.complete(player.preferences), **chosen}
        player.save(update_fields=["preferences"])
    user.preferences = player.preferences
    return user


def show_in_rankings(*, user: User, shown: bool) -> User:
    """Whether the leaderboards show the player."""
    User.objects.filter(pk=user.pk).update(ranked=shown)
    user.ranked = shown
    return user
