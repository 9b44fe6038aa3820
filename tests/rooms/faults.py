"""What the tests of faults share: a hand that runs, a socket in this process, a hub of the test's own."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import ANY

import msgspec
import pytest
from asgiref.sync import sync_to_async

from liuzhou.accounts.models import User
from liuzhou.rules import engine
from rooms import broadcast, clock, records, services, table
from rooms import fold as folds
from rooms import hub as hubs
from rooms.fold import Fold
from rooms.hub import Hub
from rooms.models import Hand, Room
from rooms.passes import Pass
from tests.rooms.test_services import running

HOUR = 3_600_000


def open_hand(cast: list[User]) -> tuple[Room, Hand]:
    room = running(cast)
    return room, room.hands.get(state="running")


def next_one(room: Room, cast: list[User]) -> Hand:
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    return room.hands.get(state="running")


def body(fold: Fold, seat: int, pick: int = 0) -> dict[str, Any]:
    return msgspec.json.decode(folds.body_of(engine.legal_actions(fold.state, seat)[pick]))


def make_late(hand: Hand) -> None:
    """Begin the hand so long ago that its first question has just been due for 1.1 s."""
    past = records.database_now() - clock.TURN_MS - clock.RESERVE_MS - 1_100
    Hand.objects.filter(pk=hand.pk).update(started_at=records.moment(past))
    table.cache.forget(hand.pk)


class Ear:
    """A socket of the live side, in this process."""

    user_id, session = ANY, None  # whoever sits on the seat
    watching = False
    entry = Pass(0, None, "", None)

    def __init__(self, seat: int) -> None:
        self.seat, self.name, self.heard = seat, f"ear {seat}", time.monotonic()
        self.frames: list[dict[str, Any]] = []

    async def push(self, text: str) -> None:
        self.frames.append(json.loads(text))

    async def give_way(self) -> None:
        self.frames.append({"on": "gave way"})

    async def lose_seat(self) -> None:
        self.frames.append({"on": "lost seat"})

    async def sign_out(self) -> None:
        self.frames.append({"on": "signed out"})


@pytest.fixture
async def hub(real_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    """A hub of this test's own that looks only when told to."""
    monkeypatch.setattr(hubs, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(hubs, "LOOKS_PER_CHECK", 10**9)
    made = Hub()
    await made.ready()
    await sync_to_async(records.pulse)("web")  # or the first look gives back the time since another test's last one
    yield made
    for task in list(made._tasks):
        task.cancel()
    await made.writer.close()
    broadcast.listen(None)
