"""Room cards: held when sitting down, paid with the first settled hand, given back by whatever ends a room before that."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from ledger import selectors
from ledger import services as ledger
from ledger.services import CARD, Line
from liuzhou.accounts.models import User
from rooms import records, services, table
from rooms.errors import RoomError
from rooms.models import Price, Room
from tests.rooms.test_table import HOUR

CLASSIC = {"preset": "classic", "options": {"fish": "none"}}


def cards(user: User) -> int:
    return selectors.wallet_balances(owner_ref=user.pk)[CARD]


def spend(user: User, left: int) -> None:
    """Leave the user with `left` cards."""
    wallet = ledger.wallet(owner_ref=user.pk, currency=CARD)
    lines = [Line(wallet, left - cards(user)), Line(ledger.system("mint", CARD), cards(user) - left)]
    ledger.post(kind="burn", key=f"test-spend:{user.pk}", lines=lines, reason="test")


def open_room(cast: list[User], pay: str, hands: int = 16) -> Room:
    room = services.create_room(user=cast[0], **CLASSIC, hands=hands, pay=pay)
    for user in cast[1:4]:
        services.join_room(user=user, code=room.code)
    return room


def play_hand(room: Room, cast: list[User]) -> None:
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    table.expire(room.hands.get(state="running").pk, records.database_now() + HOUR)


@pytest.mark.parametrize(
    ("pay", "held", "paid"),
    [
        ("owner", [4, 8, 8, 8], [4, 8, 8, 8]),
        ("split", [7, 7, 7, 7], [7, 7, 7, 7]),
        ("winner", [4, 4, 4, 4], [4, 4, 4, 4]),
    ],
)
def test_cards_are_held_when_sitting_and_paid_with_the_first_hand(
    cast: list[User], pay: str, held: list[int], paid: list[int]
) -> None:
    room = open_room(cast, pay)
    assert [cards(user) for user in cast[:4]] == held
    play_hand(room, cast)
    assert [cards(user) for user in cast[:4]] == paid
    still_held = room.seats.filter(hold__isnull=False).count()
    assert still_held == (4 if pay == "winner" else 0)


@pytest.mark.parametrize("pay", ["owner", "split", "winner"])
def test_a_room_dissolved_before_its_first_settlement_costs_nothing(cast: list[User], pay: str) -> None:
    room = open_room(cast, pay)
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    for user in cast[1:4]:
        services.vote(room_id=room.pk, user=user, agree=True)
    assert [cards(user) for user in cast[:4]] == [8] * 4


def test_leaving_being_kicked_and_expiry_give_cards_back(cast: list[User]) -> None:
    room = open_room(cast, "split")
    services.leave_room(room_id=room.pk, user=cast[1])
    services.kick(room_id=room.pk, user=cast[0], index=2)
    assert [cards(user) for user in cast[:4]] == [7, 8, 8, 7]
    Room.objects.filter(pk=room.pk).update(created_at="2020-01-01T00:00:00Z")
    services.dissolve(room_id=room.pk)
    assert [cards(user) for user in cast[:4]] == [8] * 4


def test_where_the_owner_pays_their_leaving_closes_the_room(cast: list[User]) -> None:
    room = open_room(cast, "owner")
    services.leave_room(room_id=room.pk, user=cast[0])
    room.refresh_from_db()
    assert room.status == "dissolved"
    assert cards(cast[0]) == 8


def test_the_big_winner_pays_at_the_end_and_a_tie_goes_to_the_earlier_seat(cast: list[User]) -> None:
    room = open_room(cast, "winner", hands=4)
    for _ in range(4):
        play_hand(room, cast)
    room.refresh_from_db()
    assert room.status == "done"
    scores = list(room.seats.order_by("index").values_list("score", flat=True))
    winner = scores.index(max(scores))
    assert [cards(user) for user in cast[:4]] == [8 - (index == winner) for index in range(4)]
    assert not room.seats.filter(hold__isnull=False).exists()


def test_who_lacks_the_cards_is_refused_and_nothing_stays(cast: list[User]) -> None:
    spend(cast[0], 3)
    with pytest.raises(RoomError, match="no_funds"):
        services.create_room(user=cast[0], **CLASSIC, hands=16)
    assert not Room.objects.filter(owner=cast[0]).exists()
    room = services.create_room(user=cast[0], **CLASSIC, hands=16, pay="split")
    spend(cast[1], 0)
    with pytest.raises(RoomError, match="no_funds"):
        services.join_room(user=cast[1], code=room.code)
    assert room.seats.count() == 1
    services.leave_room(room_id=room.pk, user=cast[0])
    assert (cards(cast[0]), cards(cast[1])) == (3, 0)


def test_the_last_card_is_spent_once(make_user: Callable[[str], User]) -> None:
    user = make_user("last")
    spend(user, 1)
    outcomes: list[str] = []

    def create() -> None:
        try:
            services.create_room(user=user, **CLASSIC)
            outcomes.append("open")
        except RoomError as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("open") == 1
    assert set(outcomes) <= {"open", "already_seated", "no_funds"}
    assert cards(user) == 0


def test_a_room_keeps_the_price_it_opened_at(cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC, hands=8, pay="split")
    Price.objects.filter(hands=8).update(cards=40)
    try:
        services.join_room(user=cast[1], code=room.code)
        assert cards(cast[1]) == 7
    finally:
        Price.objects.filter(hands=8).update(cards=2)


def test_a_room_that_expires_while_somebody_sits_down_keeps_nobodys_cards(cast: list[User]) -> None:
    for _ in range(6):
        room = services.create_room(user=cast[0], **CLASSIC, pay="split")
        Room.objects.filter(pk=room.pk).update(created_at="2020-01-01T00:00:00Z")
        barrier, outcomes = threading.Barrier(2), []

        def sit_down(code: str = room.code, barrier: threading.Barrier = barrier, out: list[str] = outcomes) -> None:
            barrier.wait()
            try:
                services.join_room(user=cast[1], code=code)
                out.append("in")
            except RoomError as error:
                out.append(error.code)
            finally:
                connection.close()

        thread = threading.Thread(target=sit_down)
        thread.start()
        barrier.wait()
        services.dissolve(room_id=room.pk)
        thread.join()
        assert outcomes[0] in ("in", "room_unavailable")
        room.refresh_from_db()
        assert room.status == "dissolved"
        assert [cards(user) for user in cast[:2]] == [8, 8]
