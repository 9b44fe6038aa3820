"""Guessing room codes is made pointless: ten misses in ten minutes, by player and by address, and one has to wait."""

from __future__ import annotations

import contextlib

import redis

from rooms.errors import RoomError
from rooms.presence import client
from rooms.seating import hashed

MISSES = 10
MINUTES = 10


def _keys(user: int, address: str) -> list[str]:
    return [f"misses:user:{user}", *([f"misses:address:{hashed(address)}"] if address else [])]


def check(*, user: int, address: str) -> None:
    """Refuse whoever has missed too often lately. Without Valkey nobody is refused: joining must not hang on it."""
    try:
        counts = client().mget(_keys(user, address))
    except redis.RedisError:
        return
    if any(int(count or 0) >= MISSES for count in counts):
        raise RoomError("too_many_misses", minutes=MINUTES)


def note(*, user: int, address: str) -> None:
    """One more miss; the count ends ten minutes after the first."""
    with contextlib.suppress(redis.RedisError), client().pipeline() as pipe:
        for key in _keys(user, address):
            pipe.incr(key)
            pipe.expire(key, MINUTES * 60, nx=True)
        pipe.execute()
