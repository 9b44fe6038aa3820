"""Faults that can be brought about at will: each test stands for a kind of them. `make chaos` looks for new ones."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from liuzhou.accounts.models import User
from liuzhou.rules import engine
from rooms import log, records, services, table, tasks
from rooms.errors import RoomError
from rooms.fold import CLOCK, PLAYER
from rooms.frames import ask_name
from rooms.hub import Hub
from rooms.models import Action, Hand
from rooms.protocol import decode
from tests.rooms.faults import HOUR, Ear, body, hub, make_late, next_one, open_hand
from tests.rooms.test_services import CLASSIC

__all__ = ["hub"]  # a fixture


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


async def test_every_repeated_command_is_harmless_not_only_the_last_one(cast: list[User], hub: Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    await table_.set_auto(0, True, "first")
    await table_.set_auto(0, False, "second")
    await table_.set_auto(0, True, "first")
    assert table_.fold is not None
    assert not table_.fold.autos[0]
    seat = table_.fold.state.turn
    ask = ask_name(table_.fold, table_.fold.asks[seat])
    act = body(table_.fold, seat)
    await table_.act(seat, ask, act, "third")
    await table_.set_auto(seat, True, "fourth")
    await table_.act(seat, ask, act, "third")
    refs = [row.ref for row in await sync_to_async(records.log_of)(hand.pk) if row.ref]
    assert refs == ["first", "second", "third", "fourth"]


async def test_stale_future_and_foreign_answers_are_refused_and_change_nothing(cast: list[User], hub: Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    fold = table_.fold
    assert fold is not None
    seat = fold.state.turn
    ask = ask_name(fold, fold.asks[seat])
    act = body(fold, seat)
    await table_.act(seat, ask, act, "one")
    reached = table_.fold.seq
    for n, name in enumerate((ask, str(int(ask) + 1000), "0", "-1", "", "None")):
        for who in range(4):
            with pytest.raises(RoomError, match="stale"):
                await table_.act(who, name, act, f"{n} {who}")
    assert await Action.objects.filter(hand=hand).acount() == reached


async def test_an_answer_from_the_last_hand_does_not_meet_the_next(cast: list[User], hub: Hub) -> None:
    room, hand = await sync_to_async(open_hand)(cast)
    table_ = await hub.join(room.pk, Ear(0))
    old = table_.fold
    assert old is not None
    await sync_to_async(table.expire)(hand.pk, await sync_to_async(records.database_now)() + HOUR)
    await sync_to_async(next_one)(room, cast)
    async with asyncio.timeout(20):  # another reading may have been waiting, from before the next hand
        while table_.fold is None or table_.fold.setup.hand == hand.pk:
            await table_.hear_room()
            await asyncio.sleep(0)
    new = table_.fold
    names = [ask_name(fold, n) for fold in (old, new) for n in range(500)]
    assert len(set(names)) == len(names)
    with pytest.raises(RoomError, match="stale"):
        await table_.act(new.state.turn, ask_name(old, new.asks[new.state.turn]), body(new, new.state.turn), "late")


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


async def test_a_row_the_database_refuses_fails_alone(cast: list[User], hub: Hub) -> None:
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
    Hub.saw(hub, 1_000_000)  # type: ignore[arg-type]
    for step in (61, -5, 5):
        monkeypatch.setattr(time, "time", lambda step=step: step)
        assert abs(Hub.now(hub) - 1_000_000) < 1_000  # type: ignore[arg-type]


# -- processes -----------------------------------------------------------------------------------------------------------


def workers(site: str) -> list[Any]:
    """The Celery workers that were started beside this site's Daphne."""
    import psutil

    port = site.rsplit(":", 1)[1]
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "liuzhou.daphne" in words and port in words:
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
