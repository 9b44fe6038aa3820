"""Where a player is signed in, and signing out there: one session, or all but this one."""

import re
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth import update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest

from liuzhou.accounts import hooks
from liuzhou.accounts.days import database_now
from liuzhou.accounts.models import User

_BROWSERS = (
    ("MicroMessenger", "微信"),
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("QQBrowser", "QQ 浏览器"),
    ("UCBrowser", "UC 浏览器"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("HarmonyOS", "HarmonyOS"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class Device:
    """A session as its player sees it."""

    id: int
    browser: str
    system: str
    address: str
    since: datetime
    seen: datetime
    current: bool


def devices(request: HttpRequest, user: User) -> list[Device]:
    """Where the player is signed in, this place first, then the latest; those that have ended are forgotten on the way."""
    UserSession.objects.create_from_request(request, user=user)
    here = request.session.session_key
    found = [described(one, one.session_key == here) for one in UserSession.objects.purge_and_list(user)]
    return sorted(found, key=lambda device: (not device.current, -device.seen.timestamp()))


def described(session: UserSession, current: bool) -> Device:
    browser, system = _named(_BROWSERS, session.user_agent), _named(_SYSTEMS, session.user_agent)
    return Device(session.pk, browser, system, session.ip, session.created_at, session.last_seen_at, current)


def _named(known: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for mark, name in known if re.search(rf"\b{mark}", agent)), "")


def sign_out_one(*, user: User, device: int) -> bool:
    """End one of the player's sessions; False if there is none of that number any more."""
    session = UserSession.objects.filter(user=user, pk=device).first()
    if session is None:
        return False
    key = session.session_key
    session.end()
    transaction.on_commit(lambda: hooks.signed_out(user.pk, key))
    return True


def sign_out_everywhere(*, user: User, request: HttpRequest | None = None, now: datetime | None = None) -> None:
    """End every session of the player, listed or not, but the request's own, which gets a new key.

    `sessions_revoked_at` is part of what a session is checked by: none from before is worth anything from now on."""
    with transaction.atomic():
        player = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        player.sessions_revoked_at = now or database_now()
        player.save(update_fields=["sessions_revoked_at"])
        user.sessions_revoked_at = player.sessions_revoked_at
        if request is not None:
            update_session_auth_hash(request, user)
        here = request.session.session_key if request is not None else None
        for session in UserSession.objects.filter(user=user).exclude(session_key=here):
            session.end()
    hooks.signed_out(user.pk, None)
