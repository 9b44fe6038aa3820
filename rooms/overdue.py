"""The clock's stand-in. Worker and beat answer for whoever's time is up; when nobody does (they died, Valkey is away, a
wall clock was stepped back), the live processes do it: a thread of each for every overdue hand, connected players or not
(`stand_in`), and the look for the rooms that are open in it (`overdue`). Doing it twice is harmless.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from django.db import Error as DatabaseFailure
from django.db import connection

from rooms import records, services, table
from rooms.errors import RoomError
from rooms.fold import Fold
from rooms.protocol import RoomInfo

log = logging.getLogger(__name__)

LATE_MS = 1_000
AT_ONCE = 100
STRANDED_MS = 500  # so late nobody else will do it soon
RESCUED_AT_ONCE = 20  # the longest overdue first, and then those that are by then
ROUNDS = 20  # before a pause, whatever is left
EVERY_SECONDS = 0.5
# A process that has just started, or has just got its database back, leaves it to the others to give players their time
# back first (`Hub._look_at`).
REST_SECONDS = 8.0

STRANDED = """
SELECT id FROM rooms_hand
WHERE state = 'running' AND deadline < clock_timestamp() - %s * interval '1 ms' ORDER BY deadline LIMIT %s
"""


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
        except Exception:  # one hand's trouble is no other's
            log.exception("overdue")


def rescue() -> int:
    """Answer in all hands whose deadline is long past, whoever looks on; how many there were."""
    with connection.cursor() as cursor:
        cursor.execute(STRANDED, [STRANDED_MS, RESCUED_AT_ONCE])
        hands = [hand for (hand,) in cursor.fetchall()]
    random.shuffle(hands)  # several processes do this: not all of them the same hand
    if hands:
        now = records.database_now()
        answer(partial(table.expire, hand, now) for hand in hands)
    return len(hands)


def stand_in() -> None:
    """`rescue` twice a second in a thread of its own, for as long as this process lives."""
    threading.Thread(target=_keep_rescuing, name="stand-in", daemon=True).start()


def _keep_rescuing() -> None:
    time.sleep(REST_SECONDS)
    while True:
        try:
            for _ in range(ROUNDS):
                if rescue() < RESCUED_AT_ONCE:
                    break
        except Exception as error:  # noqa: BLE001 - the stand-in must outlive whatever happens
            log.warning("stand-in: %s", error.__class__.__name__)
            connection.close()
            time.sleep(REST_SECONDS)
        time.sleep(EVERY_SECONDS)
