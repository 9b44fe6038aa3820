"""The win check and the waits on packed hands (RULES 4.1, 4.3): table look-ups, no search.

A hand is four packed suits (m, p, s, z) and a number of wilds kept apart. Tiles in melds are never in it.
"""

from collections.abc import Iterable

from liuzhou.rules.options import Options
from liuzhou.rules.suit_tables import (
    BUDGETS,
    COMPLETE_HONORS,
    COMPLETE_RUNS,
    NEED_MASK,
    NEED_RUNS,
    NEED_SETS,
    ODD,
    PAIRED,
    WAIT_RUNS,
    WAIT_SETS,
)

Suits = tuple[int, int, int, int]
EMPTY: Suits = (0, 0, 0, 0)
SUIT: tuple[int, ...] = tuple(kind // 9 for kind in range(34))
SHIFT: tuple[int, ...] = tuple(3 * (kind % 9) for kind in range(34))
UNIT: tuple[int, ...] = tuple(1 << shift for shift in SHIFT)
ODD_HAND = ODD | ODD << 27 | ODD << 54 | ODD << 81  # the low bit of every kind, four suits in one number

_runs = COMPLETE_RUNS.get
_honors = COMPLETE_HONORS.get


def pack(tiles: Iterable[int], wild: int = -1) -> tuple[Suits, int]:
    """Packed suits and the number of wilds among the tiles."""
    packed = [0, 0, 0, 0]
    wilds = 0
    for kind in tiles:
        if kind == wild:
            wilds += 1
        else:
            packed[SUIT[kind]] += UNIT[kind]
    return (packed[0], packed[1], packed[2], packed[3]), wilds


def add(suits: Suits, kind: int) -> Suits:
    """The hand with one more tile of a kind."""
    m, p, s, z = suits
    if kind < 9:
        return m + UNIT[kind], p, s, z
    if kind < 18:
        return m, p + UNIT[kind], s, z
    if kind < 27:
        return m, p, s + UNIT[kind], z
    return m, p, s, z + UNIT[kind]


def remove(suits: Suits, kind: int) -> Suits:
    """The hand without one tile of a kind, which it must hold."""
    m, p, s, z = suits
    if kind < 9:
        return m - UNIT[kind], p, s, z
    if kind < 18:
        return m, p - UNIT[kind], s, z
    if kind < 27:
        return m, p, s - UNIT[kind], z
    return m, p, s, z - UNIT[kind]


def count(suits: Suits, kind: int) -> int:
    """How many tiles of a kind the packed hand holds."""
    return suits[SUIT[kind]] >> SHIFT[kind] & 7


def unpack(suits: Suits) -> tuple[int, ...]:
    """The tiles of a packed hand, ascending (wilds are not among them)."""
    return tuple(kind for kind in range(34) for _ in range(suits[SUIT[kind]] >> SHIFT[kind] & 7))


def is_win(suits: Suits, wilds: int, melds_count: int) -> bool:
    """Whether 3k+2 tiles, wilds included, are a winning hand beside `melds_count` melds."""
    m, p, s, z = suits
    if wilds:
        code = NEED_RUNS[m] + NEED_RUNS[p] + NEED_RUNS[s] + NEED_SETS[z]
        if (code & NEED_MASK) - 1 <= wilds if code >= PAIRED else code + 2 <= wilds:
            return True
        # `odd_kinds` written out: the call costs as much as what it does
        return not melds_count and ((m | p << 27 | s << 54 | z << 81) & ODD_HAND).bit_count() <= wilds
    # Most hands asked about do not win, and their first suit shows it: the others need no look-up then.
    if (a := _runs(m)) and (b := _runs(p)) and (c := _runs(s)) and a * b * c * _honors(z, 0) == 2:
        return True
    return not melds_count and not (m | p | s | z) & ODD


def is_four_sets(suits: Suits, wilds: int) -> bool:
    """Whether the hand can be read as sets and a pair."""
    m, p, s, z = suits
    return within(NEED_RUNS[m] + NEED_RUNS[p] + NEED_RUNS[s] + NEED_SETS[z], wilds)


def is_all_triplets(suits: Suits, wilds: int) -> bool:
    """Whether the hand can be read as triplets and a pair."""
    m, p, s, z = suits
    return within(NEED_SETS[m] + NEED_SETS[p] + NEED_SETS[s] + NEED_SETS[z], wilds)


def is_seven_pairs(suits: Suits, wilds: int, melds_count: int) -> bool:
    """Whether the hand can be read as seven pairs: no melds, and a wild for every odd kind."""
    return not melds_count and odd_kinds(suits) <= wilds


def within(code: int, wilds: int) -> bool:
    """Whether the summed codes of four suits come to sets and exactly one pair with so many wilds."""
    return (code & NEED_MASK) - 1 <= wilds if code >= PAIRED else code + 2 <= wilds


def odd_kinds(suits: Suits) -> int:
    """How many kinds the hand holds an odd number of: the wilds that seven pairs need."""
    m, p, s, z = suits
    return ((m | p << 27 | s << 54 | z << 81) & ODD_HAND).bit_count()


def waits(suits: Suits, wilds: int, melds_count: int, options: Options) -> int:
    """Bitmask of the kinds in play that complete 3k+1 tiles when they come from another player.

    Kinds of which the hand itself holds all four are left out. Bit 33 with `wild_red` is the tile 中 itself, as a
    discard is (RULES 3.11). Whether a *drawn* wild wins is `is_win(suits, wilds + 1, melds_count)`.
    """
    m, p, s, z = suits
    codes = (NEED_RUNS[m], NEED_RUNS[p], NEED_RUNS[s], NEED_SETS[z])
    total = codes[0] + codes[1] + codes[2] + codes[3]
    mask = 0
    # one tile more can lower the need by at most one
    if (total & NEED_MASK) - 1 <= wilds + 1 if total >= PAIRED else total + 1 <= wilds:
        for i, v in enumerate(suits):
            mask |= _suit_waits(WAIT_RUNS[v] if i < 3 else WAIT_SETS[v], total - codes[i], wilds) << 9 * i
    if not melds_count:
        mask |= _pair_waits(suits, wilds)
    return mask & options.kinds_mask


def _suit_waits(row: tuple[int, ...], rest: int, wilds: int) -> int:
    """Ranks of one suit that complete the hand, given the summed codes of the other three."""
    budget = wilds + 1 - (rest & NEED_MASK)
    if budget < 0:
        return 0
    if rest >= PAIRED:  # the pair is elsewhere
        return row[budget]
    return row[BUDGETS + budget] | (row[budget - 3] if budget >= 3 else 0)


def _pair_waits(suits: Suits, wilds: int) -> int:
    """Kinds that complete seven pairs."""
    odd = odd_kinds(suits)
    if odd > wilds + 1:
        return 0
    column = 2 * BUDGETS + (odd == wilds + 1)
    m, p, s, z = suits
    return WAIT_RUNS[m][column] | WAIT_RUNS[p][column] << 9 | WAIT_RUNS[s][column] << 18 | WAIT_SETS[z][column] << 27


def kinds_of(mask: int) -> tuple[int, ...]:
    """The kinds of a bitmask, ascending."""
    kinds = []
    while mask:
        low = mask & -mask
        kinds.append(low.bit_length() - 1)
        mask ^= low
    return tuple(kinds)
