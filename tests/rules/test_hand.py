"""The win check, the fewest wilds and the waits, held against plain search."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

import pytest

from liuzhou.rules import hand
from liuzhou.rules.options import Options
from liuzhou.rules.suit_tables import COMPLETE_HONORS, COMPLETE_RUNS, NEED_RUNS, NEED_SETS
from liuzhou.rules.tiles import RED, parse_tiles
from tests.rules import oracle

SETS = [(r, r, r) for r in range(9)] + [(r, r + 1, r + 2) for r in range(7)]
Counts = tuple[int, ...]


def shapes(total: int, ranks: int = 9) -> Iterator[Counts]:
    """All ways to hold so many tiles of one suit, at most four of each."""
    if ranks == 0:
        if total == 0:
            yield ()
        return
    for held in range(min(4, total) + 1):
        for rest in shapes(total - held, ranks - 1):
            yield (held, *rest)


def won(sets: int) -> set[Counts]:
    """Every one-suit hand of so many sets and a pair, however many copies that takes; seven pairs too."""
    found = set()
    for chosen in combinations_with_replacement(SETS, sets):
        for pair in range(9):
            held = Counter([pair, pair, *(r for each in chosen for r in each)])
            found.add(tuple(held[r] for r in range(9)))
    if sets == 4:
        for pairs in combinations_with_replacement(range(9), 7):
            held = Counter(pairs)
            found.add(tuple(2 * held[r] for r in range(9)))
    return found


def suits_of(counts: Counts, suit: int) -> hand.Suits:
    packed = [0, 0, 0, 0]
    packed[suit] = sum(c << 3 * r for r, c in enumerate(counts))
    return packed[0], packed[1], packed[2], packed[3]


@pytest.mark.parametrize("sets", range(5))
def test_every_one_suit_shape(sets: int) -> None:
    winning = won(sets)
    for counts in shapes(3 * sets + 2):
        assert hand.is_win(suits_of(counts, sets % 3), 0, 4 - sets) == (counts in winning), counts


@pytest.mark.parametrize(
    ("sets", "wilds"), [(1, 1), (1, 2), (2, 3), (2, 4), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (4, 4)]
)
def test_every_one_suit_shape_with_wilds(sets: int, wilds: int) -> None:
    """Taking tiles from every won hand (fifth copies included) gives exactly the hands that so many wilds complete."""
    level = won(sets)
    for _ in range(wilds):
        level = {(*c[:r], c[r] - 1, *c[r + 1 :]) for c in level for r in range(9) if c[r]}
    for counts in shapes(3 * sets + 2 - wilds):
        assert hand.is_win(suits_of(counts, 1), wilds, 4 - sets) == (counts in level), counts


def test_tables_agree_with_each_other() -> None:
    for table, needs in ((COMPLETE_RUNS, NEED_RUNS), (COMPLETE_HONORS, NEED_SETS)):
        for suit, complete in table.items():
            assert needs[suit] & 31 == complete - 1
    assert len(COMPLETE_RUNS) == 21743


def test_honors_have_no_runs_and_two_pairs_are_one_too_many() -> None:
    assert not hand.is_win(hand.pack(parse_tiles("123z55m"))[0], 0, 3)
    assert hand.is_win(hand.pack(parse_tiles("111z55m"))[0], 0, 3)
    assert not hand.is_win(hand.pack(parse_tiles("11m22p33s44z"))[0], 0, 2)
    assert hand.is_win(hand.pack(parse_tiles("1111m2233p44s5577z"))[0], 0, 0)  # four of a kind = two pairs
    assert not hand.is_win(hand.pack(parse_tiles("19m19p19s12345677z"))[0], 0, 0)  # no 十三幺


def near_win(rng: random.Random, size: int, kinds: tuple[int, ...]) -> list[int]:
    """Tiles that are often a few steps from a win."""
    starts = [k for k in kinds if k < 27 and k % 9 <= 6]
    while True:
        tiles: list[int] = []
        while len(tiles) < size:
            start = rng.choice(starts)
            tiles += rng.choice([[start, start + 1, start + 2], [rng.choice(kinds)] * 3, [rng.choice(kinds)] * 2])
        tiles = tiles[:size]
        for _ in range(rng.choice([0, 0, 1, 2])):
            tiles[rng.randrange(size)] = rng.choice(kinds)
        if max(Counter(tiles).values()) <= 4:
            return tiles


@pytest.mark.parametrize("seed", range(4))
def test_all_suits_without_wilds(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1500):
        sets = rng.randint(0, 4)
        tiles = near_win(rng, 3 * sets + 2, tuple(range(34)))
        expected = bool(oracle.four_sets(tiles)) or oracle.seven_pairs(tiles)
        assert hand.is_win(hand.pack(tiles)[0], 0, 4 - sets) == expected, tiles


@pytest.mark.parametrize(("wilds", "rounds"), [(1, 300), (2, 120), (3, 40), (4, 12)])
def test_all_suits_with_wilds(wilds: int, rounds: int) -> None:
    rng = random.Random(wilds)
    options = Options.parse("tiantian", {"wild_red": True, "no_honors": True, "no_dots": True})
    for _ in range(rounds):
        sets = rng.randint(2, 4)
        tiles = near_win(rng, 3 * sets + 2 - wilds, options.kinds[:-1])
        expected = oracle.wins(tiles, wilds, options.kinds)
        assert hand.is_win(hand.pack(tiles)[0], wilds, 4 - sets) == expected, tiles


@pytest.mark.parametrize("given", [{}, {"no_dots": True}, {"no_honors": True, "wild_red": True}, {"wild_red": True}])
def test_waits_are_the_tiles_that_win(given: dict[str, object]) -> None:
    rng = random.Random(9)
    options = Options.parse("tiantian", given)
    waiting = 0
    for _ in range(1500):
        sets = rng.randint(0, 4)
        wilds = min(rng.randint(0, 4), 3 * sets) if options.wild_red else 0
        natural = [k for k in options.kinds if k != options.wild]
        tiles = near_win(rng, 3 * sets + 1 - wilds, tuple(natural))
        suits = hand.pack(tiles)[0]
        expected = [k for k in options.kinds if tiles.count(k) < 4 and hand.is_win(hand.add(suits, k), wilds, 4 - sets)]
        assert list(hand.kinds_of(hand.waits(suits, wilds, 4 - sets, options))) == expected, (tiles, wilds)
        waiting += bool(expected)
    assert waiting > 300


def test_packing() -> None:
    tiles = parse_tiles("1129m5p999s17777z")
    suits, wilds = hand.pack(tiles)
    assert (hand.unpack(suits), wilds) == (tiles, 0)
    assert hand.count(suits, RED) == 4
    assert hand.count(suits, 0) == 2
    assert hand.count(suits, 10) == 0
    naturals, wilds = hand.pack(tiles, RED)
    assert wilds == 4
    assert hand.unpack(naturals) == tiles[:-4]
    for kind in range(34):
        assert hand.remove(hand.add(naturals, kind), kind) == naturals
        assert hand.count(hand.add(naturals, kind), kind) == hand.count(naturals, kind) + 1
