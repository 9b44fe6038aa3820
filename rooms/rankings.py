"""Leaderboards: 积分 of the day, the week and all time out of the ledger, and the week's big hands. Reads only.

What is the same for everybody is kept in the cache for a moment; who does not want to be shown is left out when it is
shown, so leaving works at once."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime

from django.core.cache import cache
from django.db import connection

from ledger import standings
from ledger.services import POINT
from liuzhou.accounts.days import start_of, week_of
from liuzhou.accounts.models import User
from rooms.history import share_key
from rooms.models import Played

PERIODS = ("day", "week", "all")
# Hands, and what an escape costs (its points are part of the entry that voids the hand). Nothing an admin may issue.
KINDS = ("settlement", "penalty", "void")
SHOWN = 50
HANDS_SHOWN = 20
SPARE = 3  # so many times as many are fetched, as some of them do not want to be shown
KEPT = {"day": 20, "week": 30, "all": 300, "hands": 60}  # seconds


@dataclass(frozen=True, slots=True)
class Place:
    """One line; equal points share a rank."""

    rank: int
    user: User
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """`own` is the viewer's place, also far below; None if they have none or do not take part."""

    places: list[Place]
    own: Place | None


def since(period: str, today: date) -> datetime | None:
    """When the period began: midnight, Monday's midnight, or never."""
    return {"day": start_of(today), "week": start_of(week_of(today)), "all": None}[period]


def board(*, period: str, today: date, viewer: User | None = None) -> Board:
    """The first SHOWN players of the period, and the viewer's own place. Who opted out takes no rank."""
    totals = _totals(period, today)
    hidden = set(User.objects.exclude(ranked=True, is_active=True).values_list("pk", flat=True)) if totals else set()
    counted = [(owner, points) for owner, points in totals if owner not in hidden]
    falling = [-points for _, points in counted]
    users = User.objects.in_bulk([owner for owner, _ in counted[:SHOWN]])
    places = [
        Place(bisect_left(falling, -points) + 1, users[owner], points)
        for owner, points in counted[:SHOWN]
        if owner in users
    ]
    own = next((points for owner, points in counted if viewer is not None and owner == viewer.pk), None)
    if viewer is None or own is None:
        return Board(places, None)
    return Board(places, Place(bisect_left(falling, -own) + 1, viewer, own))


def _totals(period: str, today: date) -> list[tuple[int, int]]:
    begun = since(period, today)
    key = f"ranking:{period}:{begun.date() if begun else ''}"
    found: list[tuple[int, int]] | None = cache.get(key)
    if found is None:
        found = standings.gains(currency=POINT, kinds=KINDS, since=begun)
        cache.set(key, found, KEPT[period])
    return found


BIG_HANDS = """
SELECT h.id, p.user_id, h.preset, h.ended_at, (w.win ->> 'value')::int AS value, w.win -> 'types' AS types,
       (h.settlement -> 'points' ->> p.index)::int AS points, r.stake
  FROM rooms_hand h
  JOIN rooms_room r ON r.id = h.room_id AND NOT r.practice
 CROSS JOIN LATERAL jsonb_array_elements(h.settlement -> 'wins') AS w(win)
  JOIN rooms_played p ON p.hand_id = h.id AND p.index = (w.win ->> 'seat')::int AND p.user_id IS NOT NULL
 WHERE h.state = 'settled' AND h.ended_at >= %s AND jsonb_array_length(w.win -> 'types') > 0
 ORDER BY value DESC, points DESC, h.id
 LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class BigHand:
    """A win of the week; `key` opens its replay to everybody, and is there if everyone at the table may be shown."""

    rank: int
    hand: int
    user: User
    preset: str
    at: datetime
    value: int
    types: tuple[str, ...]
    points: int
    key: str


def big_hands(*, today: date) -> list[BigHand]:
    """The week's wins with a big type, the highest value first, at coin tables and in private rooms; equal ones by what
    they brought."""
    rows = _wins(today)
    users = User.objects.filter(ranked=True, is_active=True).in_bulk([row[1] for row in rows])
    rows = [row for row in rows if row[1] in users][:HANDS_SHOWN]
    private = _with_hidden_players([row[0] for row in rows])
    return [
        BigHand(
            rank, hand, users[user], preset, at, value, tuple(types), points,
            "" if hand in private else share_key(hand),
        )
        for rank, (hand, user, preset, at, value, types, points, _) in enumerate(rows, 1)
    ]  # fmt: skip


def _wins(today: date) -> list[tuple]:
    monday = week_of(today)
    key = f"big-hands:{monday}"
    found: list[tuple] | None = cache.get(key)
    if found is None:
        with connection.cursor() as cursor:
            cursor.execute(BIG_HANDS, [start_of(monday), HANDS_SHOWN * SPARE])
            found = [(*row[:5], _json(row[5]), *row[6:]) for row in cursor.fetchall()]
        cache.set(key, found, KEPT["hands"])
    return found


def _json(value: object) -> list[str]:
    """A jsonb column of a raw query: text or already a list, as the driver is set."""
    return json.loads(value) if isinstance(value, str) else list(value)  # type: ignore[call-overload]


def _with_hidden_players(hands: list[int]) -> set[int]:
    """The hands in which somebody played who does not want to be shown."""
    shy = Played.objects.filter(hand__in=hands, user__isnull=False).exclude(user__ranked=True, user__is_active=True)
    return set(shy.values_list("hand_id", flat=True))
