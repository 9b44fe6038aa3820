"""The two doors into the action log: group commit for a live process, one statement for everyone else (DESIGN 5.3).

Both run the same SQL, which inserts a row only if nobody was first with its number, and moves the hand's `seq` and
`deadline` along with the rows that went in. A row is inserted before its hand is touched, by everybody, so that the
locks are always taken in the same order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from django.db import connection, connections

from rooms.fold import UNTIMED, Fold, Row

log = logging.getLogger(__name__)

APPEND = """
WITH incoming AS (
    SELECT * FROM unnest(%s::bigint[], %s::int[], %s::smallint[], %s::text[], %s::smallint[], %s::text[],
                         %s::float8[], %s::float8[])
        AS t(hand_id, seq, seat, body, origin, ref, fresh, fixed)
), inserted AS (
    INSERT INTO rooms_action (hand_id, seq, seat, body, origin, ref, at)
    SELECT hand_id, seq, seat, body, origin, ref, clock_timestamp() FROM incoming ORDER BY hand_id, seq
    ON CONFLICT DO NOTHING
    RETURNING hand_id, seq, at
), moved AS (
    UPDATE rooms_hand h
    SET seq = i.seq,
        deadline = LEAST(i.at + n.fresh * interval '1 ms', to_timestamp(n.fixed / 1000.0))
    FROM inserted i JOIN incoming n USING (hand_id, seq)
    WHERE h.id = i.hand_id
)
SELECT hand_id, seq, (extract(epoch FROM at) * 1000)::bigint FROM inserted
"""


class Entry(NamedTuple):
    """A row to append. Its hand's next deadline is the earlier of `fresh` ms after it and the moment `fixed` (ms)."""

    hand: int
    seq: int
    seat: int
    body: str
    origin: int
    ref: str
    fresh: float | None
    fixed: float | None


def entry(after: Fold, row: Row) -> Entry:
    """`row` as an entry; `after` is the fold with it, folded at `folds.UNTIMED`.

    Questions opened by the row run from the moment it is committed; older ones keep their time.
    """
    fresh: list[int] = []
    fixed: list[int] = []
    for seat in range(after.players):
        if (due := after.due(seat)) is not None:
            (fresh if after.asked[seat] == UNTIMED else fixed).append(due)
    return Entry(
        after.setup.hand, row.seq, row.seat, row.body, row.origin, row.ref,
        min(fresh, default=None), min(fixed, default=None),
    )  # fmt: skip


def _columns(entries: Sequence[Entry]) -> list[list[object]]:
    return [list(column) for column in zip(*entries, strict=True)]


def append(item: Entry) -> int | None:
    """Append one row by Django's connection; its time in ms, or None if somebody else had its number first."""
    with connection.cursor() as cursor:
        cursor.execute(APPEND, _columns([item]))
        found = cursor.fetchone()
    return found[2] if found else None


class Writer:
    """The group-commit writer of one process: whatever came in since its last commit goes into one statement."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Entry, asyncio.Future[int | None]]] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connection: psycopg.AsyncConnection | None = None

    async def append(self, item: Entry) -> int | None:
        """Commit one row; its time in ms, or None if it lost the race. Raises OperationalError if the database is away.

        After a lost connection the outcome of a commit is unknown: the caller finds out by reading the log.
        """
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="log-writer")
        done: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        self._wake.set()
        return await done

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch, self._waiting = self._waiting, []
            if batch:
                await self._commit(batch)

    async def _commit(self, batch: list[tuple[Entry, asyncio.Future[int | None]]]) -> None:
        try:
            times = await self._execute([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait for their rows must hear of it
            await self._drop()
            if len(batch) > 1 and not isinstance(error, psycopg.OperationalError):
                for one in batch:  # a row the database refuses harms nobody but its sender
                    await self._commit([one])
                return
            log.warning("The log's writer lost its connection: %s", error.__class__.__name__)
            for _, done in batch:
                if not done.done():
                    done.set_exception(psycopg.OperationalError("the action log is out of reach"))
            return
        for item, done in batch:
            if not done.done():
                done.set_result(times.get((item.hand, item.seq)))

    async def _execute(self, entries: list[Entry]) -> dict[tuple[int, int], int]:
        if self._connection is None or self._connection.closed:
            params = connections["default"].get_connection_params()
            wanted = {k: v for k, v in params.items() if k not in ("cursor_factory", "context", "prepare_threshold")}
            self._connection = await psycopg.AsyncConnection.connect(**wanted, autocommit=True, prepare_threshold=1)
        cursor = await self._connection.execute(APPEND, _columns(entries))
        return {(hand, seq): at for hand, seq, at in await cursor.fetchall()}

    async def _drop(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        await self._drop()
