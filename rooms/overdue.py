"""The clock's stand-in. Worker and beat answer for whoever's time is up; when nobody does (they died, Valkey is away, a
wall clock was stepped back), a process does it itself for the rooms that are open in it. Doing it twice is harmless.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator

from django.db import Error as DatabaseFailure

from rooms import services, table
from rooms.errors import RoomError
from rooms.fold import Fold
from rooms.protocol import RoomInfo

log = logging.getLogger(__name__)

LATE_MS = 1_000
AT_ONCE = 100


def overdue(room: int, info: RoomInfo, fold: Fold | None, now: int) -> Iterator[Callable[[], object]]:
    """What should have been done in the room a second ago (ms), as calls."""
    deadline = fold.deadline() if fold is not None else None
    if fold is not None and deadline is not None and deadline + LATE_MS < now:
        hand = fold.setup.hand
        yield lambda: table.expire(hand, now)
    if info.next_at is not None and info.next_at + LATE_MS < now:
        yield lambda: services.start_overdue(room_id=room)
    if info.dissolve is not None and info.dissolve.deadline + LATE_MS < now:
        yield lambda: services.dissolve(room_id=room)


def answer(calls: Iterable[Callable[[], object]]) -> None:
    """Do what is overdue, each for itself; what fails is tried again a second later."""
    for call in calls:
        try:
            call()
        except (RoomError, DatabaseFailure) as error:
            log.warning("overdue: %s", error.__class__.__name__)
