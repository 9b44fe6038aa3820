"""Telling the table: after a commit, this process's own sockets directly, every other process by one channel-layer message.

The channel layer may lose a message: live processes look after their rooms once a second (`rooms.hub`).
Messages carry log rows, ids and chat lines, never a hand's secret; each process redacts for its own seats.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import redis
from channels.layers import get_channel_layer

from rooms.fold import Row
from rooms.protocol import SaidFrame

log = logging.getLogger(__name__)

EVERYWHERE = 0  # the group of all live processes
PROCESS = uuid.uuid4().hex
_local: Callable[[dict[str, Any]], object] | None = None


def group(room: int) -> str:
    return f"room.{room}"


def listen(deliver: Callable[[dict[str, Any]], object] | None) -> None:
    """`deliver` (thread-safe) gets every message of this process; a live process sets it, workers do not."""
    global _local
    _local = deliver


def rows(room: int, hand: int, news: Sequence[Row]) -> None:
    publish({"type": "table.rows", "room": room, "hand": hand, "rows": [list(row) for row in news]})


def room_changed(room: int) -> None:
    """The room, or which hand it plays, is not what it was."""
    publish({"type": "table.room", "room": room})


def said(room: int, line: SaidFrame) -> None:
    publish({"type": "table.said", "room": room, "said": msgspec.to_builtins(line)})


def seat_taken(room: int, seat: int) -> None:
    """Somebody opened `seat` anew: every socket there but the newest gives way."""
    publish({"type": "table.seat", "room": room, "seat": seat})


def signed_out(user: int, session: str | None) -> None:
    """The user's sessions were ended (one, or all of them): their sockets close wherever they are."""
    publish({"type": "table.signed_out", "room": EVERYWHERE, "user": user, "session": session})


def publish(message: dict[str, Any]) -> None:
    """From any thread: to this process's sockets at once, to the other processes through the layer."""
    if _local is not None:
        _local(message)
    _sender.submit(message)


async def send(message: dict[str, Any]) -> None:
    """To the other processes. A failing layer is logged and made up for by the once-a-second look."""
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await layer.group_send(group(message["room"]), {**message, "from": PROCESS})
    except (redis.RedisError, OSError) as error:
        log.warning("channel layer: %s", error.__class__.__name__)


class _Sender:
    """An event loop in a thread of its own, so that synchronous code does not open a connection per message."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def submit(self, message: dict[str, Any]) -> None:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="broadcast", daemon=True).start()
        asyncio.run_coroutine_threadsafe(send(message), self._loop)


_sender = _Sender()
