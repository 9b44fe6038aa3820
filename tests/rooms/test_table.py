"""A running hand on the real database: the clock as an argument, races for a row, the settlement in its transaction."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import msgspec
import pytest
from django.db import connection

from liuzhou.accounts.models import User
from liuzhou.rules import engine
from rooms import clock, history, records, services, settlement, table
from rooms import fold as folds
from rooms.errors import RoomError
from rooms.fold import PLAYER, Fold
from rooms.models import Action, Hand, Room
from tests.rooms.test_services import running

HOUR = 3_600_000


def open_hand(cast: list[User]) -> tuple[Room, Hand]:
    room = running(cast)
    return room, room.hands.get(state="running")


def body(fold: Fold, seat: int, pick: int = 0) -> dict[str, object]:
    return msgspec.json.decode(folds.body_of(engine.legal_actions(fold.state, seat)[pick]))


def play_one(fold: Fold, seat: int) -> Fold:
    tried = table.attempt(fold, seat, body(fold, seat), origin=PLAYER, now=0)
    return table.commit(tried)[1]


def test_a_hand_that_nobody_plays_ends_by_the_clock_alone(cast: list[User]) -> None:
    room, hand = open_hand(cast)
    fold = table.expire(hand.pk, records.database_now() + HOUR)
    assert not fold.running
    room.refresh_from_db()
    hand.refresh_from_db()
    assert (hand.state, room.status, room.hands_played) == ("settled", "between", 1)
    assert hand.settlement == fold.state.settlement.as_json()
    assert sorted(room.seats.values_list("auto", flat=True)) == [True] * 4
    scores = list(room.seats.order_by("index").values_list("score", flat=True))
    assert scores == hand.settlement["score"]
    assert sum(scores) == 0


def test_the_record_proves_itself_and_a_changed_one_does_not(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    table.expire(hand.pk, records.database_now() + HOUR)
    hand.refresh_from_db()
    record = json.loads(json.dumps(history.hand_record(hand)))
    assert history.verify(record) == []
    for key in ("secret", "commit", "seed"):
        assert history.verify({**record, key: "00" * 32})
    forged = {**record, "settlement": {**record["settlement"], "points": [9, -3, -3, -3]}}
    assert history.verify(forged) == ["replaying the log does not give the stored settlement"]


def test_nothing_happens_before_its_time_and_an_alarm_twice_acts_once(cast: list[User]) -> None:
    _, early = open_hand(cast)
    assert table.expire(early.pk, records.database_now()).seq == 0
    late = Hand.objects.get(pk=early.pk)
    late.started_at -= timedelta(milliseconds=clock.TURN_MS + clock.RESERVE_MS)
    late.save(update_fields=["started_at"])
    table.cache.forget(late.pk)
    now = records.database_now()
    assert [table.expire(late.pk, now).seq for _ in range(3)] == [1, 1, 1]
    assert Action.objects.filter(hand=late).count() == 1


def test_a_process_keeps_no_hand_that_is_over_nor_one_that_nobody_touches(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    fold = records.load(hand.pk)
    kept, idle = table.Folds(), table.Folds(seconds=-1.0)
    kept.keep(fold)
    idle.keep(fold)
    assert (len(kept), len(idle)) == (1, 0)
    assert idle.current(hand.pk) == fold
    over = table.expire(hand.pk, records.database_now() + HOUR)
    assert not over.running
    kept.keep(over)
    assert len(kept) == 0
    assert kept.current(hand.pk).state == over.state
    assert len(kept) == 0


def test_the_whole_room_plays_itself_to_its_end(cast: list[User]) -> None:
    room, _ = open_hand(cast)
    while True:
        room.refresh_from_db()
        if not room.is_open:
            break
        if room.status == "between":
            Room.objects.filter(pk=room.pk).update(next_at="2020-01-01T00:00:00Z")
            services.start_overdue(room_id=room.pk)
        table.expire(room.hands.get(state="running").pk, records.database_now() + HOUR)
    hands = list(room.hands.order_by("number"))
    assert [hand.state for hand in hands] == ["settled"] * 4
    assert room.status == "done"
    totals = [sum(column) for column in zip(*(hand.settlement["score"] for hand in hands), strict=True)]
    assert list(room.seats.order_by("index").values_list("score", flat=True)) == totals
    dealers = [hand.dealer for hand in hands]
    assert dealers[1:] == [hand.settlement["next_dealer"] for hand in hands[:-1]]


def test_a_row_goes_in_once_and_the_loser_learns_it(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    fold = table.cache.current(hand.pk)
    seat = fold.state.turn
    first = table.attempt(fold, seat, body(fold, seat, 0), origin=PLAYER, now=0, ref="a")
    second = table.attempt(fold, seat, body(fold, seat, 1), origin=PLAYER, now=0, ref="b")
    table.commit(first)
    with pytest.raises(table.LostRace):
        table.commit(second)
    assert [row.ref for row in records.log_of(hand.pk)] == ["a"]


def test_the_clock_racing_a_click_has_one_effect(cast: list[User]) -> None:
    """Many rounds of a player's answer against the alarm for it, on two connections."""
    _, hand = open_hand(cast)
    for _ in range(30):
        fold = table.Folds().current(hand.pk)
        if not fold.running:
            break
        seat = engine.deciders(fold.state)[0]
        click = table.attempt(fold, seat, body(fold, seat), origin=PLAYER, now=0, ref="click")
        barrier = threading.Barrier(2)

        def clicking(click: table.Attempt = click, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            try:
                table.commit(click)
            except table.LostRace:
                pass
            finally:
                connection.close()

        thread = threading.Thread(target=clicking)
        thread.start()
        barrier.wait()
        due = fold.due(seat)
        table.expire(hand.pk, due)
        thread.join()
        answers = [row for row in records.log_of(hand.pk) if row.seq == fold.seq + 1]
        assert len(answers) == 1
    rows = records.log_of(hand.pk)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    hand.refresh_from_db()
    assert hand.seq == len(rows)


def test_the_hands_columns_follow_the_log(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    fold = table.cache.current(hand.pk)
    for _ in range(12):
        fold = play_one(fold, engine.deciders(fold.state)[0])
        hand.refresh_from_db()
        assert hand.seq == fold.seq
        assert records.milliseconds(hand.deadline) == pytest.approx(fold.deadline(), abs=1)
    assert records.load(hand.pk) == fold


def test_a_settlement_that_meets_a_dissolved_room_does_not_happen(cast: list[User]) -> None:
    """Dissolving and settling race: whoever commits first decides, and the other changes nothing."""
    room, hand = open_hand(cast)
    fold, last = table.cache.current(hand.pk), None
    while fold.running:
        seat = engine.deciders(fold.state)[0]
        last = table.attempt(fold, seat, body(fold, seat, -1), origin=PLAYER, now=0)
        if last.settles:
            break
        fold = table.commit(last)[1]
    assert last is not None
    services.ask_dissolve(room_id=room.pk, user=cast[0])
    for user in cast[1:4]:
        services.vote(room_id=room.pk, user=user, agree=True)
    with pytest.raises(table.LostRace):
        table.commit(last)
    hand.refresh_from_db()
    assert (hand.state, hand.settlement) == ("dissolved", None)


def test_finish_refuses_a_hand_that_is_not_over(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    fold = table.cache.current(hand.pk)
    tried = table.attempt(fold, fold.state.turn, body(fold, fold.state.turn), origin=PLAYER, now=0)
    with pytest.raises(ValueError, match="settles"):
        settlement.finish(tried.after, tried.row)
    assert not Action.objects.filter(hand=hand).exists()


def test_acting_in_a_closed_hand_is_refused(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    fold = table.expire(hand.pk, records.database_now() + HOUR)
    with pytest.raises(RoomError, match="hand_over"):
        table.attempt(fold, 0, {"do": "pass"}, origin=PLAYER, now=0)


def test_a_void_hand_counts_for_nothing_and_the_room_goes_on(cast: list[User]) -> None:
    room, hand = open_hand(cast)
    for bad in ("", "   ", "x" * 201):
        with pytest.raises(RoomError, match="bad_reason"):
            services.void_hand(hand_id=hand.pk, admin=cast[4], reason=bad)
    services.void_hand(hand_id=hand.pk, admin=cast[4], reason="断电")
    with pytest.raises(RoomError, match="hand_over"):
        services.void_hand(hand_id=hand.pk, admin=cast[4], reason="again")
    hand.refresh_from_db()
    room.refresh_from_db()
    assert (hand.state, hand.void_reason, hand.voided_by_id) == ("void", "断电", cast[4].pk)
    assert (room.status, room.hands_played) == ("between", 0)
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    assert room.hands.get(state="running").number == 2


def test_an_outage_is_given_back_to_players_and_not_to_the_house(cast: list[User]) -> None:
    _, hand = open_hand(cast)
    before = table.cache.current(hand.pk)
    table.give_back(hand.pk, 60_000)
    after = table.cache.current(hand.pk)
    turn = after.state.turn
    assert after.due(turn) == before.due(turn) + 60_000
    hand.refresh_from_db()
    assert records.milliseconds(hand.deadline) == pytest.approx(after.deadline(), abs=1)
    assert table.expire(hand.pk, before.due(turn)).seq == after.seq


def test_only_the_first_to_come_back_sees_the_outage(real_db: None) -> None:
    records.pulse("test-outage")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rooms_pulse SET at = at - interval '7 s' WHERE name = 'test-outage'")
    first, second = records.pulse("test-outage"), records.pulse("test-outage")
    assert 7_000 <= first < 9_000
    assert second < 2_000
