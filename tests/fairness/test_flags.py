"""Honest bots raise no flag, a pair that feeds does; flags are raised once, refreshed, decided, and raised again only by
evidence that is new."""

from __future__ import annotations

import random
import threading
from datetime import date, timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from bench.fairness import MIXTURES, Group
from liuzhou.accounts.models import User
from liuzhou.fairness import decisions, judging, marks, selectors, weighing
from liuzhou.fairness.decisions import DecisionError
from liuzhou.fairness.facts import Own, Tally
from liuzhou.fairness.models import Decision, Flag, Mark, PairDay, PlayerDay, Sitting, Taken
from rooms.models import Hand, Room
from tests.fairness import world
from tests.fairness.conftest import count

DAY = timedelta(days=1)


# ---- What is flagged and what is not: play alone, no database (more in bench/fairness.py) ---------------------------


@pytest.mark.parametrize("names", [MIXTURES[0], MIXTURES[4]], ids=" ".join)
def test_honest_play_raises_no_flag(names: tuple[str, ...]) -> None:
    group = Group(names, 11, reseat=8)
    for _ in range(3):
        group.play(40)
        assert group.flagged() == []


def test_a_pair_that_feeds_is_flagged_and_nobody_else() -> None:
    group, found = Group(("greedy",) * 4, 12, reseat=8, feeding={1: 0}), []
    while not found and group.hands < 200:
        group.play(20)
        found = group.flagged()
    assert {(finding.one, finding.other) for finding in found} == {(0, 1)}
    assert "feeding" in {finding.kind for finding in found}


def test_a_few_hands_are_no_evidence_whatever_happened_in_them() -> None:
    group = Group(("greedy",) * 4, 13, reseat=0, feeding={1: 0}, dump=True)
    group.play(judging.PAIR_HANDS - 10)
    assert group.flagged() == []


def test_a_player_who_always_wins_is_flagged_one_who_beats_beginners_is_not() -> None:
    table = {"classic:4": Own(hands=200, wins=150, share=45.0)}
    own = selectors.whole(table)
    alike = judging.winning(1, own, judging.expected_wins(table, 1.0))
    weak = judging.winning(1, own, judging.expected_wins(table, judging.WEAKEST))
    assert alike.score > 10 > 0 > weak.score


def test_coins_that_flow_one_way_are_flagged_when_nothing_explains_them() -> None:
    honest = Tally(coin_hands=1000, coins=90_000, edge=30.0, edge_squares=3000.0)
    dumping = Tally(coin_hands=1000, coins=90_000, edge=600.0, edge_squares=4000.0)
    assert judging.coins(1, 2, honest, 100_000).score < 1
    found = judging.coins(1, 2, dumping, 100_000)
    assert found.score > 5
    assert found.evidence["share"] == 0.9


# ---- In the database ---------------------------------------------------------------------------------------------------


def add_days(players: list[User], first: date, hands: int, *, fed: float = 1.0, days: int = 2) -> None:
    """So many hands of these four on each of some days, as honest players would have them; 东 takes of 南 `fed` times as
    much. And a real hand, so that there is something to weigh."""
    for number in range(days):
        day = first + number * DAY
        for taker in players:
            for feeder in players:
                if taker != feeder:
                    times = fed if (taker, feeder) == (players[0], players[1]) else 1.0
                    PairDay.objects.create(
                        day=day, taker=taker, feeder=feeder, table="classic:4", hands=hands, next_discards=3 * hands,
                        discards=6 * hands, chows=round(0.19 * times * hands), next_pongs=round(0.05 * times * hands),
                        pongs=round(0.1 * times * hands),
                    )  # fmt: skip
    world.settled(world.room(players, stake=0), players, random.Random(hands), ended=world.NOON)
    count()


@pytest.fixture
def colluders(desk: None, players: list[User]) -> list[User]:
    """南 feeds 东 for 151 hands over two days."""
    add_days(players, date(2026, 11, 21), 75, fed=3)
    weighing.weigh_all()
    return players


def mine(players: list[User]) -> list[Flag]:
    return list(Flag.objects.filter(one__in=players).order_by("pk"))


@pytest.mark.django_db
def test_hands_that_were_played_raise_one_flag_with_its_figures(desk: None, players: list[User]) -> None:
    world.evening(players, 90, 21, feeding={1: 0}, dump=True)
    world.evening(players, 40, 22, feeding={1: 0}, dump=True, start=world.NOON + DAY)
    count()
    assert weighing.weigh_all() >= 1
    flag = Flag.objects.get(one__in=players, kind="feeding")
    assert (flag.one, flag.other, flag.state) == (players[0], players[1], "open")
    assert flag.hands == flag.evidence["hands"] == 130
    assert flag.evidence["found"] > flag.evidence["high"] > flag.evidence["expected"] > flag.evidence["low"]
    assert flag.score >= flag.evidence["threshold"]
    assert (flag.first_day, flag.last_day) == (date(2026, 11, 20), date(2026, 11, 21))


@pytest.mark.django_db
def test_an_open_flag_is_refreshed_not_repeated(colluders: list[User]) -> None:
    (before,) = mine(colluders)
    add_days(colluders, date(2026, 11, 23), 10)
    assert weighing.weigh_all() == 0
    (flag,) = mine(colluders)
    assert (flag.pk, flag.hands, flag.times, flag.raised_at) == (before.pk, 172, 1, before.raised_at)
    assert flag.last_day == date(2026, 11, 24)
    assert not flag.evidence["below"]
    add_days(colluders, date(2026, 11, 25), 400)
    weighing.weigh_all()
    (flag,) = mine(colluders)
    assert (flag.state, flag.evidence["below"]) == ("open", True)  # it is an admin who closes it


@pytest.mark.django_db
def test_a_decided_flag_stays_decided_until_new_evidence_is_enough_alone(
    colluders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    (flag,) = mine(colluders)
    boss = world.player("boss")
    monkeypatch.setattr(decisions, "database_now", lambda: world.NOON + 2 * DAY)
    decisions.decide(flag_id=flag.pk, verdict="clear", reason=" 一家人 ", by=boss, seen=0)
    add_days(colluders, date(2026, 11, 23), 20)  # honest: the old evidence alone would still be enough
    assert weighing.weigh_all() == 0
    (flag,) = mine(colluders)
    assert (flag.state, flag.hands, flag.decisions.get().reason) == ("clear", 151, "一家人")
    add_days(colluders, date(2026, 11, 25), 80, fed=3)
    assert weighing.weigh_all() == 1
    (flag,) = mine(colluders)
    assert (flag.state, flag.times, flag.hands) == ("open", 2, 200)
    assert flag.first_day == date(2026, 11, 23)
    assert flag.decisions.get().hands == 151  # as it was


@pytest.mark.django_db
def test_what_is_decided_while_it_is_weighed_stays_decided(
    colluders: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    (flag,) = mine(colluders)
    add_days(colluders, date(2026, 11, 23), 20, fed=3)
    monkeypatch.setattr(decisions, "database_now", lambda: world.NOON + 9 * DAY)
    decisions.decide(flag_id=flag.pk, verdict="clear", reason="一家人", by=world.player("boss"), seen=0)
    monkeypatch.setattr(weighing, "_baselines", lambda users: {})  # as it was when the weighing began
    assert weighing.weigh_all() == 0
    assert mine(colluders)[0].state == "clear"


@pytest.mark.django_db
def test_a_decision_needs_a_reason_a_verdict_and_nobody_before(colluders: list[User]) -> None:
    (flag,) = mine(colluders)
    boss = world.player("boss")
    for values, code in (
        ({"verdict": "watch", "reason": "  ", "seen": 0}, "no_reason"),
        ({"verdict": "open", "reason": "x", "seen": 0}, "bad_verdict"),
        ({"verdict": "watch", "reason": "x", "seen": 1}, "decided_meanwhile"),
    ):
        with pytest.raises(DecisionError) as error:
            decisions.decide(flag_id=flag.pk, by=boss, **values)  # type: ignore[arg-type]
        assert error.value.code == code
        assert error.value.text("zh-hans") != error.value.text("en")
    assert not flag.decisions.exists()
    decisions.decide(flag_id=flag.pk, verdict="watch", reason="再看看", by=boss, seen=0)
    decisions.decide(flag_id=flag.pk, verdict="freeze", reason="证据充分", by=boss, seen=1)
    assert [each.verdict for each in flag.decisions.all()] == ["freeze", "watch"]


@pytest.mark.django_db
def test_nobody_changes_a_decision(colluders: list[User]) -> None:
    (flag,) = mine(colluders)
    decisions.decide(flag_id=flag.pk, verdict="watch", reason="再看看", by=world.player("boss"), seen=0)
    for statement in ("UPDATE fairness_decision SET reason = 'x'", "DELETE FROM fairness_decision"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Decision.objects.get(flag=flag).reason == "再看看"


@pytest.mark.django_db
def test_strangers_at_honest_tables_raise_nothing(desk: None, players: list[User]) -> None:
    world.evening(players, 40, 31)
    count()
    assert weighing.weigh_all() == 0
    assert mine(players) == []


@pytest.mark.django_db
def test_old_evidence_does_not_count(colluders: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    assert weighing.period_start(date(2026, 12, 1)) == date(2026, 7, 1)
    assert weighing.period_start(date(2027, 1, 1)) == date(2026, 10, 1)
    Flag.objects.filter(one__in=colluders).delete()
    Taken.objects.filter(hand__players__user=colluders[0]).update(weighed=False)
    monkeypatch.setattr(weighing, "database_now", lambda: world.NOON + timedelta(days=220))
    assert weighing.weigh_all() == 0


@pytest.mark.django_db
def test_one_device_at_one_coin_table_is_a_fact(desk: None, players: list[User]) -> None:
    day = date(2026, 11, 20)
    device = marks.digest(Mark.Kind.DEVICE, "f" * 32)
    marks.note(marks.Seen(user.pk, Mark.Kind.DEVICE, device, day - 9 * DAY) for user in players[:2])
    marks.note([marks.Seen(players[2].pk, Mark.Kind.DEVICE, device, day + DAY)])  # too late for these hands
    world.evening(players, judging.DEVICE_HANDS, 41)
    count()
    assert weighing.weigh_all() == 1
    (flag,) = mine(players)
    assert (flag.kind, flag.score) == ("place", judging.FACT)
    assert {flag.one, flag.other} == set(players[:2])
    assert flag.evidence == {"hands": 20, "device": 20, "address": 0, "threshold": 5.0, "below": False}


@pytest.mark.django_db
def test_addresses_of_seats_count_and_only_at_coin_tables(desk: None, players: list[User]) -> None:
    rng = random.Random(1)
    for stake in (10, 0):
        where = world.room(players, stake=stake, addresses=("198.51.100.7", "198.51.100.7", "203.0.113.1"))
        world.settled(where, players, rng)
    count()
    shared = PairDay.objects.filter(taker__in=players, same_address__gt=0)
    assert {(row.taker, row.feeder, row.same_address) for row in shared} == {
        (players[0], players[1], 1), (players[1], players[0], 1),
    }  # fmt: skip


@pytest.mark.django_db
def test_who_meets_at_every_table_of_a_busy_bracket_is_flagged(desk: None) -> None:
    crowd = [world.player(f"p{number}") for number in range(16)]
    pair, rng = crowd[:2], random.Random(3)
    rooms = Room.objects.bulk_create(
        Room(code=f"{n:06d}", stake=10, preset="classic", status="done", options={}) for n in range(240)
    )
    for slot in range(60):
        others = rng.sample(crowd[2:], 14)
        tables = [[*pair, *others[:2]], others[2:6], others[6:10], others[10:14]]
        when = world.NOON + slot * timedelta(hours=3)
        Sitting.objects.bulk_create(
            Sitting(slot=when, preset="classic", stake=10, room=rooms[4 * slot + number], player=user)
            for number, seats in enumerate(tables)
            for user in seats
        )
    found = selectors.met(pair[0].pk, pair[1].pk, date(2026, 11, 1))
    assert found.rooms == 60
    assert found.expected == pytest.approx(60 * 3 / 15)  # three others at the table, of fifteen who were there
    chance = selectors.met(crowd[2].pk, crowd[3].pk, date(2026, 11, 1))
    assert chance.rooms < 27
    for seats in (pair, crowd[2:4]):
        four = [*seats, *crowd[4:6]]
        world.settled(world.room(four), four, rng, ended=world.NOON - timedelta(days=1))
    count()
    weighing.weigh_all()
    (flag,) = Flag.objects.filter(one__in=crowd, kind="meeting")
    assert {flag.one, flag.other} == set(pair)


@pytest.mark.django_db
def test_where_there_is_nobody_else_meeting_is_no_wonder(desk: None, players: list[User]) -> None:
    world.evening(players, 12, 51, reseat=1)
    count()
    found = selectors.met(players[0].pk, players[1].pk, date(2026, 11, 1))
    assert found.rooms == 12
    assert found.expected >= 10


@pytest.mark.django_db
def test_between_two_players_nothing_can_be_compared(desk: None, players: list[User]) -> None:
    two, rng = players[:2], random.Random(2)
    where = world.room(two, stake=0, preset="tiantian")
    for _ in range(judging.PAIR_HANDS + 5):
        world.settled(where, two, rng, names=("greedy", "auto"), feeding={1: 0}, dump=True)
    count()
    assert weighing.weigh_all() == 0
    assert PlayerDay.objects.get(player=two[0]).hands == judging.PAIR_HANDS + 5


def test_two_weighers_raise_a_flag_once(real_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits are real here: what other tests played must neither come first nor change what is usual on the site."""
    nobody = {table: selectors.rates_of(table, Tally()) for table in selectors.site_rates()}
    monkeypatch.setattr(weighing, "measure_site", lambda since: (nobody, 10))
    players = [world.player(name) for name in "东南西北"]
    for number in range(2):
        add_days(players, date(2026, 11, 21) + number * DAY, 75, fed=3, days=1)
    Taken.objects.update(weighed=True)
    for hand in Hand.objects.filter(players__user=players[0], state=Hand.State.SETTLED).defer("secret"):
        Taken.objects.update_or_create(hand=hand, defaults={"weighed": False})
    barrier, raised = threading.Barrier(2), []

    def work() -> None:
        try:
            barrier.wait(5)
            raised.append(weighing.weigh(most=1)[1])
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    weighing.weigh_all()
    assert Flag.objects.filter(kind="feeding", one=players[0], other=players[1]).count() == 1
    assert Flag.objects.get(kind="feeding", one=players[0]).times == 1
    PairDay.objects.filter(taker__in=players).delete()  # made up: no other test shall meet them
