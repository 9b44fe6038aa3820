"""Who is there: a key per seat in Valkey that its socket keeps alive and that runs out by itself after a kill -9."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cache
from typing import cast

import redis
from django.conf import settings

ALIVE_SECONDS = 10


@cache
def client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, max_connections=64, decode_responses=True)


def key(room: int, seat: int) -> str:
    return f"here:{room}:{seat}"


def arrive(room: int, seat: int, socket: str) -> None:
    """`socket` is the seat's newest socket, and so its owner."""
    with contextlib.suppress(redis.RedisError):  # an outage of Valkey must not keep anybody from playing
        client().set(key(room, seat), socket, ex=ALIVE_SECONDS)


def stay(room: int, seat: int, socket: str) -> None:
    """`socket` is still there; it does not take the seat back from a newer one."""
    with contextlib.suppress(redis.RedisError):
        if holder(room, seat) in (None, socket):
            arrive(room, seat, socket)


def holder(room: int, seat: int) -> str | None:
    """The seat's newest socket, or None if nobody is there (or Valkey does not say)."""
    try:
        return cast("str | None", client().get(key(room, seat)))
    except redis.RedisError:
        return None


def online(room: int, seats: Sequence[int]) -> set[int]:
    """The seats with a live socket. If Valkey is away everybody counts as there: an outage must not look like a desertion."""
    if not seats:
        return set()
    try:
        found = client().mget([key(room, seat) for seat in seats])
    except redis.RedisError:
        return set(seats)
    return {seat for seat, socket in zip(seats, found, strict=True) if socket}


def online_in(rooms: Sequence[int]) -> dict[int, set[int]]:
    """For each room the seats with a live socket, of four."""
    keys = [key(room, seat) for room in rooms for seat in range(4)]
    try:
        found = client().mget(keys) if keys else []
    except redis.RedisError:
        return {room: set(range(4)) for room in rooms}
    there = dict(zip(keys, found, strict=True))
    return {room: {seat for seat in range(4) if there[key(room, seat)]} for room in rooms}


def depart(room: int, seat: int, socket: str) -> bool:
    """`socket` is gone; True if it was the seat's newest, so that the seat is now empty."""
    if holder(room, seat) != socket:
        return False
    with contextlib.suppress(redis.RedisError):
        client().delete(key(room, seat))
    return True
