"""战绩: the hands a player took part in, filtered and paged, with the room each belongs to; and what they come to. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet, Sum

from liuzhou.accounts.days import start_of
from liuzhou.accounts.models import User
from liuzhou.rules.options import Options
from rooms.models import Hand, Played, Room
from rooms.outcomes import Outcome, outcome, settled_by_log

PAGE = 20
COUNTED = 2_000  # statistics look at so many hands, the latest
LOOKED_UP = 50  # and read the logs of so many of them, where the settlement leaves something open
KINDS = ("room", "coins", "practice")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which hands: days in Shanghai, both included; `kind` as in KINDS; None and "" mean any."""

    since: date | None = None
    until: date | None = None
    preset: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One hand as the player sees it: `amount` is coins at a coin table, score elsewhere; None if it was not settled."""

    hand: int
    number: int
    state: str
    at: datetime
    amount: int | None
    outcome: Outcome | None


@dataclass(slots=True)
class Sheet:
    """A room with the hands of it that are on the page; `total` and `players` are of all its hands."""

    code: str
    kind: str
    preset: str
    stake: int
    total: int
    lines: list[Line] = field(default_factory=list)
    players: list[tuple[str, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    sheets: list[Sheet]
    older: int | None  # the number of the hand before which the next page begins


def kind_of(room: Room) -> str:
    return "practice" if room.practice else "coins" if room.stake else "room"


def _kind(kind: str) -> Q:
    if kind == "practice":
        return Q(hand__room__practice=True)
    coins = Q(hand__room__stake__gt=0)
    return Q(hand__room__practice=False) & (coins if kind == "coins" else ~coins)


def played(user: User, wanted: Wanted) -> QuerySet[Played]:
    """The player's part in every hand that is over and wanted, newest first."""
    found = Played.objects.filter(user=user, hand__ended_at__isnull=False)
    if wanted.since:
        found = found.filter(hand__ended_at__gte=start_of(wanted.since))
    if wanted.until:
        found = found.filter(hand__ended_at__lt=start_of(wanted.until + timedelta(days=1)))
    if wanted.preset:
        found = found.filter(hand__preset=wanted.preset)
    if wanted.kind:
        found = found.filter(_kind(wanted.kind))
    return found.order_by("-hand_id")


def page(*, user: User, wanted: Wanted, before: int | None = None) -> Page:
    """A page of hands, those of one room that follow each other together on one sheet."""
    parts = played(user, wanted).select_related("hand__room").defer("hand__secret", "hand__nonces", "hand__setup")
    if before is not None:
        parts = parts.filter(hand_id__lt=before)
    rows = list(parts[: PAGE + 1])
    older = rows[PAGE - 1].hand_id if len(rows) > PAGE else None
    sheets = _sheets(rows[:PAGE])
    _add_up(user, sheets)
    return Page([sheet for _, sheet in sheets], older)


def _sheets(rows: Iterable[Played]) -> list[tuple[int, Sheet]]:
    sheets: list[tuple[int, Sheet]] = []
    for row in rows:
        room = row.hand.room
        if not sheets or sheets[-1][0] != room.pk:
            sheets.append((room.pk, Sheet(room.code, kind_of(room), room.preset, room.stake, 0)))
        sheets[-1][1].lines.append(_line(row))
    return sheets


def _line(row: Played) -> Line:
    hand = row.hand
    found = outcome(hand.settlement, row.index, _options(hand)) if hand.settlement else None
    amount = row.coins if hand.room.stake else row.score
    at = hand.ended_at
    assert at is not None
    return Line(hand.pk, hand.number, hand.state, at, amount, found)


def _options(hand: Hand) -> Options:
    return Options.parse(hand.preset, hand.options)


def _add_up(user: User, sheets: Sequence[tuple[int, Sheet]]) -> None:
    """What each room brought the player, and in a private room everybody: two queries for the page."""
    of = {room for room, _ in sheets}
    own = Played.objects.filter(user=user, hand__room__in=of).values_list("hand__room")
    sums = {room: (score or 0, coins or 0) for room, score, coins in own.annotate(a=Sum("score"), b=Sum("coins"))}
    private = {room for room, sheet in sheets if sheet.kind == "room"}
    seats = Played.objects.filter(hand__room__in=private).values_list("hand__room", "index", "name")
    players: dict[int, list[tuple[str, int]]] = {}
    for room, _, name, score in seats.annotate(a=Sum("score")).order_by("hand__room", "index"):
        players.setdefault(room, []).append((name, score or 0))
    for room, sheet in sheets:
        score, coins = sums.get(room, (0, 0))
        sheet.total = coins if sheet.stake else score
        sheet.players = players.get(room, [])


@dataclass(slots=True)
class Tally:
    """What a player's hands come to. Rates are in per mille of the hands."""

    hands: int = 0
    wins: int = 0
    drawn: int = 0
    dealt_in: int = 0
    fish: int = 0
    value: int = 0
    points: int = 0

    def add(self, one: Outcome) -> None:
        self.hands += 1
        self.wins += one.won
        self.drawn += bool(one.won and one.drawn)
        self.dealt_in += bool(one.dealt_in)
        self.fish += one.fish
        self.value += one.value
        self.points += one.points

    @property
    def rates(self) -> dict[str, float]:
        """Percent of the hands won, won by own draw, dealt in."""
        return {name: self._percent(getattr(self, name)) for name in ("wins", "drawn", "dealt_in")}

    def _percent(self, part: int) -> float:
        return round(100 * part / self.hands, 1) if self.hands else 0.0

    @property
    def average_value(self) -> float:
        """Points of a win before base and fish, in the mean."""
        return round(self.value / self.wins, 2) if self.wins else 0.0

    @property
    def average_fish(self) -> float:
        """Net fish points a hand."""
        return round(self.fish / self.hands, 2) if self.hands else 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Over all hands and per preset; `course` is the sum of points after each hand, oldest first."""

    total: Tally
    presets: dict[str, Tally]
    course: list[int]
    capped: bool


def statistics(*, user: User, wanted: Wanted) -> Statistics:
    """The latest COUNTED settled hands that are wanted; practice only if it is asked for by name."""
    parts = played(user, wanted).filter(hand__state=Hand.State.SETTLED)
    if not wanted.kind:
        parts = parts.filter(hand__room__practice=False)
    rows = list(
        parts.values_list("hand_id", "index", "hand__preset", "hand__options", "hand__settlement")[: COUNTED + 1]
    )
    total, presets, points = Tally(), dict[str, Tally](), list[int]()
    parsed: dict[str, Options] = {}
    lookups = LOOKED_UP
    for hand, index, preset, options, result in rows[:COUNTED]:
        found = outcome(result or {}, index, _cached(parsed, preset, options))
        if found.drawn is None or found.dealt_in is None:
            if not lookups:
                continue
            lookups -= 1
            found = settled_by_log(found, hand)
        for tally in (total, presets.setdefault(preset, Tally())):
            tally.add(found)
        points.append(found.points)
    return Statistics(total, presets, _course(points[::-1]), len(rows) > COUNTED)


def _cached(parsed: dict[str, Options], preset: str, options: dict[str, Any]) -> Options:
    key = f"{preset}{sorted(options.items())}"
    if key not in parsed:
        parsed[key] = Options.parse(preset, options)
    return parsed[key]


def _course(points: Iterable[int]) -> list[int]:
    sums = [0]
    for each in points:
        sums.append(sums[-1] + each)
    return sums
