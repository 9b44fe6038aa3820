"""Rooms by their services on a real database: opening, joining, leaving, getting ready, dissolving; and what is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from liuzhou.accounts.models import User
from rooms import records, services, table
from rooms.errors import RoomError
from rooms.models import Hand, Room

CLASSIC = {"preset": "classic", "options": {"fish": "none"}}


def full_room(cast: list[User]) -> Room:
    room = services.create_room(user=cast[0], **CLASSIC)
    for user in cast[1:4]:
        services.join_room(user=user, code=room.code)
    return room


def refused(call: Callable[..., object], **values: object) -> str:
    with pytest.raises(RoomError) as error:
        call(**values)
    return error.value.code


def test_four_players_get_ready_and_a_hand_runs(cast: list[User]) -> None:
    room = full_room(cast)
    commit = room.hands.get().commit
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user, nonce="AB" * 16)
    room.refresh_from_db()
    hand = room.hands.get()
    assert (room.status, hand.state, hand.commit) == ("playing", "running", commit)
    assert hand.nonces == ["ab" * 16] * 4
    assert hand.deadline is not None
    assert hand.dealer == room.dealer


def test_the_page_that_is_opened_twice_joins_once(cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC)
    for _ in range(2):
        assert services.join_room(user=cast[1], code=room.code).pk == room.pk
    assert room.seats.count() == 2


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "１２３４５６", "12 456", "' OR 1"])
def test_a_malformed_code_is_refused(cast: list[User], code: str) -> None:
    assert refused(services.join_room, user=cast[4], code=code) == "bad_code"


def test_unknown_full_and_started_rooms_are_refused_in_the_same_words(cast: list[User]) -> None:
    room = full_room(cast)
    texts = set()
    for code in (room.code, "000000" if room.code != "000000" else "000001"):
        with pytest.raises(RoomError) as error:
            services.join_room(user=cast[4], code=code)
        texts.add(error.value.text("zh-hans").replace(code, "…"))
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    with pytest.raises(RoomError) as error:
        services.join_room(user=cast[4], code=room.code)
    texts.add(error.value.text("zh-hans").replace(room.code, "…"))
    assert len(texts) == 1
    assert room.seats.count() == 4


@pytest.mark.parametrize(
    ("preset", "options", "code"),
    [
        ("classic", {"fish": "bomb"}, "bad_option"),
        ("classic", {"players": 3}, "bad_option"),
        ("classic", {"whatever": 1}, "bad_option"),
        ("nothing", {}, "bad_option"),
        ("classic", {"base": 10}, "bad_choice"),
        ("baike", {"base": 1000}, "bad_choice"),
        ("tiantian", {"base": 3}, "bad_option"),
        ("tiantian", {"fish": "159", "fish_count": 11}, "bad_option"),
    ],
)
def test_bad_options_open_no_room(cast: list[User], preset: str, options: dict[str, object], code: str) -> None:
    assert refused(services.create_room, user=cast[0], preset=preset, options=options) == code
    assert not Room.objects.filter(owner=cast[0]).exists()


def test_a_number_of_hands_that_is_not_offered_is_refused(cast: list[User]) -> None:
    assert refused(services.create_room, user=cast[0], **CLASSIC, hands=5) == "bad_choice"


def test_one_table_at_a_time(cast: list[User]) -> None:
    first = services.create_room(user=cast[0], **CLASSIC)
    assert refused(services.create_room, user=cast[0], **CLASSIC) == "already_seated"
    other = services.create_room(user=cast[1], **CLASSIC)
    assert refused(services.join_room, user=cast[0], code=other.code) == "already_seated"
    services.leave_room(room_id=first.pk, user=cast[0])
    services.join_room(user=cast[0], code=other.code)


def test_a_practice_table_starts_at_once_and_ends_when_another_is_opened(cast: list[User]) -> None:
    first = services.create_practice(user=cast[0])
    assert first.hands.get().state == "running"
    second = services.create_practice(user=cast[0])
    first.refresh_from_db()
    assert (first.status, first.hands.get().state) == ("dissolved", "dissolved")
    assert second.status == "playing"


def test_the_owner_leaving_hands_the_room_on_and_the_last_one_closes_it(cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC, pay="split")
    services.join_room(user=cast[1], code=room.code)
    services.leave_room(room_id=room.pk, user=cast[0])
    room.refresh_from_db()
    assert room.owner_id == cast[1].pk
    services.leave_room(room_id=room.pk, user=cast[1])
    room.refresh_from_db()
    assert room.status == "dissolved"
    assert not room.hands.exists()


def test_nobody_leaves_a_game_that_has_begun(cast: list[User]) -> None:
    room = full_room(cast)
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    assert refused(services.leave_room, room_id=room.pk, user=cast[2]) == "in_progress"
    assert refused(services.set_ready, room_id=room.pk, user=cast[2]) == "not_waiting"
    assert room.seats.count() == 4


def test_the_outsider_can_do_nothing(cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC)
    outsider = {"room_id": room.pk, "user": cast[4]}
    version = room.version
    for call, values in [
        (services.set_ready, {}),
        (services.leave_room, {}),
        (services.ask_dissolve, {}),
        (services.vote, {"agree": True}),
        (services.kick, {"index": 0}),
        (services.say, {"kind": "text", "body": "hello"}),
    ]:
        assert refused(call, **outsider, **values) == "not_seated"
    room.refresh_from_db()
    assert room.version == version


def test_the_owner_kicks_before_the_start_and_only_then(cast: list[User]) -> None:
    room = full_room(cast)
    assert refused(services.kick, room_id=room.pk, user=cast[1], index=2) == "not_owner"
    assert refused(services.kick, room_id=room.pk, user=cast[0], index=0) == "no_such_seat"
    services.kick(room_id=room.pk, user=cast[0], index=2)
    assert sorted(room.seats.values_list("index", flat=True)) == [0, 1, 3]
    services.join_room(user=cast[4], code=room.code)
    assert room.seats.get(user=cast[4]).index == 2


def running(cast: list[User]) -> Room:
    room = full_room(cast)
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    return room


def test_all_agreeing_dissolves_and_the_hand_counts_for_nothing(cast: list[User]) -> None:
    room = running(cast)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    assert refused(services.ask_dissolve, room_id=room.pk, user=cast[1]) == "vote_open"
    for user in cast[1:4]:
        services.vote(room_id=room.pk, user=user, agree=True)
    room.refresh_from_db()
    hand = room.hands.get()
    assert (room.status, hand.state, hand.settlement) == ("dissolved", Hand.State.DISSOLVED, None)
    assert list(room.seats.values_list("score", flat=True)) == [0] * 4


def test_one_no_ends_the_request(cast: list[User]) -> None:
    room = running(cast)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    services.vote(room_id=room.pk, user=cast[1], agree=False)
    room.refresh_from_db()
    assert (room.status, room.dissolve_at) == ("playing", None)
    assert refused(services.vote, room_id=room.pk, user=cast[1], agree=True) == "no_vote"


def test_silence_agrees_once_the_time_is_over_and_not_before(cast: list[User]) -> None:
    room = running(cast)
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    services.dissolve(room_id=room.pk)
    room.refresh_from_db()
    assert room.status == "playing"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rooms_room SET dissolve_at = now() - interval '1 s' WHERE id = %s", [room.pk])
    services.dissolve(room_id=room.pk)
    services.dissolve(room_id=room.pk)
    room.refresh_from_db()
    assert (room.status, room.hands.get().state) == ("dissolved", "dissolved")


def test_a_room_nobody_starts_expires(cast: list[User]) -> None:
    room = services.create_room(user=cast[0], **CLASSIC)
    services.dissolve(room_id=room.pk)
    room.refresh_from_db()
    assert room.is_open
    Room.objects.filter(pk=room.pk).update(created_at="2020-01-01T00:00:00Z")
    services.dissolve(room_id=room.pk)
    room.refresh_from_db()
    assert room.status == "dissolved"


def test_the_last_seat_goes_to_one_of_many(make_user: Callable[[str], User]) -> None:
    users = [make_user("crowd") for _ in range(12)]
    room = services.create_room(user=users[0], **CLASSIC)
    outcomes: list[str] = []

    def join(user: User) -> None:
        try:
            services.join_room(user=user, code=room.code)
            outcomes.append("in")
        except RoomError as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=join, args=(user,)) for user in users[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in"] * 3 + ["room_unavailable"] * 8
    assert sorted(room.seats.values_list("index", flat=True)) == [0, 1, 2, 3]


def test_whoever_takes_a_break_neither_sits_down_nor_begins_a_hand(cast: list[User]) -> None:
    room = full_room(cast)
    User.objects.filter(pk=cast[3].pk).update(cool_off_until=timezone.now() + timedelta(days=1))
    cast[3].refresh_from_db()
    assert refused(services.set_ready, room_id=room.pk, user=cast[3]) == "limit"
    services.leave_room(room_id=room.pk, user=cast[3])
    assert refused(services.join_room, user=cast[3], code=room.code) == "limit"
    assert refused(services.create_room, user=cast[3], **CLASSIC) == "limit"
    assert refused(services.create_practice, user=cast[3]) == "limit"


def test_no_hand_is_begun_for_a_player_on_a_break_by_auto_play_either(cast: list[User]) -> None:
    room = running(cast)
    table.expire(room.hands.get(state="running").pk, records.database_now() + 3_600_000)
    User.objects.filter(pk=cast[2].pk).update(cool_off_until=timezone.now() + timedelta(days=1))
    Room.objects.filter(pk=room.pk).update(next_at="2020-01-01T00:00:00Z")
    services.start_overdue(room_id=room.pk)
    room.refresh_from_db()
    assert room.status == "dissolved"
    assert room.hands.filter(state="settled").count() == 1
