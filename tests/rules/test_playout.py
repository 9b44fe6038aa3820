"""Whole hands at random, over all options: what must hold at every step of any hand."""

from collections import Counter

from hypothesis import HealthCheck, given, settings

from liuzhou.rules import engine
from liuzhou.rules.options import Options
from liuzhou.rules.replay import replay
from liuzhou.rules.score import SeatHand, settle
from liuzhou.rules.state import hand_of
from liuzhou.rules.view import concealed
from tests.rules.playing import all_options, at_random, hand, mixed, opening, seeds
from tests.rules.table import tiles_in

MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def check_step(before, action, after, events):
    every = Counter(dict.fromkeys(after.options.kinds, 4))
    assert tiles_in(after) == every, "tiles are conserved"
    assert events or before.phase in ("claim", "rob"), "only a claim that waits for others is silent"
    if after.phase == "over":
        assert engine.deciders(after) == ()
        return
    assert engine.deciders(after), "somebody must act"
    for index, seat in enumerate(after.seats):
        if after.phase != "fish":
            drawn = after.phase in ("turn", "rob") and index == after.turn
            assert concealed(seat) + 3 * len(seat.melds) == 13 + drawn
        assert len(set(engine.legal_actions(after, index))) == len(engine.legal_actions(after, index))
    assert after.drawable >= 0


def check_end(state):
    settlement, players = state.settlement, state.options.players
    assert sum(settlement.points) == sum(settlement.score) == 0
    assert 0 <= settlement.next_dealer < players
    assert len(settlement.wins) == len(state.end.winners)
    assert settlement == settle(
        state.options, state.dealer, final_case(state), state.end, state.wall[state.front : state.back]
    )


def final_case(state):
    """The seats as a settlement case has them, put together independently of the engine's own way."""
    seats = []
    for index, seat in enumerate(state.seats):
        tiles = Counter(hand_of(seat, state.options.wild))
        if state.end.kind == "self_draw" and index in state.end.winners:
            tiles[state.end.tile] -= 1
        seats.append(SeatHand(tuple(sorted(tiles.elements())), seat.melds, seat.pond))
    return seats


@MANY
@given(all_options, seeds)
def test_any_hand(options, seed):
    state = None
    for before, action, state, events in hand(options, seed, mixed if seed % 4 else at_random):
        if action.do != "discard" or seed % 3 == 0:  # a third of the hands at every step
            check_step(before, action, state, events)
    check_end(state)


@MANY
@given(all_options, seeds)
def test_replay_equals_play(options, seed):
    played = list(hand(options, seed))
    dealer, wall = opening(options, seed)
    again = list(replay(options, dealer, wall, [action for _, action, _, _ in played]))
    assert again[1:] == [(state, events) for _, _, state, events in played]


def test_every_way_to_end_is_reached():
    """The playouts above mean little if they never come to the rare ends."""
    ends = Counter()
    happened = Counter()
    for seed in range(300):
        small = {"no_dots": True, "no_honors": True, "wild_red": seed % 2 == 0, "players": 2 + seed % 3}
        options = Options.parse("tiantian", small)
        played = list(hand(options, seed))
        happened.update(type(event).__name__ for _, _, _, events in played for event in events)
        _, _, last, _ = played[-1]
        check_end(last)
        ends[last.end.kind] += 1
    assert set(ends) == {"discard", "self_draw", "robbed_kong", "draw"}, ends
    assert min(happened[kind] for kind in ("KongDeclared", "Robbed", "Melded", "Passed", "Won")) > 0, happened
