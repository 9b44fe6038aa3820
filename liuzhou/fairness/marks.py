"""Where players come from, kept as keyed hashes: network address and device. Nothing here can be turned back into either.

A mark is noted at sign-in, and the address again with each hand; it is forgotten KEEP_DAYS after it was last seen."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from itertools import combinations
from typing import Final, NamedTuple

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Count
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.models import User
from liuzhou.fairness.models import Mark
from rooms.seating import hashed

COOKIE: Final = "device"
KEEP_DAYS: Final = 180
DEVICE_DAYS: Final = 30  # a device is somebody's for so long after they signed in on it
_TOKEN = re.compile(r"[0-9a-f]{32}")

NOTE = """
INSERT INTO fairness_mark (user_id, kind, digest, first_on, last_on) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (user_id, kind, digest) DO UPDATE SET
  first_on = least(fairness_mark.first_on, excluded.first_on), last_on = greatest(fairness_mark.last_on, excluded.last_on)
"""


class Seen(NamedTuple):
    """A mark to be noted."""

    user: int
    kind: str
    digest: str
    day: date


def digest(kind: str, text: str) -> str:
    """Keyed with the site's secret: without it nobody can try out all addresses."""
    return salted_hmac(f"fairness.{kind}", text, algorithm="sha256").hexdigest()[:32]


def address_digest(seat_address: str) -> str:
    """For an address as `rooms.models.Seat` keeps it."""
    return digest(Mark.Kind.ADDRESS, seat_address)


def note(marks: Iterable[Seen]) -> None:
    """Keep that they were seen on their days. Sorted, so that two writers never wait for each other in a ring."""
    rows = [(one.user, str(one.kind), one.digest, one.day, one.day) for one in sorted(set(marks))]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(NOTE, rows)


def device_of(request: HttpRequest) -> str:
    """The browser's device token; a new one (which the middleware then sets) where it has none of ours."""
    token = request.COOKIES.get(COOKIE, "")
    if not _TOKEN.fullmatch(token):
        token = secrets.token_hex(16)
        request.fairness_device = token  # type: ignore[attr-defined]
    return token


def signed_in(sender: object, request: HttpRequest | None, user: User, **_: object) -> None:
    """Receiver of Django's `user_logged_in`."""
    if request is None:
        return
    day = day_of(database_now())
    marks = [Seen(user.pk, Mark.Kind.DEVICE, digest(Mark.Kind.DEVICE, device_of(request)), day)]
    if address := _address(request):
        marks.append(Seen(user.pk, Mark.Kind.ADDRESS, address_digest(hashed(address)), day))
    note(marks)


def _address(request: HttpRequest) -> str:
    """Where the request came from, behind as many proxies as TRUSTED_PROXIES says; empty where that cannot be told."""
    try:
        return get_adapter().get_client_ip(request) or ""
    except PermissionDenied:  # a socket of this machine, or a proxy that says nothing: no reason to refuse a sign-in
        return ""


class Places(NamedTuple):
    """Which of some players, by their ids in ascending order, share an address or a device."""

    address: frozenset[tuple[int, int]]
    device: frozenset[tuple[int, int]]


def known(users: Iterable[int]) -> dict[int, list[Mark]]:
    """The marks of the players."""
    found: dict[int, list[Mark]] = {}
    for mark in Mark.objects.filter(user__in=set(users)):
        found.setdefault(mark.user_id, []).append(mark)
    return found


def shared(users: Iterable[int], day: date, marks: Mapping[int, list[Mark]]) -> Places:
    """An address counts where both were seen at it by that day and no earlier than it; a device DEVICE_DAYS longer."""

    def held(user: int, kind: str, since: date) -> set[str]:
        mine = marks.get(user, ())
        return {mark.digest for mark in mine if mark.kind == kind and mark.first_on <= day and mark.last_on >= since}

    found: dict[str, set[tuple[int, int]]] = {Mark.Kind.ADDRESS: set(), Mark.Kind.DEVICE: set()}
    for kind, since in ((Mark.Kind.ADDRESS, day), (Mark.Kind.DEVICE, day - timedelta(days=DEVICE_DAYS))):
        for one, other in combinations(sorted(set(users)), 2):
            if held(one, kind, since) & held(other, kind, since):
                found[kind].add((one, other))
    return Places(frozenset(found[Mark.Kind.ADDRESS]), frozenset(found[Mark.Kind.DEVICE]))


class Neighbour(NamedTuple):
    """Somebody who came from the same place; `crowd` is how many players did."""

    user: int
    kind: str
    crowd: int
    last_on: date


def neighbours(user: int, most: int = 40) -> list[Neighbour]:
    """Who shares marks with the player, the rarest places first: what hundreds share (a carrier, a school) says nothing."""
    mine = Mark.objects.filter(user=user).values_list("kind", "digest")
    crowds = {
        (row["kind"], row["digest"]): row["crowd"]
        for row in Mark.objects.filter(digest__in=[d for _, d in mine]).values("kind", "digest").annotate(crowd=Count("pk"))
    }  # fmt: skip
    rare = sorted(
        (crowd, kind, mark) for (kind, mark), crowd in crowds.items() if (kind, mark) in set(mine) and crowd > 1
    )
    best: dict[tuple[int, str], Neighbour] = {}
    for crowd, kind, mark in rare[:20]:
        others = Mark.objects.filter(kind=kind, digest=mark).exclude(user=user).order_by("-last_on")[:most]
        for other in others:
            best.setdefault((other.user_id, kind), Neighbour(other.user_id, kind, crowd, other.last_on))
    return sorted(best.values(), key=lambda one: (one.crowd, one.kind != Mark.Kind.DEVICE, -one.last_on.toordinal()))[
        :most
    ]


def note_sessions() -> None:
    """The addresses of sessions that are still open: for players who signed in before the desk was there."""
    note(
        Seen(session.user_id, Mark.Kind.ADDRESS, address_digest(hashed(session.ip)), day_of(session.last_seen_at))
        for session in UserSession.objects.exclude(ip="127.0.0.1").iterator()
    )


def forget(today: date) -> int:
    """Delete what was not seen for KEEP_DAYS."""
    return Mark.objects.filter(last_on__lt=today - timedelta(days=KEEP_DAYS)).delete()[0]
