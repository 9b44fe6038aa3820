"""What a live process has once: its rooms, its log writer, its ear on the channel layer, its once-a-second look, its clock."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine
from typing import Any

import msgspec
import redis
from channels.layers import get_channel_layer

from rooms import broadcast, clock, overdue, passes, presence, records, services, snapshot
from rooms import log as door
from rooms.errors import RoomError
from rooms.fold import Row
from rooms.live import LiveRoom, Socket
from rooms.pool import orm
from rooms.protocol import SaidFrame

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
LOOKS_PER_CHECK = 3  # of the sockets' sessions
LAYER_SECONDS = 1.0  # how long anybody waits for the channel layer
OUTAGE_MS = 2_500


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
        self._alone = False
        self._looks = 0
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
        """The other processes; nobody waits for it. A process that was alone a second ago says nothing to nobody; one that
        has just come finds what it missed by its own look.
        """
        if not self._alone:
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
            await orm(records.pulse, "web")  # giving back takes seconds with a thousand hands: they are no outage
        found = await orm(snapshot.look, [live.room for live in rooms], _hands(rooms))
        self.saw(found.now)
        self._alone = await orm(presence.live_processes, broadcast.PROCESS, found.now) == 1
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
        self._looks += 1
        if self._looks % LOOKS_PER_CHECK == 0:
            await self._check_passes(rooms)
        if self._rescue is None or self._rescue.done():
            calls = [
                call
                for live in rooms
                if live.frame is not None
                for call in overdue.overdue(live.room, live.frame.room, live.fold, found.now)
            ]
            if calls:
                self._rescue = self.keep(orm(overdue.answer, calls[: overdue.AT_ONCE]))

    async def _check_passes(self, rooms: list[LiveRoom]) -> None:
        """Close the sockets whose session has ended, whether or not a message said so."""
        sockets = [socket for live in rooms for socket in live.sockets]
        ended = await orm(passes.ended, [socket.entry for socket in sockets])
        for socket in sockets:
            if socket.entry in ended:
                await socket.sign_out()


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
