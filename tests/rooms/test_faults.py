"""Faults that can be brought about at will: each test stands for a kind of them. `make chaos` looks for new ones."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from liuzhou.accounts.models import User
from liuzhou.rules import engine
from rooms import clock, live, log, overdue, presence, records, services, snapshot, table, tasks
from rooms import fold as folds
from rooms.errors import RoomError
from rooms.fold import CLOCK, PLAYER, Fold
from rooms.models import Action, Hand, Room
from rooms.protocol import decode
from tests.rooms.test_services import CLASSIC, running

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


def together(*works: Callable[[], object]) -> list[BaseException | None]:
    """Run all at the same moment, each in a thread with a connection of its own; what each raised."""
    barrier, raised = threading.Barrier(len(works)), [None] * len(works)

    def one(n: int, work: Callable[[], object]) -> None:
        connection.ensure_connection()
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the test judges it
            raised[n] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(n, work)) for n, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


# -- races ---------------------------------------------------------------------------------------------------------------


def test_two_hundred_races_of_clock_and_click_have_one_effect_each(cast: list[User]) -> None:
    room, hand = open_hand(cast)
    winners, cached = {"click": 0, "clock": 0}, table.Folds()
    for n in range(200):
        fold = cached.current(hand.pk)
        if not fold.running:
            hand = next_one(room, cast)
            fold = cached.current(hand.pk)
        seat = engine.deciders(fold.state)[0]
        click = table.attempt(fold, seat, body(fold, seat), origin=PLAYER, now=0, ref=f"click {n}")
        alarm = table.attempt(fold, seat, body(fold, seat, -1), origin=CLOCK, now=0)
        raised = together(lambda click=click: table.commit(click), lambda alarm=alarm: table.commit(alarm))
        assert sum(isinstance(error, table.LostRace) for error in raised) == 1, raised
        assert sum(error is None for error in raised) == 1, raised
        row = next(row for row in records.log_of(hand.pk) if row.seq == fold.seq + 1)
        winners["click" if row.ref else "clock"] += 1
    assert min(winners.values()) > 0
    for one in room.hands.exclude(started_at=None):
        rows = records.log_of(one.pk)
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        assert one.seq == len(rows)


def last_attempt(hand: Hand) -> table.Attempt:
    """The hand played up to the row that settles it, which is not committed."""
    fold = table.cache.current(hand.pk)
    while True:
        seat = engine.deciders(fold.state)[0]
        tried = table.attempt(fold, seat, body(fold, seat, -1), origin=PLAYER, now=0)
        if tried.settles:
            return tried
        fold = table.commit(tried)[1]


@pytest.mark.parametrize("order", range(4))
def test_settle_dissolve_and_void_race_and_one_wins(cast: list[User], order: int) -> None:
    room, hand = open_hand(cast)
    tried = last_attempt(hand)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    for user in cast[1:3]:
        services.vote(room_id=room.pk, user=user, agree=True)
    works: list[Callable[[], object]] = [
        lambda: table.commit(tried),
        lambda: services.vote(room_id=room.pk, user=cast[3], agree=True),
        lambda: services.void_hand(hand_id=hand.pk, admin=cast[4], reason="race"),
    ]
    random.Random(order).shuffle(works)
    raised = together(*works)
    assert all(error is None or isinstance(error, RoomError | table.LostRace) for error in raised), raised
    hand.refresh_from_db()
    room.refresh_from_db()
    fold = records.load(hand.pk)
    closed = {"settled": "", "dissolved": "dissolve", "void": "void"}[hand.state]
    assert (fold.closed, fold.running) == (closed, False)
    assert (hand.settlement is not None) == (hand.state == "settled")
    assert hand.seq == fold.seq == tried.before.seq + 1
    assert room.status == "dissolved"
    assert room.hands_played == (hand.state == "settled")


def test_fifty_joins_for_the_last_seat_seat_one(make_user: Callable[[str], User], cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC)
    for user in cast[1:3]:
        services.join_room(user=user, code=room.code)
    crowd = [make_user("crowd") for _ in range(50)]
    raised = together(*(lambda user=user: services.join_room(user=user, code=room.code) for user in crowd))
    assert sum(error is None for error in raised) == 1
    assert {error.code for error in raised if error} == {"room_unavailable"}  # type: ignore[attr-defined]
    assert sorted(room.seats.values_list("index", flat=True)) == [0, 1, 2, 3]


# -- repeated and misplaced frames ---------------------------------------------------------------------------------------


class Ear:
    """A socket of the live side, in this process."""

    def __init__(self, seat: int) -> None:
        self.seat, self.name, self.heard = seat, f"ear {seat}", time.monotonic()
        self.frames: list[dict[str, Any]] = []

    async def push(self, text: str) -> None:
        self.frames.append(json.loads(text))

    async def give_way(self) -> None:
        self.frames.append({"on": "gave way"})


@pytest.fixture
async def hub(real_db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A hub of this test's own that looks only when told to."""
    monkeypatch.setattr(live, "LOOK_SECONDS", 3600)
    made = live.Hub()
    await made.ready()
    await sync_to_async(records.pulse)("web")  # or the first look gives back the time since another test's last one
    yield made
    for task in list(made._tasks):
        task.cancel()
    await made.writer.close()
    live.broadcast.listen(None)


async def test_every_repeated_command_is_harmless_not_only_the_last_one(cast: list[User], hub: live.Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    await table_.set_auto(0, True, "first")
    await table_.set_auto(0, False, "second")
    await table_.set_auto(0, True, "first")
    assert table_.fold is not None
    assert not table_.fold.autos[0]
    seat = table_.fold.state.turn
    ask = live.ask_name(table_.fold, table_.fold.asks[seat])
    act = body(table_.fold, seat)
    await table_.act(seat, ask, act, "third")
    await table_.set_auto(seat, True, "fourth")
    await table_.act(seat, ask, act, "third")
    refs = [row.ref for row in await sync_to_async(records.log_of)(hand.pk) if row.ref]
    assert refs == ["first", "second", "third", "fourth"]


async def test_stale_future_and_foreign_answers_are_refused_and_change_nothing(cast: list[User], hub: live.Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    fold = table_.fold
    assert fold is not None
    seat = fold.state.turn
    ask = live.ask_name(fold, fold.asks[seat])
    act = body(fold, seat)
    await table_.act(seat, ask, act, "one")
    reached = table_.fold.seq
    for n, name in enumerate((ask, str(int(ask) + 1000), "0", "-1", "", "None")):
        for who in range(4):
            with pytest.raises(RoomError, match="stale"):
                await table_.act(who, name, act, f"{n} {who}")
    assert await Action.objects.filter(hand=hand).acount() == reached


async def test_an_answer_from_the_last_hand_does_not_meet_the_next(cast: list[User], hub: live.Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    old = table_.fold
    assert old is not None
    await sync_to_async(table.expire)(hand.pk, await sync_to_async(records.database_now)() + HOUR)
    await sync_to_async(next_one)(room, cast)
    await table_.hear_room()
    new = table_.fold
    assert new is not None
    assert new.setup.hand != hand.pk
    names = [live.ask_name(fold, n) for fold in (old, new) for n in range(500)]
    assert len(set(names)) == len(names)
    with pytest.raises(RoomError, match="stale"):
        await table_.act(
            new.state.turn, live.ask_name(old, new.asks[new.state.turn]), body(new, new.state.turn), "late"
        )


@pytest.mark.parametrize(
    "text",
    [
        '{"do":"sync","id":"a\\u0000"}',
        '{"do":"act","id":"\\u0000","ask":"1","action":{"do":"pass"}}',
        '{"do":"say","id":"1","text":"\\u0000"}',
        '{"do":"say","id":"1","text":"\\ud800"}',
    ],
)
def test_what_the_database_cannot_keep_is_refused_at_the_door(text: str) -> None:
    with pytest.raises(RoomError, match="bad_"):
        decode(text)


async def test_a_row_the_database_refuses_fails_alone(cast: list[User], hub: live.Hub) -> None:
    _, hand = await sync_to_async(open_hand)(cast)
    fold = await sync_to_async(records.load)(hand.pk)
    seat = fold.state.turn
    good = table.attempt(fold, seat, body(fold, seat), origin=PLAYER, now=0, ref="good")
    entry = log.entry(good.after, good.row)
    bad = entry._replace(seq=99, ref="a\x00b")
    results = await asyncio.gather(hub.writer.append(bad), hub.writer.append(entry), return_exceptions=True)
    assert isinstance(results[0], psycopg.Error)
    assert isinstance(results[1], int)
    assert await Action.objects.filter(hand=hand, ref="good").acount() == 1


# -- the live side heals itself --------------------------------------------------------------------------------------------


async def test_the_look_outlives_whatever_goes_wrong_in_it(
    cast: list[User], hub: live.Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, _ = await sync_to_async(open_hand)(cast)
    ear = Ear(0)
    await hub.join(room.pk, ear)
    looks = []

    async def look_at(rooms: list[live.LiveRoom]) -> None:
        looks.append(len(rooms))
        raise [RoomError("busy"), ValueError("x"), psycopg.InterfaceError("closed")][len(looks) % 3]

    monkeypatch.setattr(live, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(hub, "_look_at", look_at)
    looking = asyncio.create_task(hub._look())
    await asyncio.sleep(0.2)
    assert len(looks) > 3
    assert not looking.done()
    looking.cancel()


async def test_one_rooms_trouble_in_the_look_is_no_others(
    cast: list[User], make_user: Callable[[str], User], hub: live.Hub
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


async def test_who_comes_while_the_last_one_leaves_is_in_a_room_that_hears(cast: list[User], hub: live.Hub) -> None:
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


async def test_a_join_that_fails_half_way_leaves_nothing_behind(
    cast: list[User], hub: live.Hub, monkeypatch: pytest.MonkeyPatch
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


async def test_what_is_overdue_is_done_where_somebody_looks_on(cast: list[User], hub: live.Hub) -> None:
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


def make_late(hand: Hand) -> None:
    """Begin the hand so long ago that its first question has just been due for 1.1 s."""
    past = records.database_now() - clock.TURN_MS - clock.RESERVE_MS - 1_100
    Hand.objects.filter(pk=hand.pk).update(started_at=records.moment(past))
    table.cache.forget(hand.pk)


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
    for _ in range(100):
        presence.stay(1, 0, "me")
        assert presence.online_in([1]) == {1: {0, 1, 2, 3}}
        assert presence.holder(1, 0) is None
        assert presence.depart(1, 0, "me") is False
    assert time.monotonic() - began < 0.2


async def test_a_layer_that_hangs_keeps_nobody_from_the_table(
    cast: list[User], hub: live.Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: object) -> None:
        await asyncio.sleep(3600)

    hanging = SimpleNamespace(group_add=hang, group_discard=hang, group_send=hang)
    monkeypatch.setattr(live, "get_channel_layer", lambda: hanging)
    monkeypatch.setattr(live, "LAYER_SECONDS", 0.1)
    hub._channel = "here"
    room, hand = await sync_to_async(open_hand)(cast)
    async with asyncio.timeout(3):
        ear = Ear(0)
        table_ = await hub.join(room.pk, ear)
        await table_.set_auto(0, True, "plays on")
        await hub.leave(table_, ear)
    assert await Action.objects.filter(hand=hand, ref="plays on").acount() == 1


async def test_flushall_in_mid_hand_sends_nobody_away(cast: list[User], hub: live.Hub) -> None:
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


# -- clocks --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [-5.0, 5.0, 61.0])
def test_a_process_whose_wall_clock_is_wrong_sets_the_same_deadlines(
    cast: list[User], monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    _, hand = open_hand(cast)
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM deadline - clock_timestamp())::float8 FROM rooms_hand WHERE id = %s",
                       [hand.pk])  # fmt: skip
        left = cursor.fetchone()[0]
    assert 0 < left < 60
    assert table.expire(hand.pk, records.database_now()).seq == 0
    make_late(hand)
    assert [table.expire(hand.pk, records.database_now()).seq for _ in range(2)] == [1, 1]


def test_alarms_are_told_how_long_and_not_when(cast: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    """An ETA by the database's clock would be as late as the worker's clock is slow."""
    _, soon = open_hand(cast)
    asked: dict[int, dict[str, Any]] = {}
    monkeypatch.setattr(tasks.expire, "apply_async", lambda kwargs, **more: asked.update({kwargs["hand"]: more}))
    for name in ("start_next", "dissolve"):
        monkeypatch.setattr(getattr(tasks, name), "delay", lambda **_: None)
    for ms, low, high in ((700, 0.3, 0.7), (-3_000, None, None)):
        Hand.objects.filter(pk=soon.pk).update(deadline=records.moment(records.database_now() + ms), alarm=None)
        tasks.sweep()
        assert set(asked[soon.pk]) == {"countdown"}
        wait = asked.pop(soon.pk)["countdown"]
        assert wait is None if low is None else low < wait <= high


def test_a_minute_between_the_clocks_of_beat_and_worker_throws_no_sweep_away() -> None:
    assert tasks.SCHEDULE["sweep"]["options"]["expires"] > 61
    assert not tasks.sweep.expires


def test_the_live_clock_follows_the_database_and_not_the_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = SimpleNamespace(_offset=None)
    live.Hub.saw(hub, 1_000_000)  # type: ignore[arg-type]
    for step in (61, -5, 5):
        monkeypatch.setattr(time, "time", lambda step=step: step)
        assert abs(live.Hub.now(hub) - 1_000_000) < 1_000  # type: ignore[arg-type]


# -- processes -----------------------------------------------------------------------------------------------------------


def workers(site: str) -> list[Any]:
    """The Celery workers that were started beside this site's Daphne."""
    import psutil

    port = site.rsplit(":", 1)[1]
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "daphne" in words and port in words:
            return [child for child in process.parent().children() if "worker" in child.cmdline()]
    return []


def test_after_kill_9_of_the_worker_a_hand_goes_on(cast: list[User], site: str) -> None:
    room = services.create_practice(user=cast[0], options={"fish": "none"})
    hand = room.hands.get(state="running")
    Hand.objects.filter(pk=hand.pk).update(started_at=records.moment(hand.started_at.timestamp() * 1000 - 60_000),
                                           deadline=records.moment(records.database_now() + 200))  # fmt: skip
    victims = workers(site)
    assert victims
    for victim in victims:
        victim.kill()
    until = time.monotonic() + 25
    while not Action.objects.filter(hand=hand).exists():
        assert time.monotonic() < until
        time.sleep(0.1)
    fold = records.load(hand.pk)
    assert fold.running
    services.leave_room(room_id=room.pk, user=cast[0])
