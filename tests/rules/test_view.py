"""The fold of what a seat is sent is what it sees (DESIGN 4)."""

import copy
import json

from hypothesis import HealthCheck, given, settings

from liuzhou.rules import engine
from liuzhou.rules.events import audience
from liuzhou.rules.options import Options
from liuzhou.rules.view import redact, reduce, view
from tests.rules.playing import all_options, hand, opening, seeds

SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def told(events, seat):
    return [sent for event in events if (sent := redact(event, seat)) is not None]


@SOME
@given(all_options, seeds)
def test_folding_what_a_seat_is_sent_gives_its_view(options, seed):
    dealer, wall = opening(options, seed)
    state, events = engine.start(options, dealer, wall)
    seats = [None, *range(options.players)]
    views = {seat: view(state, seat) for seat in seats}
    for seat in seats:
        for event in told(events, seat):
            assert isinstance(event["kind"], str)
        assert fold(views[seat], told(events, seat)) == views[seat], "the opening's events may be folded again"
    for _, _, state, events in hand(options, seed):
        for seat in seats:
            views[seat] = fold(views[seat], told(events, seat))
            assert views[seat] == view(state, seat)
    assert json.loads(json.dumps(views[0])) == views[0], "a view is plain JSON"


def fold(seen, events):
    for event in events:
        seen = reduce(seen, event)
    return seen


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_reduce_leaves_its_arguments_alone(seed):
    options = Options.parse("tiantian")
    for before, _, _, events in hand(options, seed):
        seen = view(before, 1)
        kept = copy.deepcopy(seen)
        for event in told(events, 1):
            sent = copy.deepcopy(event)
            after = reduce(seen, event)
            after["seats"][0]["river"].append("spoilt")
            assert (seen, event) == (kept, sent)


def test_an_event_of_an_unknown_kind_changes_nothing():
    state, _ = engine.start(Options.parse("tiantian"), *opening(Options.parse("tiantian"), 1))
    assert reduce(view(state, 0), {"kind": "weather"}) == view(state, 0)


def test_who_hears_of_what():
    options = Options.parse("tiantian")
    heard = set()
    for seed in range(6):
        for _, action, _, events in hand(options, seed):
            for event in events:
                if audience(event) is None:
                    assert redact(event, None) is not None
                    continue
                heard.add(type(event).__name__)
                assert audience(event) == action.seat
                assert [redact(event, seat) is None for seat in (None, 0, 1, 2, 3)].count(False) == 1
    assert heard == {"Passed"}
