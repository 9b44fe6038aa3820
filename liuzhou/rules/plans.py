"""What a hand may become and what that is worth: the `strong` bot's estimate of a hand that waits for its next tile.

Each plan (any win, all pungs, a flush, seven pairs) has a number of tiles still missing, a rate at which useful tiles come,
and a value. The hand is worth what its best plan is, and a little of the next best.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from typing import Final, NamedTuple

from liuzhou.rules.hand import SHIFT, SUIT, UNIT, Suits
from liuzhou.rules.shape import (
    BLOCKS,
    ODD,
    PAIRS_NEEDED,
    Gains,
    distance,
    gains,
    missing,
    others,
    pairs,
    tiles_in,
    together,
)
from liuzhou.rules.sight import Sight
from liuzhou.rules.tiles import KINDS

# The log-odds of a win from so many tiles away, fitted to thousands of hands: constant, by the logarithm of the rate at
# which useful tiles come, by how many opponents are ready.
ODDS: Final = (
    (1.9, 0.79, -0.81),
    (0.83, 0.8, -1.46),
    (-0.2, 0.65, -2.2),
    (-0.9, 0.61, -3.4),
    (-1.5, 0.52, -3.8),
)
FURTHER: Final = -0.6  # log-odds of each tile beyond those
SPARED: Final = 0.5  # what a win spares one of paying for another's
LEAST_RATE: Final = 0.02
REACH: Final = 1  # how many tiles further off than any win a grander plan may be
DOUBT: Final = 0.6  # what is left, for each tile missing beyond the first, of a plan whose tiles come more slowly
SECOND: Final = 0.25  # how much of the next best plan counts


class Outlook(NamedTuple):
    """The table as far as the estimate needs it, the same for every discard considered."""

    sight: Sight
    opponents: int
    unseen_total: int
    heard: tuple[float, ...]  # how likely an opponent throws an unseen tile of a kind, against one's drawing it
    ready: float  # opponents that wait for their last tile, as far as one can tell
    plain: float  # value of a win without big types
    quiet: float  # the same for a hand that is still concealed (门清)
    big: float  # with one
    double: float  # with two


class Form(NamedTuple):
    """A hand of 3k+1 tiles: concealed, and what its melds allow."""

    suits: Suits
    wilds: int
    melds: int
    pungs: bool  # no chow among the melds
    suit: int  # the one suit of all melds, -1 when mixed, -2 without melds
    concealed: bool  # no meld but concealed kongs


class Plan(NamedTuple):
    lacking: int
    rate: float
    value: float


def worth(outlook: Outlook, form: Form) -> float:
    """Expected points of the hand while it waits."""
    plans = _plans(outlook, form)
    nearest = next(plans)
    first = _chance(nearest, outlook.ready) * (nearest.value + SPARED)
    best = max(
        (_chance(plan, outlook.ready) * DOUBT ** (plan.lacking - 1) * (plan.value + SPARED) for plan in plans),
        default=0.0,
    )
    return max(first, best) + SECOND * min(first, best)


def _chance(plan: Plan, ready: float) -> float:
    """The chance to win by the plan."""
    constant, by_rate, by_ready = ODDS[min(plan.lacking, len(ODDS)) - 1]
    further = FURTHER * max(0, plan.lacking - len(ODDS))
    odds = constant + further + by_rate * log(max(plan.rate, LEAST_RATE)) + by_ready * ready
    return 1 / (1 + exp(-odds))


def _plans(outlook: Outlook, form: Form) -> Iterator[Plan]:
    nearest = max(1, distance(form.suits, form.wilds, form.melds))
    yield Plan(nearest, _any_rate(outlook, form), _any_value(outlook, form))
    if form.pungs:
        lacking = max(1, _pung_lacking(form) - form.wilds)
        if lacking <= nearest + REACH:
            yield Plan(lacking, _pung_rate(outlook, form), _pung_value(outlook, form))
    for suit in range(3):
        if form.suit not in (suit, -2):
            continue
        lacking = max(1, _flush_lacking(form, suit) - form.wilds)
        if lacking <= nearest + REACH:
            yield Plan(lacking, _flush_rate(outlook, form, suit), outlook.big)
    if not form.melds:
        lacking = max(1, PAIRS_NEEDED - sum(map(pairs, form.suits)) - form.wilds)
        if lacking <= nearest + REACH:
            yield Plan(lacking, _pair_rate(outlook, form, lacking), outlook.big)


def _rate(outlook: Outlook, weight: float) -> float:
    return min(0.95, weight / max(1, outlook.unseen_total))


def _any_value(outlook: Outlook, form: Form) -> float:
    if form.melds == BLOCKS:
        return outlook.big
    return outlook.quiet if form.concealed else outlook.plain


def _pung_value(outlook: Outlook, form: Form) -> float:
    flush = form.suit >= 0 and not any(packed for suit, packed in enumerate(form.suits) if suit != form.suit)
    return outlook.double if flush else outlook.big


def _any_rate(outlook: Outlook, form: Form) -> float:
    """The unseen tiles that bring the hand nearer, each weighed by how many players may provide it."""
    suits, melds, unseen = form.suits, form.melds, outlook.sight.unseen
    now = distance(suits, 0, melds)
    beside = others(suits)
    twos = sum(map(pairs, suits))
    waiting = now - form.wilds <= 1
    weight = float(unseen[outlook.sight.options.wild]) if outlook.sight.options.wild >= 0 else 0.0
    for kind in range(KINDS):
        if not unseen[kind]:
            continue
        suit = SUIT[kind]
        packed = suits[suit]
        held = packed >> SHIFT[kind] & 7
        if held == 4:
            continue
        grown = missing(_grown(packed, kind, beside[suit]), melds)
        if grown < now:
            weight += unseen[kind] * (1 + outlook.heard[kind] * _givers(outlook, packed, kind, waiting))
        elif not melds and held & 1 and PAIRS_NEEDED - twos - 1 < now:
            weight += unseen[kind] * (1 + outlook.heard[kind] * outlook.opponents * waiting)
    return _rate(outlook, weight)


def _grown(packed: int, kind: int, beside: Gains) -> Gains:
    return together(gains(packed + UNIT[kind], kind < 27), beside)


def _givers(outlook: Outlook, packed: int, kind: int, waiting: bool) -> int:
    """From how many opponents the tile may be claimed: all for a win or a pong, the previous for a chow."""
    if waiting or packed >> SHIFT[kind] & 7 >= 2:
        return outlook.opponents
    return int(kind < 27 and chows(packed, kind % 9))


def chows(packed: int, rank: int) -> bool:
    """Whether two of the suit's tiles make a sequence with this rank."""
    near = [0 <= rank + step <= 8 and bool(packed >> 3 * (rank + step) & 7) for step in (-2, -1, 1, 2)]
    return (near[0] and near[1]) or (near[1] and near[2]) or (near[2] and near[3])


def _pung_lacking(form: Form) -> int:
    threes = twos = 0
    for packed in form.suits:
        four, two, one = packed >> 2 & ODD, packed >> 1 & ODD, packed & ODD
        threes += (four | two & one).bit_count()
        twos += (two & ~one).bit_count()
    blocks = BLOCKS - form.melds
    sets = min(threes, blocks)
    return 2 * blocks + 1 - 2 * sets - min(twos + threes - sets, blocks - sets + 1)


def _pung_rate(outlook: Outlook, form: Form) -> float:
    unseen = outlook.sight.unseen
    twos = sum(((packed >> 1 & ODD) & ~(packed & ODD)).bit_count() for packed in form.suits)
    threes = sum((packed >> 2 & ODD | packed >> 1 & packed & ODD).bit_count() for packed in form.suits)
    lacking = max(1, _pung_lacking(form) - form.wilds)
    short = twos + threes + form.melds < BLOCKS + 1  # pairs are wanted too
    weight = 0.0
    for kind in range(KINDS):
        held = form.suits[SUIT[kind]] >> SHIFT[kind] & 7
        if held == 2:
            weight += unseen[kind] * (1 + outlook.heard[kind] * outlook.opponents)
        elif held == 1 and short:
            weight += unseen[kind] * (1 + outlook.heard[kind] * outlook.opponents * (lacking == 1))
    return _rate(outlook, weight)


def _flush_lacking(form: Form, suit: int) -> int:
    packed = form.suits[suit]
    return max(missing(gains(packed, True), form.melds), 14 - 3 * form.melds - tiles_in(packed))


def _flush_rate(outlook: Outlook, form: Form, suit: int) -> float:
    unseen, packed = outlook.sight.unseen, form.suits[suit]
    now = _flush_lacking(form, suit)
    waiting = now - form.wilds <= 1
    weight = 0.0
    for kind in range(9 * suit, 9 * suit + 9):
        held = packed >> SHIFT[kind] & 7
        if not unseen[kind] or held == 4:
            continue
        if _flush_lacking(form._replace(suits=_only(suit, packed + UNIT[kind])), suit) < now:
            weight += unseen[kind] * (1 + outlook.heard[kind] * _givers(outlook, packed, kind, waiting))
    return _rate(outlook, weight)


def _only(suit: int, packed: int) -> Suits:
    return (packed if suit == 0 else 0, packed if suit == 1 else 0, packed if suit == 2 else 0, 0)


def _pair_rate(outlook: Outlook, form: Form, lacking: int) -> float:
    unseen = outlook.sight.unseen
    heard = outlook.opponents if lacking == 1 else 0
    singles = [kind for kind in range(KINDS) if form.suits[SUIT[kind]] >> SHIFT[kind] & 1]
    return _rate(outlook, sum(unseen[kind] * (1 + outlook.heard[kind] * heard) for kind in singles))
