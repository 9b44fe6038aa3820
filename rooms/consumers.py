"""The socket of one seat: a thin edge that decodes a frame, calls one service, and answers."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from typing import Any

import psycopg
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import Error as DatabaseFailure

from rooms import broadcast, presence, services
from rooms.errors import RoomError
from rooms.fold import SPECTATOR
from rooms.hub import Hub, hub
from rooms.live import LiveRoom
from rooms.models import Room, Seat
from rooms.passes import pass_of
from rooms.pool import orm
from rooms.protocol import (
    Ack,
    Act,
    AnyCommand,
    Auto,
    Dissolve,
    ErrorFrame,
    Kick,
    Leave,
    Ping,
    Pong,
    Ready,
    Say,
    Sync,
    Vote,
    decode,
    encode,
    frame_id,
)  # fmt: skip

log = logging.getLogger(__name__)

SIGNED_OUT, NO_SEAT, NO_ROOM = 4401, 4403, 4404
BURST, PER_SECOND = 120.0, 60.0
SAY_BURST, SAY_PER_SECOND = 5.0, 0.5


class Bucket:
    """A token bucket: `burst` at once, then `rate` a second."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class TableConsumer(AsyncWebsocketConsumer):
    """One player's socket at one room. The seat comes from the session, never from a frame."""

    # No per-socket channel: the process hears the layer once for all its sockets (`rooms.hub`).
    channel_layer_alias = "none per socket"

    live: LiveRoom | None = None
    watching = False
    hub: Hub
    seat: int
    name: str
    lang: str

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Channels hops to a thread after each message to close database connections; this one holds none (DESIGN 5.7)."""
        handler = getattr(self, message["type"].replace(".", "_"))
        try:
            await handler(message)
        except BaseException:  # also the end: Channels calls nothing more, and the room must not keep this socket
            await self._part()
            raise

    # -- coming and going --------------------------------------------------------------------------------------------

    async def connect(self) -> None:
        self.lang = _language(self.scope)
        self.name = uuid.uuid4().hex
        self.user = self.scope.get("user")
        self.frames, self.lines = Bucket(BURST, PER_SECOND), Bucket(SAY_BURST, SAY_PER_SECOND)
        await self.accept()
        if self.user is None or not self.user.is_authenticated:
            await self._refuse(RoomError("signed_out"), SIGNED_OUT)
            return
        code = self.scope["url_route"]["kwargs"]["code"]
        place = await orm(_find_place, code, self.user.pk)
        if place is None:
            await self._refuse(RoomError("not_seated"), NO_SEAT)
            return
        self.room_id, self.seat = place
        self.user_id = self.user.pk
        self.session = getattr(self.scope.get("session"), "session_key", None)
        self.entry = pass_of(self.user, self.session)
        self.hub = await hub()
        if self.seat != SPECTATOR:
            await orm(presence.arrive, self.room_id, self.seat, self.name)
        self.heard = time.monotonic()
        self.live = await self.hub.join(self.room_id, self)
        if self.seat != SPECTATOR:
            broadcast.seat_taken(self.room_id, self.seat)
            await self._shielded(self.live.set_away(self.seat, False))
            broadcast.room_changed(self.room_id)

    async def disconnect(self, code: int) -> None:
        await self._part()

    async def _part(self) -> None:
        """Leave the room, if we are in it, to the end, even if the server runs out of patience with us meanwhile."""
        if self.live is not None:
            live, self.live = self.live, None
            self.heard = 0.0
            await self._shielded(self._leave(live))

    async def _leave(self, live: LiveRoom) -> None:
        try:
            if self.seat != SPECTATOR and await orm(presence.depart, self.room_id, self.seat, self.name):
                await live.set_away(self.seat, True)
                broadcast.room_changed(self.room_id)
        except RoomError:  # the database is away; the look of whoever is still there will find the seat empty
            log.debug("nobody could be told that a seat is empty")
        finally:
            await self.hub.leave(live, self)

    async def _refuse(self, error: RoomError, code: int) -> None:
        await self._error(None, error)
        await self.close(code)

    async def push(self, text: str) -> None:
        """Send a text; a socket that is going away loses it without harm."""
        try:
            await self.base_send({"type": "websocket.send", "text": text})
        except RuntimeError:  # the server has closed it already; its disconnect is on the way
            log.debug("send after close")

    async def sign_out(self) -> None:
        await self._refuse(RoomError("signed_out"), SIGNED_OUT)

    async def lose_seat(self) -> None:
        await self._refuse(RoomError("not_seated"), NO_SEAT)

    async def give_way(self) -> None:
        """A newer socket has the seat: this one only watches its own view, until that one is gone."""
        if not self.watching:
            self.watching = True
            await self._error(None, RoomError("elsewhere"))

    # -- frames ------------------------------------------------------------------------------------------------------

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        if self.live is None:
            return
        self.heard = time.monotonic()
        text = message.get("text")
        try:
            if not self.frames.take():
                raise RoomError("too_fast")
            command = decode(text)
        except RoomError as error:
            await self._error(frame_id(text), error)
            return
        try:
            await self._do(command)
        except RoomError as error:
            await self._error(command.id, error)
            if error.code == "stale" and self.live is not None:
                await self.live.resync(self)
        except (DatabaseFailure, psycopg.Error):
            log.warning("database away while handling %s", type(command).__name__)
            await self._error(command.id, RoomError("busy"))

    async def _do(self, command: AnyCommand) -> None:
        live = self.live
        if live is None:
            return
        if isinstance(command, Ping):
            if self.seat != SPECTATOR:
                await self._stay(live)
            await self.push(encode(Pong(command.id, self.hub.now(), live.seen(self.seat))).decode())
            return
        if isinstance(command, Sync):
            await live.resync(self)
        elif self.seat == SPECTATOR:
            raise RoomError("not_seated")
        elif self.watching:
            raise RoomError("elsewhere")
        elif isinstance(command, Act):
            body = {key: value for key, value in _fields(command.action).items() if value is not None}
            await self._shielded(live.act(self.seat, command.ask, body, command.id))
        elif isinstance(command, Auto):
            await self._shielded(live.set_auto(self.seat, command.on, command.id))
        else:
            await orm(self._serve, command)
        await self.push(encode(Ack(command.id)).decode())

    async def _stay(self, live: LiveRoom) -> None:
        """Still there. Who watches has the seat again when the newer socket is gone; who missed that there is one hears of it."""
        if self.watching and self.seat in live.present():
            return
        mine = await orm(presence.stay, self.room_id, self.seat, self.name)
        if not mine:
            await self.give_way()
        elif self.watching:
            self.watching = False
            await live.resync(self)

    async def _shielded(self, work: Any) -> None:
        """Finish what may be committed already even if this socket is torn down meanwhile."""
        await asyncio.shield(self.hub.keep(work))

    def _serve(self, command: AnyCommand) -> None:
        """The commands that are a service of the room."""
        who = {"room_id": self.room_id, "user": self.user}
        if isinstance(command, Ready):
            services.set_ready(**who, nonce=command.nonce)
        elif isinstance(command, Leave):
            services.leave_room(**who, confirm=command.confirm)
        elif isinstance(command, Dissolve):
            services.ask_dissolve(**who)
        elif isinstance(command, Vote):
            services.vote(**who, agree=command.agree)
        elif isinstance(command, Kick):
            services.kick(**who, index=command.seat)
        elif isinstance(command, Say):
            self._say(command)

    def _say(self, command: Say) -> None:
        said = [(kind, body) for kind in ("text", "phrase", "emoji") if (body := getattr(command, kind)) is not None]
        if len(said) != 1 or not said[0][1].strip():
            raise RoomError("bad_say")
        if not self.lines.take():
            raise RoomError("too_fast")
        services.say(room_id=self.room_id, user=self.user, kind=said[0][0], body=said[0][1].strip())

    async def _error(self, ident: str | None, error: RoomError) -> None:
        await self.push(encode(ErrorFrame(ident, error.code, error.text(self.lang))).decode())


def _fields(body: Any) -> dict[str, Any]:
    return {name: getattr(body, name) for name in body.__struct_fields__}


def _find_place(code: str, user: int) -> tuple[int, int] | None:
    """(room, seat) for the newest room under `code` in which the user sits (a closed one still shows its result), or
    (room, SPECTATOR) for an open one that lets strangers watch."""
    seat = Seat.objects.filter(user_id=user, room__code=code).order_by("-room_id").first()
    if seat is not None:
        return seat.room_id, seat.index
    watched = Room.objects.filter(code=code, status__in=Room.OPEN).exclude(spectators="none").first()
    return (watched.pk, SPECTATOR) if watched is not None else None


def _language(scope: dict[str, Any]) -> str:
    """The page's language: the cookie Django sets, else Chinese."""
    return scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME, settings.LANGUAGE_CODE)
