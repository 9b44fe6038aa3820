"""What a hand may become and what that is worth: the `strong` bot's estimate of a hand that waits for its next tile.

Each plan (any win, all pungs, a flush, seven pairs) has a number of tiles still missing, a chance per round to get one of
them, and a value. The hand may end at any time by somebody else's win, so a plan with stages of rates r comes true with
probability ∏ r/(r + hazard). The hand is worth what its best plan is, and a little of the next best.
"""

from __future__ import annotations

from collections.abc import Iterator
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

# How likely an opponent throws an unseen tile in a round, against one's drawing it (counted over thousands of hands).
HEARD_BY_RANK: Final = (1.2, 0.9, 0.7, 0.7, 0.7, 0.7, 0.7, 0.9, 1.2)
HEARD: Final = tuple(1.6 if kind >= 27 else HEARD_BY_RANK[kind % 9] for kind in range(KINDS))
MENDING: Final = 1.0  # chance per round to mend a poor shape without getting nearer
DOUBT: Final = 0.6  # how far the estimates of the grander plans are trusted
SECOND: Final = 0.25  # how much of the next best plan counts
# Typical chances per round of a stage when so many tiles are missing, beyond the stage at hand.
ANY_RATES: Final = (1.0, 0.17, 0.36, 0.5, 0.65, 0.75, 0.8, 0.8)
PUNG_RATES: Final = (1.0, 0.13, 0.2, 0.26, 0.3, 0.33, 0.35, 0.36, 0.36, 0.36)
FLUSH_RATES: Final = (1.0, 0.16, 0.28, 0.35, 0.4, 0.42, 0.43, 0.44, 0.44, 0.44)
CLAIM_RATES: Final = (1.0, 0.16, 0.1, 0.15)
PAIR_RATES: Final = (1.0, 0.1, 0.1, 0.16, 0.2, 0.25, 0.3, 0.35)


class Outlook(NamedTuple):
    """The table as far as the estimate needs it, the same for every discard considered."""

    sight: Sight
    opponents: int
    unseen_total: int
    hazard: float
    plain: float  # value of a win without big types
    big: float  # with one
    double: float  # with two


class Form(NamedTuple):
    """A hand of 3k+1 tiles: concealed, and what its melds allow."""

    suits: Suits
    wilds: int
    melds: int
    pungs: bool  # no chow among the melds
    suit: int  # the one suit of all melds, -1 when mixed, -2 without melds


class Plan(NamedTuple):
    lacking: int
    rate: float
    rates: tuple[float, ...]
    value: float


def worth(outlook: Outlook, form: Form) -> float:
    """Expected points of the hand while it waits."""
    first, *rest = (_chance(plan, outlook.hazard) * plan.value for plan in _plans(outlook, form))
    best = DOUBT * max(rest, default=0.0)
    return max(first, best) + SECOND * min(first, best)


def _chance(plan: Plan, hazard: float) -> float:
    """The chance that the plan comes true. A poor shape may be mended while waiting, which is why going back is rarely right."""
    ahead = _typical(plan.rates, plan.lacking - 1, hazard)
    mended = ahead * _stage(plan.rates, plan.lacking, hazard)
    return (plan.rate * ahead + MENDING * mended) / (plan.rate + MENDING + hazard)


def _typical(rates: tuple[float, ...], lacking: int, hazard: float) -> float:
    chance = 1.0
    for stage in range(1, lacking + 1):
        chance *= _stage(rates, stage, hazard)
    return chance


def _stage(rates: tuple[float, ...], stage: int, hazard: float) -> float:
    rate = rates[min(stage, len(rates) - 1)]
    return rate / (rate + hazard)


def _plans(outlook: Outlook, form: Form) -> Iterator[Plan]:
    nearest = max(1, distance(form.suits, form.wilds, form.melds))
    yield Plan(nearest, _any_rate(outlook, form), ANY_RATES, _any_value(outlook, form))
    if form.pungs:
        lacking = max(1, _pung_lacking(form) - form.wilds)
        if lacking <= nearest + 3:
            yield Plan(lacking, _pung_rate(outlook, form), PUNG_RATES, _pung_value(outlook, form))
    for suit in range(3):
        if form.suit not in (suit, -2):
            continue
        lacking = max(1, _flush_lacking(form, suit) - form.wilds)
        if lacking <= nearest + 3:
            yield Plan(lacking, _flush_rate(outlook, form, suit), FLUSH_RATES, outlook.big)
    if 2 <= form.melds < BLOCKS and outlook.big > outlook.plain:
        yield Plan(BLOCKS + 1 - form.melds, _claim_rate(outlook, form), CLAIM_RATES, outlook.big)
    if not form.melds:
        lacking = max(1, PAIRS_NEEDED - sum(map(pairs, form.suits)) - form.wilds)
        if lacking <= 3:
            yield Plan(lacking, _pair_rate(outlook, form, lacking), PAIR_RATES, outlook.big)


def _rate(outlook: Outlook, weight: float) -> float:
    return min(0.95, weight / max(1, outlook.unseen_total))


def _any_value(outlook: Outlook, form: Form) -> float:
    return outlook.big if form.melds == BLOCKS else outlook.plain


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
            weight += unseen[kind] * (1 + HEARD[kind] * _givers(outlook, held, waiting))
        elif not melds and held & 1 and PAIRS_NEEDED - twos - 1 < now:
            weight += unseen[kind] * (1 + HEARD[kind] * outlook.opponents * waiting)
    return _rate(outlook, weight)


def _grown(packed: int, kind: int, beside: Gains) -> Gains:
    return together(gains(packed + UNIT[kind], kind < 27), beside)


def _givers(outlook: Outlook, held: int, waiting: bool) -> int:
    """From how many opponents the tile may be claimed: all for a win or a pong, the previous for a chow."""
    return outlook.opponents if waiting or held >= 2 else 1


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
            weight += unseen[kind] * (1 + HEARD[kind] * outlook.opponents)
        elif held == 1 and short:
            weight += unseen[kind] * (1 + HEARD[kind] * outlook.opponents * (lacking == 1))
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
            weight += unseen[kind] * (1 + HEARD[kind] * _givers(outlook, held, waiting))
    return _rate(outlook, weight)


def _claim_rate(outlook: Outlook, form: Form) -> float:
    """The chance to be fed one more meld, for the hand of four melds and a single tile."""
    unseen, suits = outlook.sight.unseen, form.suits
    weight = 0.0
    for kind in range(KINDS):
        packed, shift = suits[SUIT[kind]], SHIFT[kind]
        if packed >> shift & 7 >= 2:
            weight += unseen[kind] * HEARD[kind] * outlook.opponents
        elif kind < 27 and _chows(packed, kind % 9):
            weight += unseen[kind] * HEARD[kind]
    return _rate(outlook, weight)


def _chows(packed: int, rank: int) -> bool:
    """Whether two of the suit's tiles make a sequence with this rank."""
    near = [0 <= rank + step <= 8 and bool(packed >> 3 * (rank + step) & 7) for step in (-2, -1, 1, 2)]
    return (near[0] and near[1]) or (near[1] and near[2]) or (near[2] and near[3])


def _only(suit: int, packed: int) -> Suits:
    return (packed if suit == 0 else 0, packed if suit == 1 else 0, packed if suit == 2 else 0, 0)


def _pair_rate(outlook: Outlook, form: Form, lacking: int) -> float:
    unseen = outlook.sight.unseen
    heard = outlook.opponents if lacking == 1 else 0
    singles = [kind for kind in range(KINDS) if form.suits[SUIT[kind]] >> SHIFT[kind] & 1]
    return _rate(outlook, sum(unseen[kind] * (1 + HEARD[kind] * heard) for kind in singles))
