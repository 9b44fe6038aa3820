"""A state survives its text form, at any moment of any hand."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

from liuzhou.rules import engine
from liuzhou.rules.codec import dump, load
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from tests.rules.playing import all_options, hand, opening, seeds


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(all_options, seeds)
def test_a_state_comes_back_equal(options, seed):
    for before, _, after, _ in hand(options, seed):
        assert load(dump(before)) == before
        if after.phase == "over":
            assert load(dump(after)) == after


def test_the_text_is_small_and_plain_json():
    options = Options.parse("classic")
    state, _ = engine.start(options, *opening(options, 7))
    assert json.loads(dump(state))["preset"] == "classic"
    assert max(len(dump(after)) for _, _, after, _ in hand(options, 7)) < 3000


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "7", '"x"', '{"v":1}', '{"v":2}', "{", '{"v":1,"preset":"x"}']
)
def test_anything_else_is_refused(text):
    with pytest.raises(RuleError):
        load(text)


def test_a_damaged_state_is_refused_or_another_state_but_never_a_crash():
    *_, (_, _, state, _) = hand(Options.parse("tiantian"), 3)
    whole = json.loads(dump(state))
    for field in whole:
        for value in (None, [], {}, "x", -1):
            try:
                load(json.dumps({**whole, field: value}))
            except RuleError:
                continue
