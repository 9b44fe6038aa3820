"""Waits with their values: what wins, for how much by discard and by self-draw, how many are left."""

import random
from typing import Any

import pytest

from liuzhou.rules.options import Options
from liuzhou.rules.patterns import BY_DISCARD, BY_SELF_DRAW, evaluate
from liuzhou.rules.tiles import NAMES, RED, parse_tiles
from liuzhou.rules.waits import Wait, count_seen, discard_waits, hand_waits
from tests.rules.tables import meld
from tests.rules.test_hand import near_win

BAIKE = Options.parse("baike")
WILD = Options.parse("tiantian", {"cap": "none", "wild_red": True})


def told(waits: tuple[Wait, ...]) -> dict[str, tuple[Any, ...]]:
    return {NAMES[w.tile]: (w.discard and w.discard.value, w.self_draw.value, w.unseen) for w in waits}


def test_values_of_each_wait() -> None:
    assert told(hand_waits(BAIKE, parse_tiles("123456m789p23s55z"))) == {"1s": (1, 2, 4), "4s": (1, 2, 4)}
    nine_gates = told(hand_waits(BAIKE, parse_tiles("1112345678999m")))
    assert {tile: value[:2] for tile, value in nine_gates.items()} == {f"{r}m": (3, 4) for r in range(1, 10)}
    assert [value[2] for value in nine_gates.values()] == [1, 3, 3, 3, 3, 3, 3, 3, 1]
    melds = [meld("p111m1"), meld("p222p2"), meld("p333s3"), meld("d4444z1")]
    assert told(hand_waits(BAIKE, parse_tiles("5z"), melds)) == {"5z": (6, 2, 3)}
    assert hand_waits(BAIKE, parse_tiles("147m258p369s1234z")) == ()


def test_unseen_counts_what_the_seat_sees() -> None:
    tiles = parse_tiles("123456m789p23s55z")
    seen = count_seen((*tiles, *parse_tiles("1144s1s4s4s")))
    assert {t: v[2] for t, v in told(hand_waits(BAIKE, tiles, (), seen)).items()} == {"1s": 1, "4s": 0}


def test_a_wild_is_drawn_wild_and_discarded_plain() -> None:
    waits = told(hand_waits(WILD, parse_tiles("123456m789p23s55z")))
    assert waits == {"1s": (1, 1, 4), "4s": (1, 1, 4), "7z": (None, 1, 4)}
    single = told(hand_waits(WILD, parse_tiles("123456m789p123s7z")))
    assert len(single) == 34
    assert single["7z"] == (1, 1, 3)


def test_a_fifth_copy_can_be_drawn_as_a_wild_only() -> None:
    melds = [meld("p222p1"), meld("p333p2"), meld("p444p3")]
    waits = told(hand_waits(WILD, parse_tiles("5555m"), melds))
    assert waits["7z"] == (None, 2, 4)
    assert "5m" not in waits


def test_per_discard() -> None:
    found = discard_waits(BAIKE, parse_tiles("123456m789p23s55z9s"))
    by_discard = {NAMES[each.tile]: told(each.waits) for each in found}
    assert by_discard["9s"] == {"1s": (1, 2, 4), "4s": (1, 2, 4)}
    assert {NAMES[each.tile]: each.unseen for each in found}["9s"] == 8
    assert "1m" not in by_discard
    throwing_the_wild = discard_waits(WILD, parse_tiles("123456m789p23s55z7z"))
    assert {NAMES[each.tile] for each in throwing_the_wild} >= {"7z", "5z", "2s"}


def test_as_json() -> None:
    (first, _) = hand_waits(BAIKE, parse_tiles("123456m789p23s55z"))
    assert first.as_json() == {
        "tile": "1s",
        "unseen": 4,
        "discard": {"types": [], "concealed": False, "value": 1},
        "self_draw": {"types": [], "concealed": True, "value": 2},
    }
    (each, *_) = discard_waits(BAIKE, parse_tiles("123456m789p23s55z9s"))
    assert set(each.as_json()) == {"tile", "unseen", "waits"}


@pytest.mark.parametrize("options", [BAIKE, WILD, Options.parse("tiantian", {"no_dots": True, "concealed": True})])
def test_agrees_with_evaluate_on_every_kind(options: Options) -> None:
    rng = random.Random(3)
    for _ in range(300):
        tiles = near_win(rng, 13, options.kinds)
        waits = {wait.tile: wait for wait in hand_waits(options, tiles)}
        for kind in options.kinds:
            discard = evaluate(options, tiles, (), kind, BY_DISCARD)
            drawn = evaluate(options, tiles, (), kind, BY_SELF_DRAW)
            if tiles.count(kind) < 4:
                assert (waits[kind].discard if kind in waits else None) == discard
            if tiles.count(kind) < 4 or kind == options.wild == RED:
                assert (waits[kind].self_draw if kind in waits else None) == drawn
