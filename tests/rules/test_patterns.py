"""Types and values: RULES 4 and the checks of RULES 5; readings with wilds against every assignment."""

import random
from collections import Counter

import pytest

from liuzhou.rules import hand as packed
from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.patterns import BY_DISCARD, BY_SELF_DRAW, Hand, How, best_reading, evaluate, win_value
from liuzhou.rules.tiles import parse_tile, parse_tiles
from tests.rules import oracle
from tests.rules.tables import meld
from tests.rules.test_hand import near_win

CLASSIC, BAIKE = Options.parse("classic"), Options.parse("baike")
CAP2 = Options.parse("tiantian")
CAP4 = Options.parse("tiantian", {"cap": "4"})
CAP6 = Options.parse("tiantian", {"cap": "6"})
UNCAPPED = Options.parse("tiantian", {"cap": "none"})
CONCEALED = Options.parse("tiantian", {"cap": "none", "concealed": True})
WILD = Options.parse("tiantian", {"cap": "none", "wild_red": True})

BASIC = ("123456m789p23s55z", "1s")
PAIRS = ("1133m5577p99s335z", "5z")
PUNGS = ("111m222p333s55z66z", "5z")
FLUSH = ("1234567899m123m"[:11] + "99m", "9m")
FLOWER = How("self_draw", after_kong=True)
AFTER_KONG = How("discard", after_kong=True)
ROBBED = How("robbed_kong")


def worth(options: Options, hand: tuple[str, str], how: How, *melds: str) -> Hand:
    found = evaluate(options, parse_tiles(hand[0]), [meld(each) for each in melds], parse_tile(hand[1]), how)
    assert found is not None
    return found


def test_classic_values() -> None:
    one, loose = ("5z", "5z"), ("p111m1", "c234p3", "p555s1", "d6666s1")
    assert worth(CLASSIC, BASIC, BY_DISCARD).value == 1
    assert worth(CLASSIC, BASIC, BY_SELF_DRAW) == Hand((), True, False, 1)
    assert worth(CLASSIC, PUNGS, BY_DISCARD).value == 3
    assert worth(CLASSIC, PUNGS, BY_SELF_DRAW).value == 2
    assert worth(CLASSIC, one, BY_DISCARD, *loose) == Hand(("all_melded",), False, False, 3)
    pungs = ("p111m1", "p222p3", "p555s1", "k6666s")
    assert worth(CLASSIC, one, BY_DISCARD, *pungs) == Hand(("all_melded", "all_pungs"), False, False, 6)
    flush = ("p111m1", "c234m3", "p555m1", "d6666m1")
    assert worth(CLASSIC, ("9m", "9m"), BY_DISCARD, *flush).value == 6
    both = ("p111m1", "p222m3", "p555m1", "d6666m1")
    assert worth(CLASSIC, ("9m", "9m"), BY_DISCARD, *both).value == 6
    assert worth(CLASSIC, ("9m", "9m"), BY_SELF_DRAW, *both).value == 2
    assert worth(CLASSIC, ("1112223334445m", "5m"), BY_DISCARD) == Hand(("all_pungs", "full_flush"), False, False, 3)
    assert worth(CLASSIC, BASIC, AFTER_KONG).types == ()  # no 杠上炮
    assert worth(CLASSIC, ("123456m23s55z", "1s"), FLOWER, "k1111z") == Hand(("kong_flower",), True, False, 2)


def test_baike_values_from_s1() -> None:
    one = ("5z", "5z")
    assert worth(BAIKE, BASIC, BY_SELF_DRAW) == Hand((), True, False, 2)
    assert worth(BAIKE, PUNGS, BY_SELF_DRAW).value == 4
    assert worth(BAIKE, ("1112345678999m", "5m"), BY_SELF_DRAW) == Hand(("full_flush",), True, False, 4)
    assert worth(BAIKE, PAIRS, BY_SELF_DRAW) == Hand(("seven_pairs",), True, False, 2)
    mixed, pungs = ("p111m1", "c234p3", "p555s1", "d6666s1"), ("p111m1", "p222p3", "p555s1", "d6666s1")
    runs, both = ("p111m1", "c234m3", "p555m1", "d6666m1"), ("p111m1", "p222m3", "p555m1", "d6666m1")
    assert worth(BAIKE, one, BY_DISCARD, *mixed).value == 3
    assert worth(BAIKE, one, BY_DISCARD, *pungs).value == 6
    assert worth(BAIKE, ("9m", "9m"), BY_DISCARD, *runs).value == 6
    assert worth(BAIKE, ("9m", "9m"), BY_DISCARD, *both).value == 9
    assert worth(BAIKE, ("9m", "9m"), AFTER_KONG, *both).value == 12  # 3+3+3+3
    for melds in (mixed, pungs):
        assert worth(BAIKE, one, BY_SELF_DRAW, *melds).value == 2
    assert worth(BAIKE, ("9m", "9m"), BY_SELF_DRAW, *both).value == 2


def test_baike_multipliers_stop_at_one_piece_then_concealed_doubles() -> None:
    open_hand, last = ("123456m23s55z", "1s"), How("self_draw", last_tile=True)
    assert worth(BAIKE, open_hand, BY_SELF_DRAW, "p111z1").value == 1
    assert worth(BAIKE, open_hand, FLOWER, "d1111z1") == Hand(("kong_flower",), False, False, 2)
    assert worth(BAIKE, open_hand, last, "p111z1") == Hand((), False, True, 2)
    assert worth(BAIKE, open_hand, How("self_draw", True, True), "d1111z1").value == 2
    assert worth(BAIKE, open_hand, FLOWER, "k1111z") == Hand(("kong_flower",), True, False, 4)
    assert worth(BAIKE, BASIC, last).value == 4
    assert worth(BAIKE, PAIRS, last).value == 2
    assert worth(CLASSIC, BASIC, last) == Hand((), True, False, 1)  # 海底捞月 is of baike alone
    assert worth(BAIKE, BASIC, How("discard", last_tile=True)) == Hand((), False, False, 1)


def test_tiantian_values_from_s2() -> None:
    assert worth(UNCAPPED, BASIC, ROBBED).value == worth(UNCAPPED, BASIC, AFTER_KONG).value == 3
    assert worth(UNCAPPED, PUNGS, ROBBED).value == worth(UNCAPPED, PUNGS, AFTER_KONG).value == 6
    assert worth(UNCAPPED, ("123456m23s55z", "1s"), FLOWER, "d1111z1").value == 2
    assert worth(UNCAPPED, ("111m222p33s55z", "3s"), FLOWER, "d1111z1").value == 4
    assert worth(CAP2, ("111m222p33s55z", "3s"), FLOWER, "d1111z1").value == 2
    flush_pungs = ("1112223334445m", "5m")
    assert worth(UNCAPPED, flush_pungs, BY_SELF_DRAW).value == 4
    assert worth(UNCAPPED, flush_pungs, BY_DISCARD).value == 6


@pytest.mark.parametrize(
    ("options", "drawn", "fed"),
    [
        (CAP2, [1, 2, 2, 2, 2], [1, 3, 6, 6, 6]),
        (CAP4, [1, 2, 4, 4, 4], [1, 3, 6, 6, 6]),
        (CAP6, [1, 2, 4, 6, 6], [1, 3, 6, 6, 6]),
        (UNCAPPED, [1, 2, 4, 8, 16], [1, 3, 6, 12, 24]),
    ],
)
def test_tiantian_caps(options: Options, drawn: list[int], fed: list[int]) -> None:
    for big in range(5):
        types = frozenset(["all_pungs", "full_flush", "all_melded", "robbed_kong"][:big])
        assert win_value(options, types, True, False, False) == drawn[big]
        assert win_value(options, types, False, False, False) == fed[big]


def test_tiantian_concealed_is_an_option_and_beyond_the_cap() -> None:
    assert worth(UNCAPPED, PAIRS, BY_SELF_DRAW) == Hand(("seven_pairs",), True, False, 2)
    assert worth(CONCEALED, PAIRS, BY_SELF_DRAW).value == 4
    assert worth(CONCEALED, BASIC, BY_SELF_DRAW).value == 2
    assert worth(CONCEALED, BASIC, BY_DISCARD) == Hand((), False, False, 1)
    assert worth(CONCEALED, ("123456m23s55z", "1s"), BY_SELF_DRAW, "k1111z").value == 2
    capped = Options.parse("tiantian", {"concealed": True})
    assert worth(capped, ("1112223334445m", "5m"), BY_SELF_DRAW).value == 4


def test_a_concealed_kong_spoils_all_melded_in_tiantian_only() -> None:
    melds = ("p111m1", "c234p3", "p555s1", "k6666s")
    for options, types in ((CLASSIC, ("all_melded",)), (BAIKE, ("all_melded",)), (UNCAPPED, ())):
        assert worth(options, ("5z", "5z"), BY_DISCARD, *melds).types == types


def test_flush_of_honours_and_mixed_suits() -> None:
    assert worth(CLASSIC, ("111222333z4455z", "5z"), BY_DISCARD).types == ("all_pungs", "full_flush")
    assert worth(CLASSIC, ("11223344556z77z", "6z"), BY_DISCARD).types == ("full_flush", "seven_pairs")
    assert worth(CLASSIC, ("111222333m4455z", "5z"), BY_DISCARD).types == ("all_pungs",)
    assert worth(CLASSIC, ("1112223344m", "4m"), BY_DISCARD, "p111z0").types == ("all_pungs",)


def test_two_readings() -> None:
    double = ("11223344556677m"[:13] + "m", "7m")
    assert worth(CLASSIC, double, BY_DISCARD).types == ("full_flush", "seven_pairs")
    # baike doubles 门清 for four sets only, so the fewer types are worth more
    assert worth(BAIKE, double, BY_SELF_DRAW) == Hand(("full_flush",), True, False, 4)
    mixed = ("112233m112233p1s", "1s")
    assert worth(BAIKE, mixed, BY_SELF_DRAW) == Hand(("seven_pairs",), True, False, 2)  # 2 = 2: more types
    assert worth(BAIKE, mixed, BY_DISCARD).types == ("seven_pairs",)


def test_a_discarded_red_is_the_tile_itself() -> None:
    tiles = parse_tiles("123456m789p23s5z7z")
    assert evaluate(WILD, tiles, (), parse_tile("7z"), BY_DISCARD) is None
    drawn = evaluate(WILD, parse_tiles("123456m789p23s55z"), (), parse_tile("7z"), BY_SELF_DRAW)
    assert drawn == Hand((), True, False, 1)
    pair = evaluate(WILD, parse_tiles("123456m789p123s7z"), (), parse_tile("7z"), BY_DISCARD)
    assert pair == Hand((), False, False, 1)
    flush = parse_tiles("1112345678999m")
    assert evaluate(WILD, flush, (), parse_tile("7z"), BY_DISCARD) is None
    assert evaluate(WILD, flush, (), parse_tile("7z"), BY_SELF_DRAW) == Hand(("full_flush",), True, False, 2)


def test_melded_reds_are_honours() -> None:
    found = evaluate(WILD, parse_tiles("111222333m4m"), [meld("p777z1")], parse_tile("4m"), BY_DISCARD)
    assert found is not None
    assert found.types == ("all_pungs",)
    found = evaluate(WILD, parse_tiles("111222333z7z"), [meld("p777z1")], parse_tile("4z"), BY_DISCARD)
    assert found is not None
    assert found.types == ("all_pungs", "full_flush")


def test_wilds_stand_for_a_fifth_copy() -> None:
    found = evaluate(
        WILD, parse_tiles("1111m"), [meld("p555m1"), meld("p666p1"), meld("p777s1")], parse_tile("7z"), BY_SELF_DRAW
    )
    assert found is not None
    assert found.types == ("all_pungs",)


def random_melds(rng: random.Random, count: int, kinds: tuple[int, ...]) -> list[Meld]:
    letters = "cpdak"
    suit = rng.choice([kind // 9 for kind in kinds])
    melds = []
    for _ in range(count):
        letter = rng.choice(letters)
        pool = [k for k in kinds if k // 9 == suit or rng.random() < 0.2]
        pool = [k for k in pool if letter != "c" or (k < 27 and k % 9 < 7)]
        kind = rng.choice(pool or [0])
        name = {"c": "chow", "p": "pong", "d": "direct_kong", "a": "added_kong", "k": "concealed_kong"}[letter]
        tiles = (kind, kind + 1, kind + 2) if letter == "c" else (kind,) * (3 if letter == "p" else 4)
        melds.append(Meld(name, tiles))
    return melds


@pytest.mark.parametrize(("wilds", "rounds"), [(0, 800), (1, 250), (2, 150), (3, 50), (4, 20)])
def test_the_best_reading_of_all_assignments(wilds: int, rounds: int) -> None:
    """RULES 4.3 by brute force: every assignment, every decomposition, valued, the best taken."""
    rng = random.Random(100 + wilds)
    given = {"no_honors": True, "no_dots": True} if wilds > 2 else {"no_dots": True}
    won = 0
    for _ in range(rounds):
        options = [
            Options.parse(
                "tiantian",
                {
                    "wild_red": True,
                    "cap": rng.choice(["2", "4", "6", "none"]),
                    "concealed": rng.random() < 0.5,
                    **given,
                },
            ),
            BAIKE,
            CLASSIC,
        ][0 if wilds else rng.randrange(3)]
        natural = [k for k in options.kinds if k != options.wild]
        melds = random_melds(rng, rng.choice([0, 0, 0, 1, 2, 3, 4 if wilds < 2 else 3]), tuple(natural))
        tiles = flushed(rng, near_win(rng, 14 - 3 * len(melds) - wilds, tuple(natural)))
        how = rng.choice([BY_DISCARD, BY_SELF_DRAW, FLOWER, AFTER_KONG])
        laid = [(each.kind, each.tiles) for each in melds]
        spoils = options.preset == "tiantian"
        expected = best_of(options, oracle.readings(tiles, wilds, laid, options.kinds, spoils), melds, how)
        found = best_reading(options, packed.pack(tiles)[0], wilds, melds, how)
        assert found == expected, (tiles, melds, wilds, how)
        won += found is not None
    assert won > rounds // 10


def flushed(rng: random.Random, tiles: list[int]) -> list[int]:
    """Sometimes the same tiles moved into one suit, where that keeps four copies of each at most."""
    moved = [tile if tile >= 27 else tile % 9 for tile in tiles]
    return moved if rng.random() < 0.5 and max(Counter(moved).values()) <= 4 else tiles


def best_of(options: Options, shapes: set[frozenset[str]], melds: list[Meld], how: How) -> Hand | None:
    concealed = how.drawn and all(each.kind == "concealed_kong" for each in melds)
    extra = (
        {"kong_flower"} if how == FLOWER else {"kong_discard"} if how == AFTER_KONG and options != CLASSIC else set()
    )
    hands = [
        Hand(
            tuple(sorted(shape | extra)),
            concealed,
            False,
            win_value(options, frozenset(shape | extra), how.drawn, concealed, False),
        )
        for shape in shapes
    ]
    return max(hands, key=lambda hand: (hand.value, len(hand.types), "seven_pairs" in hand.types), default=None)
