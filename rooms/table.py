"""One action's way through a hand, and the clock's way: what a row would do, and committing it from a worker or a service.

Live processes use `attempt` with their own door (`rooms.live`); everything here that commits is synchronous.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

import msgspec

from liuzhou.rules import bots, engine
from liuzhou.rules.actions import Action
from liuzhou.rules.errors import RuleError
from rooms import broadcast, log, records, settlement
from rooms import fold as folds
from rooms.errors import RoomError
from rooms.fold import CLOCK, HOUSE, UNTIMED, Fold, Outgoing, Row

EARLY_MS = 20
CACHED_HANDS = 2_000
CACHED_SECONDS = 180.0  # longer than any question stays open
_random = SystemRandom()


class LostRace(Exception):
    """Somebody else's row has this number: read the log and think again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A row that is not committed yet and what it would do; `settles` if it ends the hand."""

    before: Fold
    row: Row
    after: Fold
    outgoing: dict[int, Outgoing]

    def at(self, moment: int) -> tuple[Row, Fold]:
        """The row and the fold once the database has said when the row was committed (ms)."""
        row = self.row._replace(at=moment)
        return row, folds.timed(self.before, self.after, row)

    @property
    def settles(self) -> bool:
        return self.after.state.phase == "over" and not self.after.closed


def attempt(fold: Fold, seat: int, body: dict[str, Any], *, origin: int, now: int, ref: str = "") -> Attempt:
    """Fold `body` as the hand's next row, `now` being about when it will be committed (ms); commits nothing.

    Raises RoomError `illegal`, `fish_taken` or `hand_over`.
    """
    if not fold.running:
        raise RoomError("hand_over")
    row = Row(fold.seq + 1, seat, msgspec.json.encode(body).decode(), origin, ref, UNTIMED)
    try:
        after, outgoing = folds.step(fold, row, now=now)
    except RuleError as error:
        if body.get("do") == "fish" and _is_taken(fold, body.get("slot")):
            raise RoomError("fish_taken", value=body["slot"]) from error
        raise RoomError.from_rules("illegal", error) from error
    return Attempt(fold, row, after, outgoing)


def _is_taken(fold: Fold, slot: object) -> bool:
    return isinstance(slot, int) and 1 <= slot <= len(fold.state.pond) and fold.state.pond[slot - 1] >= 0


def commit(tried: Attempt) -> tuple[Row, Fold]:
    """Commit by the ordinary or the slow door; the row with its time, and the fold. Raises LostRace."""
    at = settlement.finish(tried.after, tried.row) if tried.settles else log.append(log.entry(tried.after, tried.row))
    if at is None:
        raise LostRace
    return tried.at(at)


class Folds:
    """The latest folds of running hands a process has worked on. A fold is immutable and the log only grows, so a cached one
    is never wrong, only behind: `current` catches up. Hands that are over are not kept, nor those that nobody here has
    touched for a while: another process may have ended them.
    """

    def __init__(self, size: int = CACHED_HANDS, seconds: float = CACHED_SECONDS) -> None:
        self._size, self._seconds = size, seconds
        self._folds: OrderedDict[int, tuple[Fold, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._folds)

    def current(self, hand: int) -> Fold:
        if (kept := self._folds.get(hand)) is None:
            fold = records.load(hand)
        else:
            fold = kept[0]
            for row in records.rows_after(hand, fold.seq):
                fold, _ = folds.step(fold, row)
        self.keep(fold)
        return fold

    def forget(self, hand: int) -> None:
        self._folds.pop(hand, None)

    def keep(self, fold: Fold) -> None:
        hand, now = fold.setup.hand, time.monotonic()
        with self._lock:
            self._folds.pop(hand, None)
            if fold.running:
                self._folds[hand] = fold, now
            while self._folds and (len(self._folds) > self._size or self._oldest() < now - self._seconds):
                self._folds.popitem(last=False)

    def _oldest(self) -> float:
        return next(iter(self._folds.values()))[1]


cache = Folds()


def house_action(fold: Fold, seat: int) -> Action:
    """What is played for a seat whose time is up: a bot by its skill, 托管 by RULES 11.1, and a player who let
    the clock of a claim run out passes (RULES 3.8)."""
    legal = engine.legal_actions(fold.state, seat)
    if skill := fold.setup.bots[seat]:
        return getattr(bots, skill)(fold.view(seat), legal, _random)
    if not fold.autos[seat] and fold.state.phase in ("claim", "rob"):
        return next(action for action in legal if action.do == "pass")
    return bots.auto(fold.view(seat), legal, _random)


def expire(hand: int, now: int) -> Fold:
    """Answer for every seat whose time is up at `now` (ms, the database's). Idempotent: who has answered is not asked.

    Returns the hand as it stands afterwards.
    """
    fold = cache.current(hand)
    while (seat := _overdue(fold, now)) is not None:
        origin = HOUSE if fold.setup.bots[seat] or fold.autos[seat] else CLOCK
        body = msgspec.json.decode(folds.body_of(house_action(fold, seat)))
        tried = attempt(fold, seat, body, origin=origin, now=now)
        try:
            row, fold = commit(tried)
        except LostRace:
            fold = cache.current(hand)
            continue
        cache.keep(fold)
        broadcast.rows(fold.setup.room, hand, [row])
        if tried.settles:
            broadcast.room_changed(fold.setup.room)
    return fold


def _overdue(fold: Fold, now: int) -> int | None:
    if not fold.running:
        return None
    for seat in range(fold.players):
        due = fold.due(seat)
        if due is not None and due <= now + EARLY_MS:
            return seat
    return None


def give_back(hand: int, ms: int) -> None:
    """Give the hand's players `ms` back: the site was away, and so could they not answer."""
    while (fold := cache.current(hand)).running:
        tried = attempt(fold, -1, {"do": "grace", "ms": ms}, origin=HOUSE, now=0)
        try:
            row, _ = commit(tried)
        except LostRace:
            continue
        broadcast.rows(fold.setup.room, hand, [row])
        return


def close(hand: int, body: dict[str, Any], state: str) -> list[Row]:
    """Close a running hand unsettled, inside the caller's transaction. LostRace if it moved on or ended meanwhile."""
    fold = cache.current(hand)
    if not fold.running:
        raise LostRace
    tried = attempt(fold, -1, body, origin=HOUSE, now=0)
    at = settlement.close_unsettled(tried.after, tried.row, state)
    if at is None:
        raise LostRace
    return [tried.row._replace(at=at)]
