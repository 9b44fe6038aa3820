"""What lets a socket in: its player's session. One that was ended closes its sockets by a message; this finds what the
message missed (the channel layer may lose any), and whoever was frozen or changed their password."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.sessions.models import Session
from django.db.models.functions import Now

from liuzhou.accounts.models import User


class Pass(NamedTuple):
    """A player and a session as they were when the socket was let in."""

    user: int
    session: str | None
    password: str
    revoked: datetime | None


def pass_of(user: User, session: str | None) -> Pass:
    return Pass(user.pk, session, user.password, user.sessions_revoked_at)


def ended(passes: Iterable[Pass]) -> set[Pass]:
    """Those that let nobody in any more. Two queries, however many there are."""
    asked = set(passes)
    users = {
        user.pk: user
        for user in User.objects.filter(pk__in={one.user for one in asked}, is_active=True).only(
            "password", "sessions_revoked_at"
        )
    }
    keys = {one.session for one in asked if one.session}
    alive = set(
        Session.objects.filter(session_key__in=keys, expire_date__gt=Now()).values_list("session_key", flat=True)
    )
    return {
        one
        for one in asked
        if one.user not in users
        or pass_of(users[one.user], one.session) != one
        or (one.session is not None and one.session not in alive)
    }
