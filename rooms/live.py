"""One room in one live process: its sockets, the fold they have been told of, and the actions they send.

The one invariant: every socket of a room has been sent exactly what led to the room's fold here. Whatever moves the
fold — an own commit, another process's message, a look into the log — goes through `LiveRoom._advance`, which sends.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
from django.db import DatabaseError

from rooms import fold as folds
from rooms import log as door
from rooms import presence, records, settlement, snapshot, table
from rooms.errors import RoomError
from rooms.fold import HOUSE, PLAYER, SPECTATOR, Fold, Outgoing, Row
from rooms.frames import ask_name, clock_of, frames, question_of
from rooms.gallery import Gallery, discards
from rooms.passes import Pass
from rooms.pool import orm
from rooms.protocol import RoomFrame, SaidFrame, SettledFrame, SyncFrame, encode
from rooms.snapshot import RoomState

if TYPE_CHECKING:
    from rooms.hub import Hub

log = logging.getLogger(__name__)

RETRIES = 6
MISSED_LOOKS = 3  # so often a seat must be found empty: Valkey may have lost its keys


class Socket(Protocol):
    """What a room knows of a socket: its seat, when it was last heard of (monotonic), and how to send it a text. One that is
    `watching` has given its seat to a newer socket of the same player."""

    seat: int
    watching: bool
    user_id: int
    session: str | None
    entry: Pass
    name: str
    heard: float

    async def push(self, text: str) -> None: ...

    async def give_way(self) -> None: ...

    async def lose_seat(self) -> None: ...

    async def sign_out(self) -> None: ...


class LiveRoom:
    """One room in this process."""

    def __init__(self, hub: Hub, room: int) -> None:
        self.hub, self.room = hub, room
        self.lock = asyncio.Lock()
        self.sockets: list[Socket] = []
        self.fold: Fold | None = None
        self.frame: RoomFrame | None = None
        self.settled: SettledFrame | None = None
        self.newcomers: frozenset[int] = frozenset()
        self.gallery = Gallery()
        self._missed: dict[int, int] = {}
        self._reading_due = False

    # -- joining ---------------------------------------------------------------------------------------------------

    async def join(self, socket: Socket) -> bool:
        """Take the socket in. False if this room was given up by its last socket in the meantime: ask for it again."""
        async with self.lock:
            if self.hub.rooms.get(self.room) is not self:
                return False
            await self._refresh()
            self.sockets.append(socket)
            await self._sync(socket)
            return True

    async def resync(self, socket: Socket) -> None:
        async with self.lock:
            await self._catch_up()
            await self._sync(socket)

    async def _sync(self, *sockets: Socket) -> None:
        said = await orm(snapshot.said_frames, self.room)
        for socket in sockets:
            await socket.push(encode(self._sync_frame(socket, said)).decode())

    def _sync_frame(self, socket: Socket, said: list[SaidFrame]) -> SyncFrame:
        seat = socket.seat
        fold = self.gallery.shown if seat == SPECTATOR else self.fold
        if seat in self.newcomers:
            fold = None  # the hand before was not theirs
        return SyncFrame(
            seq=fold.seen[seat] if fold else 0,
            hand=fold.setup.hand if fold else None,
            you=None if seat == SPECTATOR else seat,
            now=self.hub.now(),
            room=self._room().room,
            view=fold.view(seat) if fold else None,
            clock=clock_of(fold) if fold else None,
            ask=question_of(fold, seat) if fold else None,
            said=said,
            settled=None if seat in self.newcomers else self.settled,
            watching=socket.watching,
        )

    def seen(self, seat: int) -> int:
        """How many of the hand's events `seat` has been sent."""
        fold = self.gallery.shown if seat == SPECTATOR else self.fold
        return fold.seen[seat] if fold else 0

    # -- acting ----------------------------------------------------------------------------------------------------

    async def act(self, seat: int, ask: str, body: dict[str, Any], ref: str) -> None:
        """Play `body` for `seat` as the answer to its question `ask`. Returns once it is committed.

        A repeated `ref` is acknowledged and has no second effect.
        """
        await self._commit(seat, body, ref, ask)

    async def set_auto(self, seat: int, on: bool, ref: str) -> None:
        """托管 on or off for the running hand."""
        await self._commit(seat, {"do": "auto", "on": on}, ref, None)

    async def _commit(self, seat: int, body: dict[str, Any], ref: str, ask: str | None) -> None:
        async with self.lock:
            for _ in range(RETRIES):
                fold = self.fold
                if fold is None:
                    raise RoomError("no_hand")
                if ref in fold.refs[seat]:
                    return
                if ask is not None and (fold.asks[seat] is None or ask_name(fold, fold.asks[seat]) != ask):
                    raise RoomError("stale")
                if ask is None and fold.autos[seat] == body["on"]:
                    return
                tried = table.attempt(fold, seat, body, origin=PLAYER, now=self.hub.now(), ref=ref)
                if await self._settle_row(tried):
                    return
            raise RoomError("busy")

    async def _settle_row(self, tried: table.Attempt) -> bool:
        """Commit, then tell everybody. False if somebody else's row was first: the log has been read, think again."""
        if (at := await self._through(tried)) is None:
            await self._catch_up()
            return False
        self.hub.saw(at)
        row, after = tried.at(at)
        await self._advance(after, tried.outgoing)
        hand = after.setup.hand
        self.hub.tell({"type": "table.rows", "room": self.room, "hand": hand, "rows": [list(row)]})
        if tried.settles:
            await self._refresh()
            await self._send_room()
            self.hub.tell({"type": "table.room", "room": self.room})
        return True

    async def _through(self, tried: table.Attempt) -> int | None:
        try:
            if tried.settles:
                return await orm(settlement.finish, tried.after, tried.row)
            return await self.hub.writer.append(door.entry(tried.after, tried.row))
        except (DatabaseError, psycopg.Error) as error:
            raise RoomError("busy") from error

    # -- hearing ---------------------------------------------------------------------------------------------------

    async def set_away(self, seat: int, away: bool) -> None:
        """`seat` lost its last socket or has one again: kept in the log, because its clock depends on it."""
        async with self.lock:
            for _ in range(RETRIES):
                fold = self.fold
                if fold is None or not fold.running or fold.away[seat] == away:
                    return
                body = {"do": "away", "on": away}
                tried = table.attempt(fold, seat, body, origin=HOUSE, now=self.hub.now())
                if await self._settle_row(tried):
                    return

    async def hear_rows(self, hand: int, news: Sequence[Row]) -> None:
        """Rows committed elsewhere. Whatever is missing before them is read from the log."""
        async with self.lock:
            fold = self.fold
            if fold is None or fold.setup.hand != hand:
                await self._refresh()
                return
            fresh = [row for row in news if row.seq > fold.seq]
            if fresh and fresh[0].seq != fold.seq + 1:
                await self._catch_up()
            else:
                await self._fold_in(fresh)

    async def hear_room(self) -> None:
        """The room changed: another hand, seats, scores. While one reading waits for its turn, no other needs to."""
        if self._reading_due:
            return
        self._reading_due = True
        try:
            await self.lock.acquire()
        finally:
            self._reading_due = False
        try:
            await self._refresh()
            await self._send_room()
        finally:
            self.lock.release()

    async def hear_said(self, line: SaidFrame) -> None:
        await self._all(encode(line).decode())

    async def hear_seat(self, seat: int) -> None:
        """A newer socket sits on `seat` (他处登录): older ones give way. Valkey knows which is the newest."""
        newest = await orm(presence.holder, self.room, seat)
        for socket in list(self.sockets):
            if newest is not None and socket.seat == seat and socket.name != newest:
                await socket.give_way()

    async def look(self, head: records.Head | None, version: int, online: set[int]) -> None:
        """Once a second: make up for what the channel layer lost, and show who came and went."""
        for seat in self._people():
            self._missed[seat] = 0 if seat in online else self._missed.get(seat, 0) + 1
            gone = self._missed[seat] >= MISSED_LOOKS
            if (seat in online or gone) and self.fold is not None and self.fold.running:
                await self.set_away(seat, gone)
        stale_room = self.frame is None or self.frame.seq != version or self._online() != online
        behind = self.fold is not None and head is not None and head.seq > self.fold.seq
        if not (stale_room or behind):
            return
        async with self.lock:
            await self._catch_up()
            if stale_room:
                await self._refresh()
                await self._send_room()

    def present(self) -> dict[int, Socket]:
        """The seats whose sockets here have been heard of lately: they are there, whatever Valkey knows."""
        since = time.monotonic() - presence.ALIVE_SECONDS
        mine = (socket for socket in self.sockets if socket.seat != SPECTATOR and not socket.watching)
        return {socket.seat: socket for socket in mine if socket.heard > since}

    def _people(self) -> list[int]:
        seats = self.frame.room.seats if self.frame else []
        return [seat.seat for seat in seats if seat and not seat.bot]

    def _online(self) -> set[int]:
        seats = self.frame.room.seats if self.frame else []
        return {seat.seat for seat in seats if seat and seat.online and not seat.bot}

    # -- the fold and the frames -----------------------------------------------------------------------------------

    async def _catch_up(self) -> None:
        if self.fold is not None:
            await self._fold_in(await orm(records.rows_after, self.fold.setup.hand, self.fold.seq))

    async def _fold_in(self, news: Sequence[Row]) -> None:
        for row in news:
            if self.fold is None:
                return
            self.hub.saw(row.at)
            after, outgoing = folds.step(self.fold, row)
            await self._advance(after, outgoing)

    async def _advance(self, after: Fold, outgoing: dict[int, Outgoing]) -> None:
        self.fold = after
        table.cache.keep(after)
        now = self.hub.now()
        texts = {
            seat: [encode(frame).decode() for frame in frames(after, seat, sent, now)]
            for seat, sent in outgoing.items()
        }
        texts[SPECTATOR] = self.gallery.show(after, texts.get(SPECTATOR, []), discards(outgoing))
        for socket in list(self.sockets):
            for text in texts.get(socket.seat, ()):
                await socket.push(text)

    async def _refresh(self) -> None:
        """Read the room again; a settlement not told yet is told, another hand than we know is taken up and synced."""
        state, fold = await orm(_load, self.room, self.fold, self.settled)
        same = (fold.setup.hand if fold else None) == (self.fold.setup.hand if self.fold else None)
        self.frame, self.newcomers = state.frame, state.newcomers
        await self._part_from_strangers(state.holders)
        if same:
            if self.fold is not None and self.fold.running:  # a closed log grows no more
                await self._catch_up()
        else:
            self.fold = fold
            self.gallery.begin(fold, delayed=state.delayed)
        if state.settled is not None and (self.settled is None or self.settled.hand != state.settled.hand):
            self.settled = state.settled
            await self._all(encode(state.settled).decode())
        if not same:
            await self._sync(*self.sockets)

    async def _part_from_strangers(self, holders: dict[int, int | None]) -> None:
        """A socket whose player has given up the seat, or was taken from it, hears no more of what the seat may know."""
        for socket in list(self.sockets):
            if socket.seat != SPECTATOR and holders.get(socket.seat) != socket.user_id:
                self.sockets.remove(socket)
                await socket.lose_seat()

    async def _send_room(self) -> None:
        await self._all(encode(self._room()).decode())

    def _room(self) -> RoomFrame:
        """The room's frame, with 托管 as it is in the running hand."""
        if self.frame is None:
            raise RuntimeError("the room has not been read yet")
        if self.fold is not None and self.fold.running:
            for seat in self.frame.room.seats:
                if seat is not None:
                    seat.auto = self.fold.autos[seat.seat]
        return self.frame

    async def _all(self, text: str) -> None:
        for socket in list(self.sockets):
            await socket.push(text)


def _load(room: int, known: Fold | None, told: SettledFrame | None) -> tuple[RoomState, Fold | None]:
    """The room, and the fold of the hand it plays or last played."""
    state = snapshot.read(room, told)
    if state.hand is None or (known is not None and known.setup.hand == state.hand):
        return state, known if state.hand is not None else None
    return state, table.cache.current(state.hand)
