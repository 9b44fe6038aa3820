"""How far a hand is from a win, by tables per suit: what the bots' tile efficiency stands on.

A suit is summed up by the best `gain` it offers for each number of blocks: a set gains 2, a pair or partial sequence
1, each using one block; once without and once with a pair set aside as the eyes. Ten small numbers, and suits add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from liuzhou.rules.hand import SHIFT, SUIT, UNIT, Suits
from liuzhou.rules.tiles import KINDS

Gains: TypeAlias = "tuple[int, ...]"  # [blocks 0-4] without eyes, then [blocks 0-4] with eyes

BLOCKS: Final = 4
NEVER: Final = -99
NOTHING: Final[Gains] = (0,) * 5 + (NEVER,) * 5
PAIRS_NEEDED: Final = 7
ODD: Final = 0o111111111  # the lowest bit of each rank


@lru_cache(maxsize=1 << 16)
def gains(packed: int, runs: bool) -> Gains:
    """The best gains of a packed suit; `runs` is false for honours."""
    if not packed:
        return NOTHING
    shift = ((packed & -packed).bit_length() - 1) // 3 * 3
    rest = packed >> shift
    count = rest & 7
    one = 1 << shift
    best = list(gains(packed - one, runs))
    if count >= 2:
        inner = gains(packed - 2 * one, runs)
        _improve(best, inner, 1)
        for blocks in range(BLOCKS + 1):
            best[5 + blocks] = max(best[5 + blocks], inner[blocks])
    if count >= 3:
        _improve(best, gains(packed - 3 * one, runs), 2)
    if runs:
        second, third = rest >> 3 & 7, rest >> 6 & 7
        if second:
            _improve(best, gains(packed - 9 * one, runs), 1)
        if third:
            _improve(best, gains(packed - 65 * one, runs), 1)
        if second and third:
            _improve(best, gains(packed - 73 * one, runs), 2)
    return tuple(best)


def _improve(best: list[int], inner: Gains, gain: int) -> None:
    for at in (1, 2, 3, 4, 6, 7, 8, 9):
        if inner[at - 1] + gain > best[at]:
            best[at] = inner[at - 1] + gain


@lru_cache(maxsize=1 << 15)
def together(one: Gains, other: Gains) -> Gains:
    """The gains of two suits side by side; the eyes come from either."""
    plain = [max(one[i] + other[n - i] for i in range(n + 1)) for n in range(BLOCKS + 1)]
    eyes = [
        max(max(one[5 + i] + other[n - i], one[i] + other[5 + n - i]) for i in range(n + 1)) for n in range(BLOCKS + 1)
    ]
    return (*plain, *eyes)


def suit_gains(suits: Suits) -> tuple[Gains, Gains, Gains, Gains]:
    """The gains of each suit of a hand."""
    m, p, s, z = suits
    return gains(m, True), gains(p, True), gains(s, True), gains(z, False)


def missing(total: Gains, melds: int) -> int:
    """Tiles still missing to four sets and a pair, `melds` of the sets lying open."""
    blocks = BLOCKS - melds
    return 2 * blocks - max(total[blocks] - 1, total[5 + blocks])


def pairs(packed: int) -> int:
    """Pairs in a packed suit; four of a kind are two."""
    twos, fours = packed >> 1 & ODD, packed >> 2 & ODD
    return twos.bit_count() + 2 * fours.bit_count()


def distance(suits: Suits, wilds: int, melds: int) -> int:
    """Tiles missing to a win of either shape, 0 for a complete hand; wilds stand for what is missing."""
    m, p, s, z = suit_gains(suits)
    lacking = missing(together(together(m, p), together(s, z)), melds)
    if not melds:
        lacking = min(lacking, PAIRS_NEEDED - sum(pairs(suit) for suit in suits))
    if wilds and lacking <= wilds:
        # A set of nothing but wilds takes three: 3k+1 tiles are never complete.
        return 1 if (sum(tiles_in(suit) for suit in suits) + wilds) % 3 == 1 else 0
    return lacking - wilds


def tiles_in(packed: int) -> int:
    """How many tiles a packed suit holds."""
    ones, twos, fours = packed & ODD, packed >> 1 & ODD, packed >> 2 & ODD
    return ones.bit_count() + 2 * twos.bit_count() + 4 * fours.bit_count()


def others(suits: Suits) -> tuple[Gains, Gains, Gains, Gains]:
    """For each suit, the gains of the three others together."""
    m, p, s, z = suit_gains(suits)
    numbers, rest = together(m, p), together(s, z)
    return together(p, rest), together(m, rest), together(numbers, z), together(numbers, s)


def acceptance(suits: Suits, wilds: int, melds: int, unseen: Sequence[int]) -> int:
    """How many unseen tiles bring the hand nearer to a win."""
    return sum(unseen[kind] for kind in useful(suits, wilds, melds))


def useful(suits: Suits, wilds: int, melds: int) -> list[int]:
    """The kinds that bring the hand nearer to a win. A wild always does and is not listed."""
    now = distance(suits, 0, melds)
    beside = others(suits)
    twos = sum(pairs(suit) for suit in suits)
    nearer = now - 1
    found = []
    for kind in range(KINDS):
        suit, unit = SUIT[kind], UNIT[kind]
        packed = suits[suit]
        held = packed >> SHIFT[kind] & 7
        if held == 4:
            continue
        grown = missing(together(gains(packed + unit, kind < 27), beside[suit]), melds)
        if grown <= nearer or (not melds and held & 1 and PAIRS_NEEDED - twos - 1 <= nearer):
            found.append(kind)
    return found
