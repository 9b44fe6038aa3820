"""What a winning hand is: its readings, their big types, and the value of the best (RULES 4 and 5)."""

from collections.abc import Sequence
from typing import NamedTuple

from liuzhou.rules import hand as packed
from liuzhou.rules.hand import Suits
from liuzhou.rules.melds import CHOW, CONCEALED_KONG, Meld
from liuzhou.rules.options import Options

ALL_PUNGS = "all_pungs"
FULL_FLUSH = "full_flush"
SEVEN_PAIRS = "seven_pairs"
ALL_MELDED = "all_melded"
KONG_FLOWER = "kong_flower"
KONG_DISCARD = "kong_discard"
ROBBED_KONG = "robbed_kong"

TYPE_NAMES: dict[str, tuple[str, str]] = {
    ALL_PUNGS: ("对对胡", "All pungs"),
    FULL_FLUSH: ("清一色", "Full flush"),
    SEVEN_PAIRS: ("小七对", "Seven pairs"),
    ALL_MELDED: ("全求人", "All melded"),
    KONG_FLOWER: ("杠上花", "Kong flower"),
    KONG_DISCARD: ("杠上炮", "Kong discard"),
    ROBBED_KONG: ("抢杠胡", "Robbed kong"),
}


class How(NamedTuple):
    """How a hand is won: `discard`, `self_draw` or `robbed_kong`.

    `after_kong`: on the replacement tile (self-draw), or on the discard that follows one.
    """

    kind: str
    after_kong: bool = False
    last_tile: bool = False

    @property
    def drawn(self) -> bool:
        return self.kind == "self_draw"


BY_DISCARD = How("discard")
BY_SELF_DRAW = How("self_draw")


class Hand(NamedTuple):
    """What a win is worth: its big types (sorted), the multipliers that are true of it, and the value before fish."""

    types: tuple[str, ...]
    concealed: bool
    last_tile: bool
    value: int


def evaluate(
    options: Options, tiles: Sequence[int], melds: Sequence[Meld], tile: int, how: How = BY_DISCARD
) -> Hand | None:
    """The best reading of `tiles` and the winning `tile`, or None if they do not win.

    A drawn 7z is wild where 7z is; taken from another it is 中 itself (RULES 3.11).
    """
    suits, wilds = packed.pack(tiles, options.wild)
    if how.drawn and tile == options.wild:
        wilds += 1
    else:
        suits = packed.add(suits, tile)
    return best_reading(options, suits, wilds, melds, how)


def best_reading(options: Options, suits: Suits, wilds: int, melds: Sequence[Meld], how: How) -> Hand | None:
    """The reading of a whole packed hand with the highest value, then the most types, then seven pairs (RULES 4.3)."""
    readings = shape_readings(options, suits, wilds, melds)
    if not readings:
        return None
    circumstance = circumstance_types(options, how)
    concealed = how.drawn and not any(meld.is_exposed for meld in melds)
    last_tile = how.drawn and how.last_tile and options.rules.last_tile_doubles
    hands = []
    for shape in readings:
        types = shape | circumstance
        hands.append(
            Hand(tuple(sorted(types)), concealed, last_tile, win_value(options, types, how.drawn, concealed, last_tile))
        )
    return max(hands, key=_preference)


def _preference(hand: Hand) -> tuple[int, int, bool]:
    return hand.value, len(hand.types), SEVEN_PAIRS in hand.types


def shape_readings(options: Options, suits: Suits, wilds: int, melds: Sequence[Meld]) -> list[frozenset[str]]:
    """The big types by shape of each reading worth considering; empty if the hand does not win.

    Wilds never have to choose between types of one reading: triplets and runs that are made of wilds alone can stand in
    any suit, and the others stand in the suit of the tile they join.
    """
    common = {FULL_FLUSH} if is_full_flush(suits, melds) else set()
    if is_all_melded(options, suits, wilds, melds):
        common.add(ALL_MELDED)
    readings = []
    if packed.is_seven_pairs(suits, wilds, len(melds)):
        readings.append(frozenset({*common, SEVEN_PAIRS}))
    if packed.is_four_sets(suits, wilds):
        if all(meld.kind != CHOW for meld in melds) and packed.is_all_triplets(suits, wilds):
            common.add(ALL_PUNGS)
        readings.append(frozenset(common))
    return readings


def is_full_flush(suits: Suits, melds: Sequence[Meld]) -> bool:
    """清一色: every tile, melds included and wilds apart, of one suit, or honours all."""
    present = {i for i, suit in enumerate(suits) if suit}
    present.update(packed.SUIT[meld.tiles[0]] for meld in melds)
    return len(present) <= 1


def is_all_melded(options: Options, suits: Suits, wilds: int, melds: Sequence[Meld]) -> bool:
    """全求人: four melds and a single tile in hand; whether a concealed kong spoils it is the preset's."""
    if len(melds) != 4:
        return False
    return options.rules.all_melded_concealed_kong or all(meld.kind != CONCEALED_KONG for meld in melds)


def circumstance_types(options: Options, how: How) -> frozenset[str]:
    """Big types by how the hand was won, where the preset has them."""
    if how.kind == "robbed_kong":
        return frozenset({ROBBED_KONG})
    if how.after_kong and how.drawn:
        return frozenset({KONG_FLOWER})
    if how.after_kong and options.rules.kong_discard:
        return frozenset({KONG_DISCARD})
    return frozenset()


def win_value(options: Options, types: frozenset[str], drawn: bool, concealed: bool, last_tile: bool) -> int:
    """Points from each payer before fish: the table of RULES 5."""
    return self_draw_value(options, types, concealed, last_tile) if drawn else discard_value(options, types)


def discard_value(options: Options, types: frozenset[str]) -> int:
    """By discard or robbed kong: what the one who fed it pays."""
    big = len(types)
    growth = options.rules.discard_growth
    if not big:
        return 1
    if growth == "flat":
        return 6 if ALL_MELDED in types and types & {ALL_PUNGS, FULL_FLUSH} else 3
    if growth == "linear":
        return 3 * big
    value = 3 << big - 1
    cap = options.rules.discard_cap
    return value if options.cap is None or cap is None else min(value, cap)


def self_draw_value(options: Options, types: frozenset[str], concealed: bool, last_tile: bool) -> int:
    """By self-draw: what each other player pays."""
    rules = options.rules
    flower = KONG_FLOWER in types
    big = len(types) - (flower and not rules.flower_is_type)
    value = 1 if not big else 2 if rules.self_growth == "flat" else 2 << big - 1
    if flower and not rules.flower_is_type:
        value *= 2
    if last_tile:
        value *= 2
    cap = options.cap if rules.self_cap is None else rules.self_cap
    if cap is not None:
        value = min(value, cap)
    doubles = rules.concealed_doubles == "always" or (rules.concealed_doubles == "option" and options.concealed)
    if concealed and doubles and (rules.concealed_pairs or SEVEN_PAIRS not in types):
        value *= 2  # beyond the cap
    return value
