"""The live side heals itself: lost messages, a look that fails, sockets that come and go, a Valkey that hangs or forgets."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async

from liuzhou.accounts.models import User
from rooms import hub as hubs
from rooms import live, overdue, presence, records, services, snapshot, table
from rooms.errors import RoomError
from rooms.fold import PLAYER
from rooms.hub import Hub
from rooms.models import Action, Hand
from tests.rooms.faults import Ear, body, hub, make_late, open_hand

__all__ = ["hub"]  # a fixture


# -- the live side heals itself --------------------------------------------------------------------------------------------


async def test_the_look_outlives_whatever_goes_wrong_in_it(
    cast: list[User], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, _ = await sync_to_async(open_hand)(cast)
    ear = Ear(0)
    await hub.join(room.pk, ear)
    looks = []

    async def look_at(rooms: list[live.LiveRoom]) -> None:
        looks.append(len(rooms))
        raise [RoomError("busy"), ValueError("x"), psycopg.InterfaceError("closed")][len(looks) % 3]

    monkeypatch.setattr(hubs, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(hub, "_look_at", look_at)
    looking = asyncio.create_task(hub._look())
    await asyncio.sleep(0.2)
    assert len(looks) > 3
    assert not looking.done()
    looking.cancel()


async def test_one_rooms_trouble_in_the_look_is_no_others(
    cast: list[User], make_user: Callable[[str], User], hub: Hub
) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    practice = await sync_to_async(services.create_practice)(user=cast[4], options={"fish": "none"})
    broken, ear = await hub.join(practice.pk, Ear(0)), Ear(0)
    whole = await hub.join(room.pk, ear)

    async def fail(*_: object) -> None:
        raise RoomError("busy")

    broken.look = fail  # type: ignore[method-assign]
    fold = await sync_to_async(records.load)(hand.pk)
    seat = fold.state.turn
    tried = table.attempt(fold, seat, body(fold, seat), origin=PLAYER, now=0)
    await sync_to_async(table.commit)(tried)  # and nobody is told: the layer has lost it
    await hub._look_at([broken, whole])
    assert whole.fold is not None
    assert whole.fold.seq == fold.seq + 1
    assert ear.frames[-1]["on"] in ("event", "ask", "room")


async def test_who_comes_while_the_last_one_leaves_is_in_a_room_that_hears(cast: list[User], hub: Hub) -> None:
    room, _ = await sync_to_async(open_hand)(cast)
    old, new = Ear(0), Ear(0)
    first = await hub.join(room.pk, old)
    async with first.lock:
        leaving = asyncio.create_task(hub.leave(first, old))
        await asyncio.sleep(0.01)
        coming = asyncio.create_task(hub.join(room.pk, new))
        await asyncio.sleep(0.01)
    await leaving
    second = await coming
    assert hub.rooms[room.pk] is second
    assert second.sockets == [new]


async def test_a_storm_of_news_about_a_room_is_read_once_or_twice(
    cast: list[User], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes and goes all the time must not make every process read the room for each time."""
    room, _ = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    reads, load = [], live._load
    monkeypatch.setattr(live, "_load", lambda *args: (reads.append(1), load(*args))[1])
    await asyncio.gather(*(table_.hear_room() for _ in range(100)))
    assert 1 <= len(reads) <= 2
    await table_.hear_room()
    assert 2 <= len(reads) <= 3


async def test_a_join_that_fails_half_way_leaves_nothing_behind(
    cast: list[User], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, _ = await sync_to_async(open_hand)(cast)

    def away(*_: object) -> None:
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(snapshot, "said_frames", away)
    for _ in range(3):
        with pytest.raises(psycopg.OperationalError):
            await hub.join(room.pk, Ear(1))
    await asyncio.sleep(0.05)
    assert hub.rooms == {}


async def test_what_is_overdue_is_done_where_somebody_looks_on(cast: list[User], hub: Hub) -> None:
    """Worker, beat and Valkey are away: the process that shows the table answers for whoever's time is up."""
    room, hand = await sync_to_async(open_hand)(cast)
    await sync_to_async(make_late)(hand)
    table_ = await hub.join(room.pk, Ear(0))
    assert table_.frame is not None
    assert table_.fold is not None
    due = table_.fold.deadline() or 0
    assert list(overdue.overdue(room.pk, table_.frame.room, table_.fold, due + 900)) == []
    calls = list(overdue.overdue(room.pk, table_.frame.room, table_.fold, due + 1_100))
    assert len(calls) == 1
    await sync_to_async(overdue.answer)([away_call, *calls])
    assert await Action.objects.filter(hand=hand).acount() == 1


async def test_giving_time_back_is_no_outage_itself(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a thousand hands it takes longer than what counts as an outage: time was given back for it again and again."""
    done: list[str] = []

    def pulse(name: str) -> int:
        done.append(name)
        return 60_000 if len(done) == 1 else 0

    monkeypatch.setattr(records, "pulse", pulse)
    monkeypatch.setattr(services, "give_back_all", lambda ms: done.append(f"{ms} given back"))
    await hub._look_at([])
    assert done[:3] == ["web", "60000 given back", "web"]


def test_a_hand_that_nobody_looks_at_is_rescued_soon(cast: list[User]) -> None:
    """Worker and beat are away and nobody is connected: a live process finds the hand in the database."""
    _, hand = open_hand(cast)
    overdue.rescue()  # other tests' hands, too
    assert Action.objects.filter(hand=hand).count() == 0
    make_late(hand)
    Hand.objects.filter(pk=hand.pk).update(deadline="2020-01-01T00:00:00Z")  # the first of all
    assert overdue.rescue() >= 1
    assert Action.objects.filter(hand=hand).count() == 1
    overdue.rescue()
    assert Action.objects.filter(hand=hand).count() == 1


def test_the_stand_in_outlives_what_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def rescue() -> int:
        calls.append(1)
        if len(calls) == 4:
            raise SystemExit  # the test's end of the thread
        raise [psycopg.OperationalError("away"), ValueError("x"), RoomError("busy")][len(calls) - 1]

    monkeypatch.setattr(overdue, "REST_SECONDS", 0.0)
    monkeypatch.setattr(overdue, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(overdue, "rescue", rescue)
    monkeypatch.setattr(overdue, "connection", SimpleNamespace(close=lambda: None))
    with pytest.raises(SystemExit):
        overdue._keep_rescuing()
    assert len(calls) == 4


def away_call() -> None:
    raise RoomError("busy")


# -- Valkey --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def silent_valkey(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Valkey that takes connections and never says a word, as a stopped one does."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        monkeypatch.setattr(presence, "_resting_until", 0.0)
        presence.client.cache_clear()
        yield
    presence.client.cache_clear()
    presence._resting_until = 0.0


def test_a_valkey_that_hangs_keeps_nobody_waiting(silent_valkey: None) -> None:
    began = time.monotonic()
    assert presence.online(1, [0, 1, 2]) == {0, 1, 2}
    assert time.monotonic() - began < 1.5
    began = time.monotonic()
    for _ in range(5):
        presence.stay(1, 0, "me")
        assert presence.online_in([1]) == {1: {0, 1, 2, 3}}
        assert presence.holder(1, 0) is None
        assert presence.depart(1, 0, "me") is False
    assert time.monotonic() - began < 0.2


async def test_a_layer_that_hangs_keeps_nobody_from_the_table(
    cast: list[User], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> None:
        await asyncio.sleep(3600)

    hanging = SimpleNamespace(group_add=hang, group_discard=hang, group_send=hang)
    monkeypatch.setattr(hubs, "get_channel_layer", lambda: hanging)
    monkeypatch.setattr(hubs, "LAYER_SECONDS", 0.1)
    hub._channel = "here"
    room, hand = await sync_to_async(open_hand)(cast)
    async with asyncio.timeout(3):
        ear = Ear(0)
        table_ = await hub.join(room.pk, ear)
        await table_.set_auto(0, True, "plays on")
        await hub.leave(table_, ear)
    assert await Action.objects.filter(hand=hand, ref="plays on").acount() == 1


async def test_flushall_in_mid_hand_sends_nobody_away(cast: list[User], hub: Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    ears = [Ear(seat) for seat in range(4)]
    for ear in ears[:2]:
        await sync_to_async(presence.arrive)(room.pk, ear.seat, ear.name)
        table_ = await hub.join(room.pk, ear)
    for seat in (2, 3):  # sit on another process
        await sync_to_async(presence.arrive)(room.pk, seat, f"elsewhere {seat}")
    for _ in range(4):
        await sync_to_async(presence.client().delete)(*(presence.key(room.pk, seat) for seat in range(4)))
        await hub._look_at([table_])
        for seat in (2, 3):
            await sync_to_async(presence.restore)([(room.pk, seat, f"elsewhere {seat}")])
        await hub._look_at([table_])
    assert await sync_to_async(presence.online)(room.pk, [0, 1, 2, 3]) == {0, 1, 2, 3}
    assert await sync_to_async(presence.holder)(room.pk, 0) == "ear 0"
    assert not await Action.objects.filter(hand=hand, body__contains="away").aexists()
    ears[0].heard -= presence.ALIVE_SECONDS + 1  # half open: nobody has been heard there
    await sync_to_async(presence.client().delete)(presence.key(room.pk, 0))
    for _ in range(live.MISSED_LOOKS):
        await hub._look_at([table_])
    rows = await sync_to_async(records.log_of)(hand.pk)
    assert [(row.seat, json.loads(row.body)) for row in rows if "away" in row.body] == [(0, {"do": "away", "on": True})]


def test_a_valkey_that_has_just_lost_its_keys_is_not_believed_that_nobody_is_there(real_db: None) -> None:
    valkey = presence.client()
    valkey.set(presence.SINCE, int(time.time()) - 100)
    assert presence.trusted()
    valkey.delete(presence.SINCE)  # as FLUSHALL and a restart do
    assert not presence.trusted()
    assert not presence.trusted()


async def test_a_process_speaks_to_the_layer_only_where_there_is_another(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    monkeypatch.setattr(hubs.broadcast, "send", send)
    await sync_to_async(presence.client().delete)(presence.PROCESSES)
    hub.tell({"room": 1, "n": "before the first look"})
    await hub._look_at([])
    hub.tell({"room": 1, "n": "alone"})
    await sync_to_async(presence.live_processes)("another", hub.now())
    await hub._look_at([])
    hub.tell({"room": 1, "n": "in company"})
    await asyncio.sleep(0)
    assert [message["n"] for message in sent] == ["before the first look", "in company"]
    assert await sync_to_async(presence.live_processes)("late", hub.now() + 2 * presence.PROCESS_MS) == 1
