"""A running hand as the fold of its log: the rules' state, and what the table adds to it (clocks, questions, 托管). Pure.

A log row is either an action of the game or one of the table's own: `auto` (托管 on or off), `away` (a seat lost its
last socket or has one again), `grace` (the clocks are given time back), `void` and `dissolve` (the hand is closed
without a settlement).
Everything sent to a seat is numbered by what *that seat* has seen, so that the number tells nothing of hidden passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from liuzhou.rules import engine, wall
from liuzhou.rules.actions import Action, action_json, parse_action
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from liuzhou.rules.view import redact, view
from rooms import clock

PLAYER, CLOCK, HOUSE = 0, 1, 2
SPECTATOR = -1
CLOSING = ("void", "dissolve", "escape")
TABLE_ROWS = ("auto", "away", "grace", *CLOSING)
UNTIMED = 0  # the `at` of a row that is not committed yet: a question opened by it has `asked` 0


class Row(NamedTuple):
    """One row of the log; `at` in ms since 1970 by the database's clock."""

    seq: int
    seat: int
    body: str
    origin: int
    ref: str
    at: int


@dataclass(frozen=True, slots=True)
class Setup:
    """What a hand starts from. `bots` and `autos` per seat; `started` in ms."""

    hand: int
    room: int
    options: Options
    dealer: int
    seed: bytes
    bots: tuple[str, ...]
    autos: tuple[bool, ...]
    pace: str
    started: int


class Outgoing(NamedTuple):
    """What one step sends to one seat: its events with their numbers, and its question if it opened or closed."""

    events: tuple[tuple[int, dict[str, Any]], ...]
    asked: bool
    withdrawn: int | None


@dataclass(frozen=True, slots=True)
class Fold:
    """The hand after `seq` rows. Per-seat tuples; `asks` holds the number of the open question or None, `asked` when
    it was opened, `reserve` what is left of the seat's bank of time for its turns (both ms), `refs` the ids of the
    commands that have had their effect."""

    setup: Setup
    seq: int
    state: State
    autos: tuple[bool, ...]
    seen: tuple[int, ...]
    asks: tuple[int | None, ...]
    asked: tuple[int, ...]
    refs: tuple[frozenset[str], ...]
    away: tuple[bool, ...]
    reserve: tuple[int, ...]
    closed: str = ""

    @property
    def running(self) -> bool:
        return not self.closed and self.state.phase != "over"

    @property
    def players(self) -> int:
        return len(self.autos)

    def due(self, seat: int) -> int | None:
        """When `seat` must have answered (ms), or None if it is not asked."""
        if self.asks[seat] is None:
            return None
        return self.asked[seat] + self.allowance(seat) + self.bank(seat)

    def allowance(self, seat: int) -> int:
        """What `seat` gets for a question of this phase (ms), its bank aside."""
        return clock.allowance(
            self.state.phase,
            auto=self.autos[seat],
            bot=bool(self.setup.bots[seat]),
            away=self.away[seat],
            pace=self.setup.pace,
        )

    def bank(self, seat: int) -> int:
        """What `seat` may take from its reserve for the open question (ms): only a player who is there, in their turn."""
        idle = self.autos[seat] or self.away[seat] or self.setup.bots[seat]
        return 0 if idle or self.state.phase != "turn" else self.reserve[seat]

    def deadline(self) -> int | None:
        """The earliest open deadline (ms): the hand's column."""
        times = [due for seat in range(self.players) if (due := self.due(seat)) is not None]
        return min(times) if times and self.running else None

    def public_clock(self) -> tuple[int, int, int] | None:
        """(seat, deadline, how much of it is the bank) while one known seat is to move; a claim window shows no clock."""
        if not self.running or self.state.phase not in ("turn", "fish"):
            return None
        seat = self.state.turn
        if self.state.phase == "turn":
            return seat, self.due(seat) or 0, self.bank(seat)
        return seat, self.asked[seat] + clock.FISH_MS, 0

    def view(self, seat: int) -> dict[str, Any]:
        return view(self.state, None if seat == SPECTATOR else seat)

    def actions(self, seat: int) -> list[dict[str, Any]]:
        """The legal actions of an asked seat, as they are sent."""
        if self.asks[seat] is None:
            return []
        return [action_json(action) for action in engine.legal_actions(self.state, seat)]


def begin(setup: Setup) -> Fold:
    """The hand before its first row."""
    built = wall.build(setup.seed, setup.options)
    state, events = engine.start(setup.options, setup.dealer, built)
    players = len(setup.bots)
    seen = tuple(
        sum(redact(event, seat if seat < players else None) is not None for event in events)
        for seat in range(players + 1)
    )
    fold = Fold(
        setup=setup,
        seq=0,
        state=state,
        autos=setup.autos,
        seen=seen,
        asks=(None,) * players,
        asked=(setup.started,) * players,
        refs=(frozenset(),) * players,
        away=(False,) * players,
        reserve=(clock.RESERVE_MS,) * players,
    )
    return _ask(fold, fold, setup.started, actor=None)


def _ask(before: Fold, after: Fold, at: int, actor: int | None) -> Fold:
    """Open the questions that are new, close those that are gone, leave the others their number and their clock."""
    deciding = engine.deciders(after.state) if after.running else ()
    same_phase = before.state.phase == after.state.phase
    asks, asked = list(after.asks), list(after.asked)
    for seat in range(after.players):
        if seat not in deciding:
            asks[seat] = None
        elif before.asks[seat] is None or seat == actor or not same_phase:
            asks[seat] = after.seen[seat]
            if after.state.phase != "fish":  # there ten seconds for all, however often one acts (RULES 7.2)
                asked[seat] = at
    return replace(after, asks=tuple(asks), asked=tuple(asked))


def timed(before: Fold, after: Fold, row: Row) -> Fold:
    """`after`, folded from `before` by an uncommitted row, now that `row` says when it was committed."""
    asked = tuple(row.at if when == UNTIMED else when for when in after.asked)
    return replace(after, asked=asked, reserve=_spent(before, row, row.at))


def _spent(before: Fold, row: Row, at: int) -> tuple[int, ...]:
    """The banks after `row`: whoever answered in their turn pays for what they took beyond their allowance."""
    seat = row.seat
    if seat < 0 or before.asks[seat] is None or not before.bank(seat) or not is_move(row):
        return before.reserve
    over = at - before.asked[seat] - before.allowance(seat)
    left = before.reserve[seat] - max(0, min(over, before.reserve[seat]))
    return (*before.reserve[:seat], left, *before.reserve[seat + 1 :])


def is_move(row: Row) -> bool:
    """Whether the row is an action of the game, not one of the table's own."""
    return msgspec.json.decode(row.body)["do"] not in TABLE_ROWS


def body_of(action: Action) -> str:
    """An action of the game as the log keeps it."""
    return msgspec.json.encode(action_json(action)).decode()


def step(fold: Fold, row: Row, *, now: int = UNTIMED) -> tuple[Fold, dict[int, Outgoing]]:
    """The fold after `row`, and what each seat (and the spectator) is sent for it.

    `now` stands in for the time of a row that is not committed yet, where that matters (the bank).
    """
    body = msgspec.json.decode(row.body)
    kind = body["do"]
    autos, refs, away = list(fold.autos), list(fold.refs), list(fold.away)
    public: list[dict[str, Any]] = []
    events: Sequence[Any] = ()
    state, asked, closed, actor = fold.state, fold.asked, fold.closed, None
    if kind == "auto":
        _set_auto(autos, row.seat, bool(body["on"]), public)
    elif kind == "away":
        away[row.seat] = bool(body["on"])
        public.append({"kind": "away", "seat": row.seat, "on": away[row.seat]})
    elif kind == "grace":
        resting = [auto or bool(bot) for auto, bot in zip(fold.autos, fold.setup.bots, strict=True)]
        asked = tuple(when if resting[seat] else when + int(body["ms"]) for seat, when in enumerate(asked))
    elif kind in CLOSING:
        closed = kind
        public.append({"kind": "closed", "why": kind, "reason": body.get("reason", ""), "seat": body.get("seat")})
    else:
        state, events = engine.apply(fold.state, parse_action(row.seat, body))
        actor = row.seat
        if _minds(fold, row):
            _set_auto(autos, row.seat, row.origin == CLOCK, public)
    texts = [_texts(events, public, seat if seat < fold.players else None) for seat in range(fold.players + 1)]
    if row.ref:
        refs[row.seat] |= {row.ref}
    after = replace(
        fold,
        seq=row.seq,
        state=state,
        autos=tuple(autos),
        asked=asked,
        refs=tuple(refs),
        away=tuple(away),
        reserve=_spent(fold, row, row.at or now),
        closed=closed,
        seen=tuple(old + len(new) for old, new in zip(fold.seen, texts, strict=True)),
    )
    after = _ask(fold, after, row.at, actor)
    return after, _outgoing(fold, after, texts, actor)


def _minds(fold: Fold, row: Row) -> bool:
    """Whether a move tells of its player: acting ends 托管, missing a deadline begins it. Letting the time for fishing
    run out is no miss: taking no fish is a choice."""
    missed_fishing = row.origin == CLOCK and fold.state.phase == "fish"
    return not fold.setup.bots[row.seat] and row.origin != HOUSE and not missed_fishing


def _set_auto(autos: list[bool], seat: int, on: bool, public: list[dict[str, Any]]) -> None:
    if autos[seat] != on:
        autos[seat] = on
        public.append({"kind": "auto", "seat": seat, "on": on})


def _texts(events: Sequence[Any], public: list[dict[str, Any]], seat: int | None) -> list[dict[str, Any]]:
    return [text for event in events if (text := redact(event, seat)) is not None] + public


def _outgoing(before: Fold, after: Fold, texts: list[list[dict[str, Any]]], actor: int | None) -> dict[int, Outgoing]:
    sent: dict[int, Outgoing] = {}
    for seat in range(after.players + 1):
        events = tuple(enumerate(texts[seat], before.seen[seat] + 1))
        if seat == after.players:
            sent[SPECTATOR] = Outgoing(events, False, None)
            continue
        ask, was = after.asks[seat], before.asks[seat]
        reopened = ask is not None and (
            ask != was or before.due(seat) != after.due(seat) or before.state.phase == "fish"
        )
        gone = was if was is not None and ask is None and seat != actor else None
        if events or reopened or gone is not None:
            sent[seat] = Outgoing(events, reopened, gone)
    return sent
