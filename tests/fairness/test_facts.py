"""What a hand says: sums that must agree with the settlement and the log; and the statistics against known values."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.fairness import play
from liuzhou.fairness import evidence
from liuzhou.fairness.expectation import PRIOR_DISCARDS, Field, rates_of
from liuzhou.fairness.facts import Pair, Tally, coin_flows, edge_of, facts_of, flows_of
from liuzhou.rules.events import Discarded, Melded, Won
from liuzhou.rules.options import Options
from liuzhou.rules.replay import replay
from liuzhou.rules.state import State
from liuzhou.rules.wall import build
from tests.rules.playing import all_options, hand, seeds


@given(all_options, seeds)
@settings(max_examples=50, deadline=None)
def test_the_facts_of_any_hand_agree_with_its_events(options: Options, seed: int) -> None:
    discards, takes, won = [0] * options.players, {}, None
    after: State | None = None
    for _before, _action, after, events in hand(options, seed):  # noqa: B007 - the last one is wanted
        for event in events:
            if isinstance(event, Discarded):
                discards[event.seat] += 1
            elif isinstance(event, Melded) and event.meld.kind not in ("added_kong", "concealed_kong"):
                pair = Pair(event.seat, event.meld.source)
                takes[pair] = takes.get(pair, 0) + 1
            elif isinstance(event, Won):
                won = event
    assert after is not None
    assert after.settlement is not None
    facts = facts_of(after, stake=10, coins=[10 * points for points in after.settlement.points])
    assert [own.discards for own in facts.seats] == discards
    assert {pair: tally.takes for pair, tally in facts.pairs.items() if tally.takes} == takes
    for pair, tally in facts.pairs.items():
        assert tally.all_discards == discards[pair.feeder]
        assert (tally.discards == 0) or (pair.taker - pair.feeder) % options.players != 1
        assert tally.chows == 0 or (pair.taker - pair.feeder) % options.players == 1
        assert tally.all_wins == (won is not None and won.source == pair.feeder and pair.taker in won.seats)
        assert tally.won == facts.seats[pair.taker].wins
        assert tally.share == facts.seats[pair.taker].share
        assert tally.coins == 10 * tally.points == -facts.pairs[Pair(pair.feeder, pair.taker)].coins
    for seat, own in enumerate(facts.seats):
        assert own.points == sum(tally.points for pair, tally in facts.pairs.items() if pair.taker == seat)
        assert own.wins == (won is not None and seat in won.seats)
    assert sum(own.share for own in facts.seats) == pytest.approx(sum(own.wins for own in facts.seats))
    assert sum(tally.edge for tally in facts.pairs.values()) == pytest.approx(0)


def test_a_running_hand_has_no_facts() -> None:
    options = Options.parse("classic")
    state, _events = next(replay(options, 0, build(bytes(32), options), []))
    with pytest.raises(ValueError, match="settled"):
        facts_of(state)


def test_who_cannot_pay_in_full_pays_everybody_in_proportion() -> None:
    flows = [[0, 3, 1, 0], [-3, 0, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0]]
    moved = coin_flows(flows, 100, [-200, 150, 50, 0])
    assert (moved[0][1], moved[0][2], moved[1][0]) == (150, 50, -150)
    assert coin_flows(flows, 100, [-400, 300, 100, 0])[0][1] == 300


def test_strength_alone_gives_no_edge() -> None:
    strengths = (5, -3, 0, -2)
    flows = [[strengths[to] - strengths[from_] for to in range(4)] for from_ in range(4)]
    assert all(edge_of(flows, a, b) == 0 for a in range(4) for b in range(4) if a != b)
    flows[1][0] += 4  # the second gives the first something besides
    flows[0][1] -= 4
    assert edge_of(flows, 0, 1) == 4
    assert edge_of(flows, 2, 3) == 0
    assert edge_of([[0, -2], [2, 0]], 0, 1) == 0  # two players: nobody to compare with


def test_flows_are_the_lines_of_the_settlement() -> None:
    state, _done = play(Options.parse("classic"), ("greedy",) * 4, 0, random.Random(3))
    assert state.settlement is not None
    flows = flows_of(state.settlement.payments, 4)
    assert [-sum(row) for row in flows] == list(state.settlement.points)


@pytest.mark.parametrize(
    ("found", "trials", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)]
)
def test_wilsons_interval(found: int, trials: int, low: float, high: float) -> None:
    assert evidence.wilson(found, trials) == pytest.approx((low, high), abs=1e-4)
    assert evidence.wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("expected", "low", "high"), [(0.0, 0, 0), (1.0, 0, 3), (10.0, 4, 17), (45.0, 32, 59)])
def test_the_range_of_chance(expected: float, low: int, high: int) -> None:
    assert evidence.poisson_range(expected) == (low, high)


def test_the_range_of_many_joins_the_exact_one() -> None:
    below, above = evidence.poisson_range(399.0), evidence.poisson_range(401.0)
    assert abs(above[0] - below[0]) <= 4
    assert abs(above[1] - below[1]) <= 4


@given(st.floats(0.5, 40), st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_evidence_is_a_fair_bet(expected: float, seed: int) -> None:
    """Its mean over all counts that chance gives is 1, so that it exceeds K once in K times at most."""
    chance, total = math.exp(-expected), 0.0
    for count in range(400):
        total += chance * 10 ** evidence.count_score(count, expected)
        chance *= expected / (count + 1)
    assert total == pytest.approx(1.0, abs=1e-6)


def test_looking_again_and_again_finds_nothing_in_honest_trials() -> None:
    rng, worst = random.Random(7), -99.0
    for _player in range(300):
        found = 0
        for hand_number in range(1, 301):
            found += rng.random() < 0.3
            worst = max(worst, evidence.count_score(found, 0.3 * hand_number))
    assert worst < math.log10(300) + 1


def test_a_sum_of_gains_tells_a_drift_from_luck() -> None:
    rng = random.Random(5)
    luck = [rng.choice((-3, -1, 0, 1, 3)) for _ in range(2000)]
    squares = sum(each * each for each in luck)
    assert evidence.sum_score(sum(luck), squares) < 2
    assert evidence.sum_score(sum(luck) + 0.5 * len(luck), squares + 0.25 * len(luck)) > 10


def test_more_comparisons_ask_for_more() -> None:
    assert evidence.threshold(1000, 0.01) == pytest.approx(5.0)
    assert evidence.threshold(100_000, 0.01) == pytest.approx(7.0)


def test_rates_begin_with_what_is_known_of_bots_and_end_with_the_sites_own() -> None:
    early = rates_of("classic:4", Tally())
    assert early.chow == pytest.approx(0.0624)
    late = rates_of("classic:4", Tally(next_discards=100 * PRIOR_DISCARDS, chows=3 * PRIOR_DISCARDS))
    assert late.chow == pytest.approx(0.03, rel=0.02)


def table_of(pongs: dict[tuple[int, int], int]) -> Field:
    """Four players, each pair of whom met for 200 hands; usually 34 of the other's discards are ponged."""
    pairs, takers, feeders, site = {}, {}, {}, Tally()
    for taker in range(4):
        for feeder in range(4):
            if taker != feeder:
                tally = Tally(hands=200, discards=2000, pongs=pongs.get((taker, feeder), 34))
                pairs[taker, feeder] = {"classic:4": tally}
                for sums in (takers.setdefault(taker, Tally()), feeders.setdefault(feeder, Tally()), site):
                    sums.add(tally)
    as_table = ({one: {"classic:4": tally} for one, tally in each.items()} for each in (takers, feeders))
    return Field(pairs, *as_table, {"classic:4": rates_of("classic:4", site)})


def test_who_takes_a_lot_from_everybody_is_expected_to_and_who_takes_it_from_one_is_not() -> None:
    eager = table_of({(0, feeder): 80 for feeder in (1, 2, 3)}).expected(0, 1).takes
    careless = table_of({(taker, 1): 80 for taker in (0, 2, 3)}).expected(0, 1).takes
    friends = table_of({(0, 1): 80}).expected(0, 1).takes
    assert eager > 60
    assert careless > 60
    assert friends < 45
    assert evidence.count_score(80, 1.25 * eager) < 0 < evidence.count_score(80, 1.25 * friends)


def test_the_pair_itself_is_left_out_of_its_expectation() -> None:
    few, many = (table_of({(0, 1): pongs}).expected(0, 1).takes for pongs in (34, 102))
    assert many < 1.2 * few  # only the site's rates have moved
