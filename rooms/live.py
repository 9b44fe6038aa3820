"""The live side of one process: its sockets by room, the folds they have been told of, and the actions they send.

The one invariant: every socket of a room has been sent exactly what led to the room's fold here. Whatever moves the
fold — an own commit, another process's message, a look into the log — goes through `LiveRoom._advance`, which sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import msgspec
import psycopg
import redis
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import DatabaseError, close_old_connections

from rooms import broadcast, clock, overdue, presence, records, services, settlement, snapshot, table
from rooms import fold as folds
from rooms import log as door
from rooms.errors import RoomError
from rooms.fold import HOUSE, PLAYER, SPECTATOR, Fold, Outgoing, Row
from rooms.frames import ask_name, clock_of, frames, question_of
from rooms.gallery import Gallery, discards
from rooms.models import Room
from rooms.protocol import RoomFrame, SaidFrame, SettledFrame, SyncFrame, encode

log = logging.getLogger(__name__)
T = TypeVar("T")

RETRIES = 6
LOOK_SECONDS = 1.0
LAYER_SECONDS = 1.0  # how long anybody waits for the channel layer
MISSED_LOOKS = 3  # so often a seat must be found empty: Valkey may have lost its keys
OUTAGE_MS = 2_500
_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="orm")


async def orm(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run a synchronous service in the bounded pool; its threads keep their own database connections."""

    def call() -> T:
        close_old_connections()
        return function(*args, **kwargs)

    return await sync_to_async(call, thread_sensitive=False, executor=_pool)()


class Socket(Protocol):
    """What a room knows of a socket: its seat, when it was last heard of (monotonic), and how to send it a text."""

    seat: int
    user_id: int
    session: str | None
    name: str
    heard: float

    async def push(self, text: str) -> None: ...

    async def give_way(self) -> None: ...

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

    async def _sync(self, socket: Socket) -> None:
        said = await orm(lambda: snapshot.said_frames(Room.objects.get(pk=self.room)))
        await socket.push(encode(self._sync_frame(socket.seat, said)).decode())

    def _sync_frame(self, seat: int, said: list[SaidFrame]) -> SyncFrame:
        fold = self.gallery.shown if seat == SPECTATOR else self.fold
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
            settled=self.settled,
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
        return {socket.seat: socket for socket in self.sockets if socket.seat != SPECTATOR and socket.heard > since}

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
        frame, fold, settled = await orm(_load, self.room, self.fold)
        same = (fold.setup.hand if fold else None) == (self.fold.setup.hand if self.fold else None)
        self.frame = frame
        if same:
            await self._catch_up()
        else:
            self.fold = fold
            self.gallery.begin(fold, delayed=await orm(_is_delayed, self.room))
        if settled is not None and (self.settled is None or self.settled.hand != settled.hand):
            self.settled = settled
            await self._all(encode(settled).decode())
        if not same:
            for socket in list(self.sockets):
                await self._sync(socket)

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


def _is_delayed(room_id: int) -> bool:
    return Room.objects.filter(pk=room_id, spectators="delayed").exists()


def _load(room_id: int, known: Fold | None) -> tuple[RoomFrame, Fold | None, SettledFrame | None]:
    """The room's frame, the fold of the hand it plays or last played, and its last settlement."""
    room = Room.objects.get(pk=room_id)
    frame = snapshot.room_frame(room)
    last = room.hands.exclude(started_at=None).order_by("-number").first()
    fold = None
    if last is not None:
        fold = known if known is not None and known.setup.hand == last.pk else table.cache.current(last.pk)
    done = snapshot.last_settled(room)
    settled = snapshot.settled_frame(done, 0, snapshot.totals_after(room, done.number)) if done else None
    return frame, fold, settled


class Hub:
    """All live rooms of this process, its writer, and its ear on the channel layer."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.rooms: dict[int, LiveRoom] = {}
        self.writer = door.Writer()
        self._offset: float | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._channel: str | None = None
        self._rescue: asyncio.Task[None] | None = None
        broadcast.listen(lambda message: self.loop.call_soon_threadsafe(self.hear, message))
        self.keep(self._listen())
        self.keep(self._look())

    # The database's clock decides; between two samples of it the process's monotonic clock carries it on.
    def saw(self, at: int) -> None:
        """A time just read from the database, ms."""
        offset = at - time.monotonic() * 1000
        self._offset = offset if self._offset is None else max(offset, self._offset - 5)

    def now(self) -> int:
        """The database's time, ms."""
        return round(time.monotonic() * 1000 + (self._offset or 0))

    async def ready(self) -> None:
        if self._offset is None:
            self.saw(await orm(records.database_now))

    def keep(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None and not isinstance(task.exception(), RoomError):
            log.error("live task failed", exc_info=task.exception())

    def tell(self, message: dict[str, Any]) -> None:
        """The other processes; nobody waits for it."""
        self.keep(broadcast.send(message))

    async def room(self, room: int) -> LiveRoom:
        live = self.rooms.get(room)
        if live is None:
            live = self.rooms[room] = LiveRoom(self, room)
            await self._group("group_add", room)
        return live

    async def join(self, room: int, socket: Socket) -> LiveRoom:
        """The room with `socket` in it."""
        while True:
            live = await self.room(room)
            try:
                if await live.join(socket):
                    return live
            except BaseException:
                self.keep(self.leave(live, socket))  # nobody stays behind half-way, not even an empty room
                raise

    async def leave(self, live: LiveRoom, socket: Socket) -> None:
        if socket in live.sockets:
            live.sockets.remove(socket)  # at once: nothing more is sent to it, whoever holds the lock
        async with live.lock:
            if live.sockets or self.rooms.get(live.room) is not live:
                return
            del self.rooms[live.room]
        await self._group("group_discard", live.room)

    async def _group(self, verb: str, room: int) -> None:
        """Join or leave the room's group. A layer that fails or hangs is made up for by the once-a-second look."""
        layer = get_channel_layer()
        if layer is None or self._channel is None:
            return
        with contextlib.suppress(redis.RedisError, OSError, RuntimeError):
            async with asyncio.timeout(LAYER_SECONDS):
                await getattr(layer, verb)(broadcast.group(room), self._channel)

    def hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "table.signed_out":
            self.keep(self._sign_out(message["user"], message["session"]))
            return
        live = self.rooms.get(message["room"])
        if live is None:
            return
        if message["type"] == "table.rows":
            self.keep(live.hear_rows(message["hand"], [Row(*row) for row in message["rows"]]))
        elif message["type"] == "table.room":
            self.keep(live.hear_room())
        elif message["type"] == "table.said":
            self.keep(live.hear_said(msgspec.convert(message["said"], SaidFrame)))
        elif message["type"] == "table.seat":
            self.keep(live.hear_seat(message["seat"]))

    async def _sign_out(self, user: int, session: str | None) -> None:
        """Close the sockets of a user whose sessions were ended; of one session if it is named."""
        for live in list(self.rooms.values()):
            for socket in list(live.sockets):
                if socket.user_id == user and session in (None, socket.session):
                    await socket.sign_out()

    async def _listen(self) -> None:
        """Take the other processes' messages; after any failure of the layer join everything anew."""
        while True:
            try:
                layer = get_channel_layer()
                if layer is None:
                    return
                self._channel = await layer.new_channel()
                for room in (broadcast.EVERYWHERE, *self.rooms):
                    await self._group("group_add", room)
                while True:
                    message = await layer.receive(self._channel)
                    if message.get("from") != broadcast.PROCESS:
                        self.hear(message)
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever the layer's client raises: log it and begin again
                log.warning("channel layer: %s; listening again", error.__class__.__name__)
                await asyncio.sleep(1)

    async def _look(self) -> None:
        """Once a second hold every live room against the database: what the layer lost is found here. Never ends."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            rooms = [live for live in self.rooms.values() if live.frame is not None]
            try:
                await self._look_at(rooms)
            except Exception as error:  # noqa: BLE001 - the last thing that heals must outlive whatever happens
                log.warning("look: %s", error.__class__.__name__)

    async def _look_at(self, rooms: list[LiveRoom]) -> None:
        gap = await orm(records.pulse, "web")
        if gap > OUTAGE_MS:
            await orm(services.give_back_all, min(gap, clock.GRACE_MS))
        found = await orm(snapshot.look, [live.room for live in rooms], _hands(rooms))
        self.saw(found.now)
        lost = []
        for live in rooms:
            if live.room not in found.versions:
                continue
            here = live.present()
            lost += [(live.room, seat, here[seat].name) for seat in here.keys() - found.online[live.room]]
            head = found.heads.get(live.fold.setup.hand if live.fold else 0)
            try:
                await live.look(head, found.versions[live.room], found.online[live.room] | here.keys())
            except Exception as error:  # noqa: BLE001 - one room's trouble is no other's
                log.warning("look at room %s: %s", live.room, error.__class__.__name__)
        if lost:
            await orm(presence.restore, lost)
        if self._rescue is None or self._rescue.done():
            calls = [
                call
                for live in rooms
                if live.frame is not None
                for call in overdue.overdue(live.room, live.frame.room, live.fold, found.now)
            ]
            if calls:
                self._rescue = self.keep(orm(overdue.answer, calls[: overdue.AT_ONCE]))


def _hands(rooms: list[LiveRoom]) -> list[int]:
    return [live.fold.setup.hand for live in rooms if live.fold is not None]


_hub: Hub | None = None


async def hub() -> Hub:
    """This process's hub; made anew if the event loop is another one (tests)."""
    global _hub
    if _hub is None or _hub.loop is not asyncio.get_running_loop():
        _hub = Hub()
    await _hub.ready()
    return _hub
