"""The coin lobby on a real ledger: brackets, escrow, settlements within means, getting up, 逃跑, and nothing in limbo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group
from django.db import connection

from ledger import selectors
from ledger import services as ledger
from ledger.services import COIN, POINT, Line
from liuzhou.accounts import staff
from liuzhou.accounts.models import User
from rooms import coin_tables, presence, records, services, table
from rooms.errors import RoomError
from rooms.hub import Hub
from rooms.models import Escape, Hand, Played, Room
from tests.rooms.faults import Ear, hub  # noqa: F401
from tests.rooms.test_table import HOUR

SHANGHAI = ZoneInfo("Asia/Shanghai")


def wallet(user: User, currency: str = COIN) -> int:
    return selectors.wallet_balances(owner_ref=user.pk)[currency]


def give(user: User, coins: int) -> None:
    """Make it so that the user holds exactly `coins`."""
    change = coins - wallet(user)
    lines = [Line(ledger.wallet(owner_ref=user.pk, currency=COIN), change), Line(ledger.system("mint", COIN), -change)]
    if change:
        ledger.post(
            kind="issue", key=f"test-give:{user.pk}:{coins}:{records.database_now()}", lines=lines, reason="test"
        )


@pytest.fixture
def players(cast: list[User], request: pytest.FixtureRequest) -> list[User]:
    """Four players at one table of a bracket that no other test's table is in: earlier tables are closed first."""
    for room in Room.objects.filter(stake__gt=0, status__in=Room.OPEN):
        for seat in room.seats.select_related("user"):
            services.leave_room(room_id=room.pk, user=seat.user, confirm=True)
    return cast[:4]


def seated(players: list[User], preset: str = "classic") -> Room:
    rooms = {coin_tables.quick_join(user=user, preset=preset).pk for user in players}
    assert len(rooms) == 1
    return Room.objects.get(pk=rooms.pop())


def begin(room: Room, players: list[User]) -> Hand:
    for user in players:
        services.set_ready(room_id=room.pk, user=user)
    return room.hands.get(state="running")


def total(players: list[User], room: Room) -> int:
    return sum(wallet(user) for user in players) + sum(seat.coins or 0 for seat in room.seats.all() if seat.escrow)


def test_all_coins_go_to_the_table_and_come_back(players: list[User]) -> None:
    room = seated(players)
    assert room.stake == 100  # 2,000 coins of a new player
    assert [wallet(user) for user in players] == [0] * 4
    assert [selectors.balance(seat.escrow) for seat in room.seats.all()] == [2_000] * 4
    for user in players:
        services.leave_room(room_id=room.pk, user=user)
    assert [wallet(user) for user in players] == [2_000] * 4
    room.refresh_from_db()
    assert not room.is_open


@pytest.mark.parametrize("preset", ["classic", "baike", "tiantian"])
def test_a_hand_moves_coins_between_seats_and_points_between_wallets(players: list[User], preset: str) -> None:
    room = seated(players, preset)
    hand = begin(room, players)
    table.expire(hand.pk, records.database_now() + HOUR)
    hand.refresh_from_db()
    nets = [points * 100 for points in hand.settlement["score"]]
    seats = {seat.user_id: seat for seat in room.seats.all()}
    held = [seats[user.pk] for user in players]
    by_seat = sorted(held, key=lambda seat: seat.index)
    assert [seat.coins - 2_000 for seat in by_seat] == list(
        Played.objects.filter(hand=hand).order_by("index").values_list("coins", flat=True)
    )
    assert all(selectors.balance(seat.escrow) == seat.coins for seat in by_seat)
    assert sum(seat.coins for seat in by_seat) == 8_000
    points = [selectors.wallet_balances(owner_ref=seat.user_id)[POINT] for seat in by_seat]
    assert points == nets


def test_nobody_loses_more_than_they_hold(players: list[User]) -> None:
    """Many hands with poor players: coins stay whole, no seat falls below zero, the poor get up."""
    for user in players:
        give(user, 130)
    room = seated(players)
    assert room.stake == 10
    for _ in range(12):
        room.refresh_from_db()
        if room.status == "waiting" and room.seats.count() < 4:
            break
        sitting = [seat.user for seat in room.seats.select_related("user") if seat.coins >= 128]
        for user in sitting:
            services.set_ready(room_id=room.pk, user=user)
        running = room.hands.filter(state="running").first()
        if running is None:
            Room.objects.filter(pk=room.pk).update(next_at="2020-01-01T00:00:00Z")
            services.start_overdue(room_id=room.pk)
            continue
        table.expire(running.pk, records.database_now() + HOUR)
        assert all(seat.coins >= 0 for seat in room.seats.all())
        assert total(players, room) == 520
    for seat in room.seats.select_related("user"):
        services.leave_room(room_id=room.pk, user=seat.user, confirm=True)
    assert sum(wallet(user) for user in players) == 520


@pytest.mark.parametrize(
    ("coins", "stake"), [(127, None), (128, 10), (1_279, 10), (1_280, 100), (12_800, 1_000), (128_000, 10_000)]
)
def test_the_bracket_follows_the_coins(players: list[User], coins: int, stake: int | None) -> None:
    give(players[0], coins)
    if stake is None:
        with pytest.raises(RoomError, match="too_poor"):
            coin_tables.quick_join(user=players[0], preset="classic")
        assert wallet(players[0]) == coins
        return
    room = coin_tables.quick_join(user=players[0], preset="classic")
    assert room.stake == stake
    services.leave_room(room_id=room.pk, user=players[0])
    assert wallet(players[0]) == coins


def test_quick_join_twice_gives_the_same_seat_and_a_private_room_is_left_first(players: list[User]) -> None:
    room = coin_tables.quick_join(user=players[0], preset="classic")
    assert coin_tables.quick_join(user=players[0], preset="baike").pk == room.pk
    assert room.seats.count() == 1
    private = services.create_room(user=players[1], preset="classic", options={})
    with pytest.raises(RoomError, match="already_seated"):
        coin_tables.quick_join(user=players[1], preset="classic")
    services.leave_room(room_id=private.pk, user=players[1])


def test_players_of_one_address_are_kept_apart_where_the_setting_says_so(
    players: list[User], settings: pytest.FixtureRequest
) -> None:
    settings.COIN_TABLES_TELL_ADDRESSES_APART = True
    rooms = [coin_tables.quick_join(user=user, preset="classic", address="10.0.0.1").pk for user in players[:2]]
    assert rooms[0] != rooms[1]
    third = coin_tables.quick_join(user=players[2], preset="classic", address="10.0.0.2")
    assert third.pk in rooms


def test_an_unready_player_gets_up_when_the_pause_is_over(players: list[User]) -> None:
    room = seated(players)
    for user in players[:3]:
        services.set_ready(room_id=room.pk, user=user)
    Room.objects.filter(pk=room.pk).update(next_at="2020-01-01T00:00:00Z")
    services.start_overdue(room_id=room.pk)
    room.refresh_from_db()
    assert (room.status, room.seats.count(), wallet(players[3])) == ("waiting", 3, 2_000)


def test_changing_tables_leads_elsewhere(players: list[User]) -> None:
    first = coin_tables.quick_join(user=players[0], preset="classic")
    coin_tables.quick_join(user=players[1], preset="classic")
    second = coin_tables.change_table(user=players[0])
    assert second.pk != first.pk
    assert wallet(players[0]) == 0


def test_escaping_costs_what_was_said_and_voids_the_hand(players: list[User]) -> None:
    room = seated(players)
    hand = begin(room, players)
    with pytest.raises(RoomError, match="escape_price") as price:
        services.leave_room(room_id=room.pk, user=players[1])
    assert "300" in price.value.text("zh-hans")
    services.leave_room(room_id=room.pk, user=players[1], confirm=True)
    with pytest.raises(RoomError, match="not_seated"):
        services.leave_room(room_id=room.pk, user=players[1], confirm=True)
    hand.refresh_from_db()
    room.refresh_from_db()
    assert (hand.state, hand.settlement, room.status) == ("void", None, "waiting")
    assert (wallet(players[1]), wallet(players[1], POINT)) == (1_700, -400)
    assert sorted(seat.coins for seat in room.seats.all()) == [2_100] * 3
    assert Escape.objects.filter(user=players[1], hand=hand).count() == 1


def test_the_house_makes_up_what_the_escaper_lacks(players: list[User]) -> None:
    house = ledger.system("penalty", COIN)
    before = selectors.balance(house)
    for user in players:
        give(user, 1_300)
    room = seated(players)
    hand = begin(room, players)
    poor = room.seats.get(user=players[2])
    ledger.post(
        kind="penalty",
        key=f"test-poor:{hand.pk}",
        lines=[Line(poor.escrow, -1_250), Line(house, 1_250)],
    )
    poor.coins = 50
    poor.save()
    services.leave_room(room_id=room.pk, user=players[2], confirm=True)
    assert wallet(players[2]) == 0
    assert selectors.balance(house) - before == 1_250 + 50 - 300
    assert sorted(seat.coins for seat in room.seats.all()) == [1_400] * 3


@pytest.mark.parametrize(("count", "minutes"), [(1, 0), (2, 1), (3, 5), (4, 15), (7, 15)])
def test_repeat_offenders_wait(players: list[User], count: int, minutes: int) -> None:
    now = datetime(2026, 12, 1, 12, 0, tzinfo=SHANGHAI)
    room = services.create_room(user=players[0], preset="classic", options={})
    for number in range(count):
        hand = Hand.objects.create(
            room=room, number=100 + number, secret=b"", commit="", preset="classic", options={}, state="void"
        )
        Escape.objects.create(user=players[0], hand=hand, at=now - timedelta(seconds=10 * (count - number)))
    assert coin_tables.waiting_time(players[0], now).total_seconds() == (minutes * 60 - 10 if minutes else 0)
    assert coin_tables.waiting_time(players[0], now + timedelta(days=1)) == timedelta(0)


def test_agents_do_not_sit_at_coin_tables(players: list[User]) -> None:
    players[0].groups.add(Group.objects.get_or_create(name=staff.AGENTS)[0])
    with pytest.raises(RoomError, match="agents_do_not_play"):
        coin_tables.quick_join(user=players[0], preset="classic")
    assert wallet(players[0]) == 2_000


def test_the_sweep_returns_what_a_crash_left_at_a_closed_table(players: list[User]) -> None:
    room = seated(players)
    Room.objects.filter(pk=room.pk).update(status="done")
    coin_tables.tidy()
    assert [wallet(user) for user in players] == [2_000] * 4
    coin_tables.tidy()
    assert [wallet(user) for user in players] == [2_000] * 4


def test_the_absent_leave_a_waiting_table(players: list[User], make_user: Callable[[str], User]) -> None:
    room = coin_tables.quick_join(user=players[0], preset="classic")
    presence.client().delete(presence.SINCE)
    coin_tables.tidy()
    room.refresh_from_db()
    assert room.is_open  # Valkey has just lost its keys: nobody is absent for that
    presence.client().set(presence.SINCE, 0)
    coin_tables.tidy()
    room.refresh_from_db()
    assert not room.is_open
    assert wallet(players[0]) == 2_000


def test_dissolving_does_not_touch_a_coin_table(players: list[User]) -> None:
    room = seated(players)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rooms_room SET created_at = '2020-01-01' WHERE id = %s", [room.pk])
    services.dissolve(room_id=room.pk)
    room.refresh_from_db()
    assert room.is_open


async def test_a_newcomer_is_not_sent_the_hand_before(
    players: list[User],
    cast: list[User],
    hub: Hub,  # noqa: F811
) -> None:
    def after_a_hand() -> tuple[Room, int, int]:
        room = seated(players)
        table.expire(begin(room, players).pk, records.database_now() + HOUR)
        services.leave_room(room_id=room.pk, user=players[0])
        assert coin_tables.quick_join(user=cast[4], preset="classic").pk == room.pk
        seats = dict(room.seats.values_list("user_id", "index"))
        return room, seats[cast[4].pk], seats[players[1].pk]

    room, new, old = await sync_to_async(after_a_hand)()
    newcomer, player = Ear(new), Ear(old)
    for ear in (newcomer, player):
        await hub.join(room.pk, ear)
    syncs = [ear.frames[0] for ear in (newcomer, player)]
    assert [(sync["view"] is None, sync["settled"] is None, sync["hand"] is None) for sync in syncs] == [
        (True, True, True),
        (False, False, False),
    ]
