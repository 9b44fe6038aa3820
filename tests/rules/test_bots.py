"""The bots see only their view and always choose something legal; 托管 plays as RULES 11.1 says."""

import random

import pytest
from hypothesis import HealthCheck, given, settings

from liuzhou.rules import bots, engine
from liuzhou.rules.actions import parse_action
from liuzhou.rules.hand import pack
from liuzhou.rules.options import Options
from liuzhou.rules.shape import distance, useful
from liuzhou.rules.tiles import format_tiles, parse_tiles
from liuzhou.rules.view import view
from liuzhou.rules.wall import build
from tests.rules.playing import all_options, seeds
from tests.rules.table import EAST, NORTH, SOUTH, setup

BOTS = {"auto": bots.auto, "greedy": bots.greedy, "strong": bots.strong}
TIAN = Options.parse("tiantian")


def play(options, players, dealer, rng):
    """A hand among bots; returns its last state."""
    state, _ = engine.start(options, dealer, build(rng.randbytes(32), options))
    while state.phase != "over":
        seat = engine.deciders(state)[0]
        legal = engine.legal_actions(state, seat)
        action = players[seat](view(state, seat), legal, rng)
        assert action in legal
        state, _ = engine.apply(state, action)
    return state


@pytest.mark.parametrize("name", BOTS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(all_options, seeds)
def test_a_bot_plays_any_hand_legally(name, options, seed):
    play(options, [BOTS[name]] * options.players, seed % options.players, random.Random(seed))


def choice(bot, table, seat, seed=1):
    legal = engine.legal_actions(table.state, seat)
    return bot(table.sees(seat), legal, random.Random(seed))


def test_auto_wins_before_it_kongs_before_it_pongs():
    table = setup(TIAN, {NORTH: "555m111222p46s55z"}, "5m", "5s").act(EAST, "discard", "5m")
    assert choice(bots.auto, table, NORTH).do == "kong"
    table.act(NORTH, "kong")
    assert choice(bots.auto, table, NORTH).do == "win"
    table = setup(TIAN, {NORTH: "55m369p369s12346z"}, "5m").act(EAST, "discard", "5m")
    assert choice(bots.auto, table, NORTH).do == "pong"


def test_auto_never_chows_and_fishes_nothing():
    table = setup(TIAN, {SOUTH: "46m258p258s12347z"}, "5m").act(EAST, "discard", "5m")
    assert choice(bots.auto, table, SOUTH).do == "pass"
    table = setup(Options.parse("classic"), {}, "5m")
    assert choice(bots.auto, table, SOUTH).do == "fish_done"


def test_auto_discards_any_legal_tile():
    table = setup(TIAN, {}, "5m")
    thrown = {choice(bots.auto, table, EAST, seed).tile for seed in range(200)}
    assert thrown == {parse_action(EAST, {"do": "discard", "tile": tile}).tile for tile in table.discards(EAST)}


@pytest.mark.parametrize(
    ("tiles", "wilds", "melds", "lacking"),
    [
        ("123m456p789s11122z", 0, 0, 0),
        ("123m456p789s1112z", 0, 0, 1),
        ("11m22m33p44p55s66s7z", 0, 0, 1),
        ("1111m2233p44s556z", 0, 0, 1),
        ("147m147p147s1234z", 0, 0, 7),
        ("12m", 0, 4, 1),
        ("11m", 0, 4, 0),
        ("123m456p789s11z", 2, 0, 1),
        ("46m", 1, 3, 1),
    ],
)
def test_distance(tiles, wilds, melds, lacking):
    assert distance(pack(parse_tiles(tiles))[0], wilds, melds) == lacking


def test_useful_tiles():
    suits, _ = pack(parse_tiles("123m456p789s44m67p"))
    assert format_tiles(useful(suits, 0, 0)) == "58p"


def test_greedy_keeps_what_is_useful():
    table = setup(TIAN, {EAST: "123m456p789s44m67p"}, "1z")
    assert choice(bots.greedy, table, EAST) == parse_action(EAST, {"do": "discard", "tile": "1z"})


@pytest.mark.parametrize(("better", "worse"), [("greedy", "auto"), ("strong", "auto")])
def test_skill_pays(better, worse):
    rng = random.Random(11)
    total = 0
    for number in range(60):
        seat = number % 4
        players = [BOTS[worse]] * 4
        players[seat] = BOTS[better]
        total += play(Options.parse("classic"), players, number // 4 % 4, rng).settlement.points[seat]
    assert total > 0
