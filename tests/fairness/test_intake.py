"""Settled hands come into the sums exactly once, whatever happens; what cannot be read is said so and left out."""

from __future__ import annotations

import random
import threading
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Sum

from liuzhou.accounts.models import User
from liuzhou.celery import app
from liuzhou.fairness import intake, rebuilding, weighing
from liuzhou.fairness.facts import TALLY
from liuzhou.fairness.models import Flag, PairDay, PlayerDay, Progress, Sitting, Taken
from rooms.models import Action, Hand
from tests.fairness import world
from tests.fairness.conftest import count


def sums(players: list[User]) -> list[tuple[Any, ...]]:
    """Everything that was added up of these players."""
    places = {user.pk: place for place, user in enumerate(players)}
    rows = PairDay.objects.filter(taker__in=players).values_list("taker", "feeder", "day", "table", *TALLY)
    return sorted((places[taker], places[feeder], *rest) for taker, feeder, *rest in rows)


@pytest.mark.django_db
def test_the_sums_are_what_the_players_records_say(desk: None, players: list[User]) -> None:
    hands = world.evening(players, 12, 1)
    assert count() == 12
    for user in players:
        own = PlayerDay.objects.filter(player=user).aggregate(
            hands=Sum("hands"), points=Sum("points"), coins=Sum("coins"), wins=Sum("wins")
        )
        played = [(hand, hand.players.get(user=user)) for hand in hands]
        assert own["hands"] == 12
        assert own["points"] == sum(seat.score for _hand, seat in played)
        assert own["coins"] == sum(seat.coins for _hand, seat in played)
        assert own["wins"] == sum(win["seat"] == seat.index for hand, seat in played for win in hand.settlement["wins"])
    between = PairDay.objects.filter(taker__in=players).aggregate(points=Sum("points"), coins=Sum("coins"))
    assert (between["points"], between["coins"]) == (0, 0)
    assert Sitting.objects.filter(player=players[0]).count() == 2


@pytest.mark.django_db
def test_a_hand_is_counted_once_however_often_somebody_counts(desk: None, players: list[User]) -> None:
    hands = world.evening(players, 6, 2)
    assert count() == 6
    before = sums(players)
    assert count() == 0
    with transaction.atomic():
        assert intake.take_in(hands) == (0, 0)
    assert sums(players) == before
    assert Progress.objects.get().hands == 6


@pytest.mark.django_db
def test_only_settled_hands_are_read(desk: None, players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    hands = world.evening(players, 4, 3)
    for hand, state in zip(hands, (Hand.State.RUNNING, Hand.State.VOID, Hand.State.DISSOLVED), strict=False):
        Hand.objects.filter(pk=hand.pk).update(state=state)
    read = []
    original = intake.log_of
    monkeypatch.setattr(intake, "log_of", lambda pk: read.append(pk) or original(pk))
    assert count() == 1
    assert read == [hands[3].pk]
    with pytest.raises(ValueError, match="settled"):
        intake.final_state(Hand.objects.get(pk=hands[0].pk))


@pytest.mark.django_db
def test_practice_is_nobodys_business_and_bots_make_no_pairs(desk: None, players: list[User]) -> None:
    four = [players[0], None, None, None]
    world.settled(world.room(four, stake=0, practice=True), four, random.Random(1))
    assert count() == 0
    two = [players[0], players[1], None, None]
    world.settled(world.room(two, stake=0), two, random.Random(1))
    assert count() == 1
    assert PairDay.objects.filter(taker__in=players).count() == 2


@pytest.mark.django_db
def test_a_log_that_does_not_lead_to_its_settlement_is_left_out(desk: None, players: list[User]) -> None:
    good, broken, cut, lost = world.evening(players, 4, 4)
    broken.settlement["score"][0] += 1
    broken.save()
    Action.objects.filter(hand=cut, seq=cut.seq).delete()
    lost.players.filter(index=3).delete()
    assert count() == 4
    progress = Progress.objects.get()
    assert (progress.hands, progress.problems) == (4, 3)
    assert PlayerDay.objects.get(player=players[0]).hands == 1
    assert set(Taken.objects.exclude(problem="").values_list("hand", flat=True)) == {broken.pk, cut.pk, lost.pk}
    assert Taken.objects.get(hand=good).problem == ""


@pytest.mark.django_db
def test_a_crash_in_the_middle_leaves_nothing_behind(
    desk: None, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.evening(players, 5, 5)
    with monkeypatch.context() as broken:
        broken.setattr(intake, "SIT", "SELECT 1 / 0")
        broken.setattr(intake, "_upsert", _then_fail(intake._upsert))
        with pytest.raises(RuntimeError, match="killed"):
            count()
    assert not Taken.objects.filter(weighed=False).exists()
    assert not PairDay.objects.filter(taker__in=players).exists()
    assert count() == 5


def _then_fail(upsert: Any) -> Any:
    def failing(*arguments: Any) -> None:
        upsert(*arguments)
        raise RuntimeError("killed")

    return failing


@pytest.mark.django_db
def test_a_hand_whose_end_was_committed_late_is_found(desk: None, players: list[User]) -> None:
    world.evening(players, 2, 6, start=world.NOON)
    assert count() == 2
    late = world.NOON - timedelta(minutes=10)
    world.settled(world.room(players), players, random.Random(1), ended=late)
    assert count() == 1


def test_two_workers_with_the_same_hands_add_them_once(real_db: None) -> None:
    players = [world.player(name) for name in "东南西北"]
    hands = world.evening(players, 10, 7, stake=0)  # what is committed here stays, and coins would need a ledger entry
    barrier, added = threading.Barrier(2), []

    def work() -> None:
        try:
            barrier.wait(5)
            with transaction.atomic():
                added.append(intake.take_in(list(Hand.objects.filter(pk__in=[hand.pk for hand in hands]))))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(added) == [(0, 0), (10, 0)]
    assert [PlayerDay.objects.filter(player=user).aggregate(n=Sum("hands"))["n"] for user in players] == [10] * 4
    assert Taken.objects.filter(hand__in=hands).count() == 10


def test_while_one_worker_counts_another_leaves_it_alone(real_db: None) -> None:
    Progress.objects.get_or_create(pk=1)
    held, go, seen = threading.Event(), threading.Event(), []

    def hold() -> None:
        try:
            with transaction.atomic():
                Progress.objects.select_for_update().get(pk=1)
                held.set()
                go.wait(10)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    seen.append(intake.take())
    go.set()
    thread.join(10)
    assert seen == [None]


@pytest.mark.django_db
def test_a_rebuild_gives_the_same_sums_and_keeps_the_flags(
    desk: None, players: list[User], capsys: pytest.CaptureFixture[str]
) -> None:
    Hand.objects.filter(pk__in=Taken.objects.values("hand")).update(state=Hand.State.VOID)  # other tests'; rolled back
    world.evening(players, 8, 8)
    count()
    flag = Flag.objects.create(
        kind="winning", one=players[0], score=9, first_day=world.NOON, last_day=world.NOON, evidence={}
    )
    before = sums(players)
    PairDay.objects.filter(taker=players[0]).update(chows=99)
    out = StringIO()
    call_command("fairness_rebuild", stdout=out)
    assert sums(players) == before
    assert Flag.objects.filter(pk=flag.pk).exists()
    assert "8 hands counted, 0 unreadable" in out.getvalue()
    assert "100%" in capsys.readouterr().err
    assert rebuilding.remaining() == 0


@pytest.mark.django_db
def test_the_tasks_do_the_whole_of_it(desk: None, players: list[User]) -> None:
    world.evening(players, 3, 9)
    for name in ("fairness-take", "fairness-weigh", "fairness-forget"):
        app.tasks[app.conf.beat_schedule[name]["task"]].apply().get()
    assert Taken.objects.filter(weighed=True, hand__players__user=players[0]).count() == 3
    assert weighing.weigh() == (0, 0)
