"""The hand as a fold: what each seat is sent, when its time is up, and that none of it depends on what it may not see."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liuzhou.rules import engine
from liuzhou.rules.actions import Action
from liuzhou.rules.options import Options
from liuzhou.rules.view import reduce
from rooms import clock
from rooms import fold as folds
from rooms.fold import CLOCK, PLAYER, SPECTATOR, Fold, Row, Setup

START = 1_800_000_000_000


def setup(seed: int = 1, fish: str = "none", bots: tuple[str, ...] = ("",) * 4) -> Setup:
    options = Options.parse("classic", {"fish": fish})
    return Setup(7, 3, options, 0, seed.to_bytes(32, "big"), bots, (False,) * 4, "normal", START)


def row_of(fold: Fold, action: Action, at: int, origin: int = PLAYER) -> Row:
    return Row(fold.seq + 1, action.seat, folds.body_of(action), origin, "", at)


def own(fold: Fold, seat: int, body: dict[str, object], at: int) -> Row:
    return Row(fold.seq + 1, seat, json.dumps(body), PLAYER, "", at)


def playout(seed: int, fish: str = "pond") -> list[tuple[Fold, Row, Fold, dict]]:
    """A whole hand at random, a second an action."""
    rng = random.Random(seed)
    fold, steps, at = folds.begin(setup(seed, fish)), [], START
    while fold.running:
        at += 1_000
        seat = rng.choice(engine.deciders(fold.state))
        row = row_of(fold, rng.choice(engine.legal_actions(fold.state, seat)), at)
        after, outgoing = folds.step(fold, row)
        steps.append((fold, row, after, outgoing))
        fold = after
    return steps


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["pond", "none"]))
def test_events_number_without_gap_and_lead_to_the_view(seed: int, fish: str) -> None:
    steps = playout(seed, fish)
    first = steps[0][0]
    for seat in (*range(4), SPECTATOR):
        view, seen = first.view(seat), first.seen[seat]
        for _, _, after, outgoing in steps:
            for seq, event in outgoing[seat].events if seat in outgoing else ():
                seen += 1
                assert seq == seen
                view = reduce(view, json.loads(json.dumps(event)))
            assert view == json.loads(json.dumps(after.view(seat)))
            assert seen == after.seen[seat]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000))
def test_every_decider_is_asked_and_nobody_else(seed: int) -> None:
    for before, row, after, outgoing in playout(seed):
        deciding = set(engine.deciders(after.state)) if after.running else set()
        assert {seat for seat in range(4) if after.asks[seat] is not None} == deciding
        for seat in deciding:
            newly = before.asks[seat] is None or seat == row.seat
            assert outgoing[seat].asked if newly else True
            assert after.due(seat) is not None
        assert (after.deadline() is None) == (not deciding)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000))
def test_a_pass_tells_the_others_nothing(seed: int) -> None:
    for _, row, after, outgoing in playout(seed):
        still_open = after.running and after.state.phase in ("claim", "rob")
        if json.loads(row.body)["do"] == "pass" and still_open:
            assert set(outgoing) <= {row.seat, SPECTATOR}
            assert not outgoing[SPECTATOR].events


def test_the_turn_clock_is_public_and_the_claim_clock_is_not() -> None:
    for _, _, after, _ in playout(5, "none"):
        if after.running:
            shown = after.public_clock()
            if after.state.phase == "turn":
                assert shown == (after.state.turn, after.due(after.state.turn), after.reserve[after.state.turn])
            else:
                assert shown is None


def test_fishing_ends_ten_seconds_after_the_start_for_everybody() -> None:
    fold = folds.begin(setup(fish="pond"))
    after, _ = folds.step(fold, row_of(fold, Action(2, "fish", slot=3), START + 4_000))
    assert [after.due(seat) for seat in range(4)] == [START + clock.FISH_MS] * 4


def test_auto_acts_after_a_second_and_is_shown_to_all() -> None:
    fold = folds.begin(setup())
    on, outgoing = folds.step(fold, own(fold, 0, {"do": "auto", "on": True}, START + 3_000))
    assert on.due(0) == START + clock.AUTO_MS
    for seat in (*range(4), SPECTATOR):
        assert [event for _, event in outgoing[seat].events] == [{"kind": "auto", "seat": 0, "on": True}]
    off, _ = folds.step(on, own(on, 0, {"do": "auto", "on": False}, START + 3_500))
    assert off.due(0) == START + clock.TURN_MS + clock.RESERVE_MS


def test_a_missed_deadline_turns_auto_on_and_acting_turns_it_off() -> None:
    fold = folds.begin(setup())
    action = engine.legal_actions(fold.state, 0)[0]
    missed, _ = folds.step(fold, row_of(fold, action, START + 15_000, CLOCK))
    assert missed.autos == (True, False, False, False)
    while 0 not in engine.deciders(missed.state):
        seat = engine.deciders(missed.state)[0]
        legal = engine.legal_actions(missed.state, seat)
        calm = next((a for a in legal if a.do == "pass"), legal[0])
        missed, _ = folds.step(missed, row_of(missed, calm, START + 16_000))
    legal = engine.legal_actions(missed.state, 0)
    back, _ = folds.step(missed, row_of(missed, legal[0], START + 17_000))
    assert not back.autos[0]


def test_letting_the_time_for_fishing_run_out_is_no_miss() -> None:
    fold = folds.begin(setup(fish="pond"))
    done = next(action for action in engine.legal_actions(fold.state, 2) if action.do == "fish_done")
    after, _ = folds.step(fold, row_of(fold, done, START + clock.FISH_MS, CLOCK))
    assert after.autos == (False,) * 4


def test_grace_gives_every_open_clock_its_time_back() -> None:
    fold = folds.begin(setup(fish="pond"))
    after, _ = folds.step(fold, own(fold, -1, {"do": "grace", "ms": 5_000}, START + 9_000))
    assert [after.due(seat) for seat in range(4)] == [START + clock.FISH_MS + 5_000] * 4


@pytest.mark.parametrize("kind", ["void", "dissolve"])
def test_a_closed_hand_asks_nobody_and_is_told_to_all(kind: str) -> None:
    fold = folds.begin(setup())
    after, outgoing = folds.step(fold, own(fold, -1, {"do": kind}, START + 1_000))
    assert not after.running
    assert after.deadline() is None
    assert after.asks == (None,) * 4
    assert all([event["kind"] for _, event in outgoing[seat].events] == ["closed"] for seat in range(4))


def test_an_untimed_fold_gets_its_times_from_the_commit() -> None:
    fold = folds.begin(setup())
    action = engine.legal_actions(fold.state, 0)[0]
    tried, _ = folds.step(fold, row_of(fold, action, folds.UNTIMED), now=START + 1_990)
    row = row_of(fold, action, START + 2_000)
    assert folds.timed(fold, tried, row) == folds.step(fold, row)[0]


def test_the_bank_pays_for_what_a_turn_takes_beyond_its_allowance() -> None:
    fold = folds.begin(setup())
    assert fold.due(0) == START + clock.TURN_MS + clock.RESERVE_MS
    action = engine.legal_actions(fold.state, 0)[0]
    quick, _ = folds.step(fold, row_of(fold, action, START + clock.TURN_MS))
    assert quick.reserve[0] == clock.RESERVE_MS
    slow, _ = folds.step(fold, row_of(fold, action, START + clock.TURN_MS + 12_000))
    assert slow.reserve == (clock.RESERVE_MS - 12_000, *(clock.RESERVE_MS,) * 3)
    late = row_of(fold, action, START + 90_000, CLOCK)
    tried, _ = folds.step(fold, late._replace(at=folds.UNTIMED), now=START + 90_000)
    assert folds.timed(fold, tried, late).reserve[0] == 0


def test_an_absent_seat_gets_five_seconds_and_its_time_back_when_it_returns() -> None:
    fold = folds.begin(setup())
    gone, outgoing = folds.step(fold, own(fold, 0, {"do": "away", "on": True}, START + 1_000))
    assert gone.due(0) == START + clock.AWAY_MS
    assert [event for _, event in outgoing[1].events] == [{"kind": "away", "seat": 0, "on": True}]
    back, _ = folds.step(gone, own(gone, 0, {"do": "away", "on": False}, START + 2_000))
    assert back.due(0) == fold.due(0)
