"""Maintenance: nothing new begins, what runs is finished, no timer punishes anybody, and rooms go on afterwards."""

# ruff: noqa: F811 - the rooms' tests lend their fixtures

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.models.functions import Now
from django.utils import timezone

from liuzhou.accounts.models import User
from liuzhou.operations import tasks
from liuzhou.trail.models import Trail
from liuzhou.values import maintenance
from liuzhou.values.errors import BadValue, NoReason, Unchanged
from liuzhou.values.models import Maintenance
from rooms import clock, coin_tables, overdue, records, services, snapshot, starting, table
from rooms import tasks as room_tasks
from rooms.dissolving import WAITING_MINUTES
from rooms.errors import RoomError
from rooms.models import Hand, Room
from tests.rooms.conftest import cast, make_user  # noqa: F401
from tests.rooms.test_coin_tables import begin, players, seated  # noqa: F401
from tests.rooms.test_services import full_room, refused, running
from tests.staff import make, signed_in

HOUR = 3_600_000


@pytest.fixture
def boss(real_db: None) -> User:
    return make("boss", "values.view_maintenance", "values.steer_maintenance")


@pytest.fixture
def down(boss: User, steered: None) -> Iterator[Callable[..., Maintenance]]:
    """Begins maintenance when called; it is over at the end of the test."""

    def begin(**values: Any) -> Maintenance:
        told = {
            "zh": "升级服务器",
            "en": "Server upgrade",
            "until": timezone.now() + timedelta(hours=1),
            "reason": "升级",
        }
        return maintenance.start(by=boss, **{**told, **values})

    yield begin
    if maintenance.current(fresh=True).on:
        maintenance.end(by=boss, reason="test")


def over(boss: User) -> int:
    """As the page ends it."""
    maintenance.end(by=boss, reason="好了")
    return starting.resume()


def make_past(room: Room, **fields: timedelta) -> None:
    Room.objects.filter(pk=room.pk).update(**{name: Now() - age for name, age in fields.items()})


def fresh(room: Room) -> Room:
    return Room.objects.get(pk=room.pk)


def seconds_left(moment: Any) -> float:
    return (records.milliseconds(moment) - records.database_now()) / 1000


def test_nothing_new_begins(cast: list[User], down: Any) -> None:
    waiting = services.create_room(user=cast[0], preset="classic", options={})
    down()
    assert refused(services.create_room, user=cast[1], preset="classic", options={}) == "maintenance"
    assert refused(services.create_practice, user=cast[1]) == "maintenance"
    assert refused(services.join_room, user=cast[1], code=waiting.code) == "maintenance"
    assert refused(coin_tables.quick_join, user=cast[1], preset="classic") == "maintenance"
    assert services.join_room(user=cast[0], code=waiting.code).pk == waiting.pk  # one's own seat is there


def test_players_are_told_what_and_until_when(cast: list[User], down: Any) -> None:
    until = timezone.localtime(down().until)
    with pytest.raises(RoomError) as error:
        services.create_practice(user=cast[0])
    for part in ("升级服务器", f"{until:%m-%d %H:%M}", "进行中的牌局会打完"):
        assert part in error.value.text("zh-hans")
    assert "Server upgrade" in error.value.text("en")
    assert f"{until:%m-%d %H:%M}" in error.value.text("en")


def test_the_last_ones_ready_starts_no_hand_but_the_one_before_stays_ready(
    cast: list[User], down: Any, boss: User
) -> None:
    room = full_room(cast)
    for user in cast[:3]:
        services.set_ready(room_id=room.pk, user=user)
    down()
    assert refused(services.set_ready, room_id=room.pk, user=cast[3]) == "maintenance"
    assert fresh(room).status == "waiting"
    over(boss)
    services.set_ready(room_id=room.pk, user=cast[3])
    assert fresh(room).status == "playing"


def test_a_running_hand_is_finished_and_the_next_waits(cast: list[User], down: Any, boss: User) -> None:
    room = running(cast)
    down()
    hand = room.hands.get(state="running")
    assert not table.expire(hand.pk, records.database_now() + HOUR).running
    hand.refresh_from_db()
    assert hand.state == "settled"
    # However often worker, beat and the processes' own stand-in come by, the pause has no end now.
    make_past(room, next_at=timedelta(minutes=1))
    room_tasks.start_next(room=room.pk)
    overdue.answer(overdue.overdue(room.pk, snapshot.read(room.pk).frame.room, None, records.database_now() + HOUR))
    assert (fresh(room).status, fresh(room).next_at) == ("between", None)
    assert not room.hands.filter(state="running").exists()
    # Afterwards everybody has the whole pause in which to be ready.
    assert over(boss) >= 1
    assert clock.BETWEEN_MS / 1000 - 3 < seconds_left(fresh(room).next_at) <= clock.BETWEEN_MS / 1000
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    assert fresh(room).status == "playing"


def test_at_a_coin_table_nobody_is_sent_away(players: list[User], down: Any, boss: User) -> None:
    room = seated(players)
    assert fresh(room).next_at is not None
    down()
    make_past(room, next_at=timedelta(minutes=1))
    services.start_overdue(room_id=room.pk)
    coin_tables.tidy()  # nobody has a socket
    assert room.seats.count() == 4
    assert fresh(room).next_at is None
    assert refused(coin_tables.change_table, user=players[0]) == "maintenance"
    assert room.seats.count() == 4  # nor has anybody given up a seat for one that was not to be had
    over(boss)
    assert seconds_left(fresh(room).next_at) > 15
    assert begin(room, players).state == Hand.State.RUNNING


def test_the_half_hour_in_which_to_begin_does_not_run(cast: list[User], down: Any, boss: User) -> None:
    room = full_room(cast)
    down()
    make_past(room, created_at=timedelta(minutes=WAITING_MINUTES + 5))
    room_tasks.sweep()
    services.dissolve(room_id=room.pk)
    assert fresh(room).is_open
    over(boss)
    services.dissolve(room_id=room.pk)
    assert fresh(room).is_open  # it counts anew from the end of maintenance


def test_silence_agrees_to_nothing_but_a_voice_counts(cast: list[User], down: Any, boss: User) -> None:
    room = running(cast)
    table.expire(room.hands.get(state="running").pk, records.database_now() + HOUR)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    down()
    make_past(room, dissolve_at=timedelta(minutes=5))
    services.dissolve(room_id=room.pk)
    assert fresh(room).is_open
    over(boss)
    assert seconds_left(fresh(room).dissolve_at) > 50
    down()
    for user in cast[1:4]:
        services.vote(room_id=room.pk, user=user, agree=True)
    services.dissolve(room_id=room.pk)
    assert fresh(room).status == "dissolved"


def test_a_room_that_was_left_waiting_is_found_a_minute_later(cast: list[User], down: Any, boss: User) -> None:
    """Whoever ended the maintenance died before the rooms had gone on."""
    room = running(cast)
    table.expire(room.hands.get(state="running").pk, records.database_now() + HOUR)
    down()
    make_past(room, next_at=timedelta(minutes=1))
    services.start_overdue(room_id=room.pk)
    tasks.sample()
    assert fresh(room).next_at is None
    maintenance.end(by=boss, reason="好了")
    tasks.sample()
    assert fresh(room).next_at is not None


def test_every_process_knows_within_a_second(down: Any, settings: Any, boss: User) -> None:
    settings.VALUES_SECONDS = 1.0
    assert not maintenance.current().on
    Maintenance.objects.create(on=True, zh="x", by=boss, reason="by another process")
    assert maintenance.current(fresh=True).on
    moment = maintenance._known[0]  # type: ignore[index]
    assert maintenance.current().on
    assert maintenance._known[0] == moment  # type: ignore[index]  # not asked again


def test_what_is_refused(down: Any, boss: User) -> None:
    with pytest.raises(Unchanged):
        maintenance.end(by=boss, reason="x")
    with pytest.raises(NoReason):
        down(reason=" ")
    with pytest.raises(BadValue, match="until"):
        down(until=timezone.now() - timedelta(minutes=1))
    with pytest.raises(BadValue, match="zh"):
        down(zh="长" * 201)
    assert not maintenance.current(fresh=True).on
    down(until=None)
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute('UPDATE values_maintenance SET "on" = false')


def test_from_the_page(boss: User, down: Any, cast: list[User]) -> None:
    client, address = signed_in(boss), "/admin/values/maintenance/"
    until = timezone.localtime() + timedelta(hours=2)
    form = {"zh": "换机器", "en": "New machine", "until": f"{until:%Y-%m-%dT%H:%M}", "reason": "机房"}
    assert signed_in(make("reader", "values.view_maintenance")).post(address, form).status_code == 403
    assert not maintenance.current(fresh=True).on
    assert client.post(address, {**form, "reason": ""}).status_code == 200
    assert client.post(address, {**form, "until": "2020-01-01T00:00"}).status_code == 200
    assert not maintenance.current(fresh=True).on
    assert client.post(address, form).status_code == 302
    assert "换机器" in client.get("/").content.decode()
    told = client.get("/banners/").json()["banners"][0]
    assert told["level"] == "maintenance"
    assert f"{until:%m-%d %H:%M}" in told["text"]
    assert refused(services.create_practice, user=cast[0]) == "maintenance"
    assert client.post(address, {"end": "1", "end-reason": "好了"}).status_code == 302
    services.create_practice(user=cast[0])
    actions = Trail.objects.filter(actor=boss).values_list("action", flat=True)
    assert {"maintenance-start", "maintenance-end"} <= set(actions)
