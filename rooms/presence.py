"""Who is there: a key per seat in Valkey that its socket keeps alive and that runs out by itself after a kill -9.

Nobody waits for a Valkey that is down or hangs: an answer comes soon or not at all, and after a failure Valkey is left
alone for a moment. Whoever asks has a thread of a small pool, which the tables need too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeVar, cast

import redis
from django.conf import settings

T = TypeVar("T")

ALIVE_SECONDS = 10
PROCESSES = "live-processes"
PROCESS_MS = 5_000
PATIENCE_SECONDS = 0.5
REST_SECONDS = 2.0
TRUSTED_SECONDS = 20
SINCE = "here-since"
_resting_until = 0.0


@cache
def client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        max_connections=64,
        decode_responses=True,
        socket_timeout=PATIENCE_SECONDS,
        socket_connect_timeout=PATIENCE_SECONDS,
    )


def _ask(call: Callable[[redis.Redis], T], otherwise: T) -> T:
    """What Valkey answers, or `otherwise` if it does not: its outage must not keep anybody from playing."""
    global _resting_until
    if time.monotonic() < _resting_until:
        return otherwise
    try:
        return call(client())
    except redis.RedisError:
        _resting_until = time.monotonic() + REST_SECONDS
        return otherwise


def key(room: int, seat: int) -> str:
    return f"here:{room}:{seat}"


def arrive(room: int, seat: int, socket: str) -> None:
    """`socket` is the seat's newest socket, and so its owner."""
    _ask(lambda valkey: valkey.set(key(room, seat), socket, ex=ALIVE_SECONDS), None)


def stay(room: int, seat: int, socket: str) -> bool:
    """`socket` is still there; it does not take the seat back from a newer one. Whether the seat is its own."""
    if holder(room, seat) in (None, socket):
        arrive(room, seat, socket)
        return True
    return False


def restore(places: Iterable[tuple[int, int, str]]) -> None:
    """Enter (room, seat, socket) again where Valkey has lost its keys; a newer socket keeps its seat."""

    def enter(valkey: redis.Redis) -> None:
        with valkey.pipeline(transaction=False) as pipe:
            for room, seat, socket in places:
                pipe.set(key(room, seat), socket, ex=ALIVE_SECONDS, nx=True)
            pipe.execute()

    _ask(enter, None)


def holder(room: int, seat: int) -> str | None:
    """The seat's newest socket, or None if nobody is there (or Valkey does not say)."""
    return _ask(lambda valkey: cast("str | None", valkey.get(key(room, seat))), None)


def _values(keys: list[str]) -> list[str | None] | None:
    return _ask(lambda valkey: cast("list[str | None] | None", valkey.mget(keys)), None) if keys else []


def online(room: int, seats: Sequence[int]) -> set[int]:
    """The seats with a live socket. If Valkey is away everybody counts as there: an outage must not look like a desertion."""
    found = _values([key(room, seat) for seat in seats])
    if found is None:
        return set(seats)
    return {seat for seat, socket in zip(seats, found, strict=True) if socket}


def online_in(rooms: Sequence[int]) -> dict[int, set[int]]:
    """For each room the seats with a live socket, of four."""
    keys = [key(room, seat) for room in rooms for seat in range(4)]
    found = _values(keys)
    if found is None:
        return {room: set(range(4)) for room in rooms}
    there = dict(zip(keys, found, strict=True))
    return {room: {seat for seat in range(4) if there[key(room, seat)]} for room in rooms}


def trusted() -> bool:
    """Whether Valkey has kept its keys so long that who is not among them is not there: not just after it lost them."""

    def known(valkey: redis.Redis) -> bool:
        now = int(valkey.time()[0])
        valkey.set(SINCE, now, nx=True)
        return now - int(cast("str", valkey.get(SINCE)) or now) >= TRUSTED_SECONDS

    return _ask(known, False)


def depart(room: int, seat: int, socket: str) -> bool:
    """`socket` is gone; True if it was the seat's newest, so that the seat is now empty."""
    if holder(room, seat) != socket:
        return False
    _ask(lambda valkey: valkey.delete(key(room, seat)), None)
    return True


def live_processes(process: str, now: int) -> int:
    """Say that `process` serves sockets at `now` (the database's time, ms); how many have said so lately, itself included.

    0 when Valkey does not answer: then nobody knows."""

    def told(valkey: redis.Redis) -> int:
        with valkey.pipeline() as pipe:
            pipe.zadd(PROCESSES, {process: now})
            pipe.zremrangebyscore(PROCESSES, "-inf", now - PROCESS_MS)
            pipe.zcard(PROCESSES)
            return int(pipe.execute()[-1])

    return _ask(told, 0)
