"""Turns sums into findings: figures, what chance gives, and a score. Pure; thresholds and tolerances are here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from liuzhou.fairness import evidence
from liuzhou.fairness.expectation import Expected, players_of
from liuzhou.fairness.facts import Own, Tally
from liuzhou.fairness.models import Flag

RISK: Final = 0.01  # per kind of flag: the probability of one false flag among all comparisons, ever
LEAST_COMPARISONS: Final = 1000  # a small site is held to the same standard
PERIODS: Final = 2  # evidence starts anew each quarter (docs/fairness.md 3)
FACT: Final = 99.0  # the score of what is no matter of chance

# People differ, and so do friends: only what goes beyond chance by so much is evidence at all.
TAKE_TOLERANCE: Final = 1.25
WIN_TOLERANCE: Final = 1.5
MEET_TOLERANCE: Final = 2.0
EDGE_TOLERANCE: Final = 0.1  # points a hand

PAIR_HANDS: Final = 30
COIN_HANDS: Final = 50
MEET_ROOMS: Final = 8
PLAYER_HANDS: Final = 60
DEVICE_HANDS: Final = 20
ADDRESS_HANDS: Final = 60

STRENGTH_WEIGHT: Final = 15.0
WEAKEST: Final = 0.2


class Finding(NamedTuple):
    """One comparison: `one` is who gained, `other` who gave (or just the second; None for a player alone). `enough`:
    whether there is so much of it that a flag may rest on it."""

    kind: str
    one: int
    other: int | None
    score: float
    hands: int
    evidence: dict[str, Any]
    enough: bool


def threshold(comparisons: int) -> float:
    return evidence.threshold(max(LEAST_COMPARISONS, PERIODS * comparisons), RISK)


def _counted(found: int, expected: float, tolerance: float, hands: int) -> tuple[float, dict[str, Any]]:
    low, high = evidence.poisson_range(expected)
    score = evidence.count_score(found, tolerance * expected)
    figures = {"hands": hands, "found": found, "expected": round(expected, 2), "low": low, "high": high}
    return score, figures


def feeding(taker: int, feeder: int, own: Tally, expected: Expected) -> Finding:
    """喂牌: melds the taker made of the feeder's discards."""
    score, figures = _counted(own.takes, expected.takes, TAKE_TOLERANCE, own.hands)
    figures |= {"chows": own.chows, "pongs": own.next_pongs + own.pongs, "bonds": own.bonds}
    return Finding(Flag.Kind.FEEDING, taker, feeder, score, own.hands, figures, own.hands >= PAIR_HANDS)


def dealing(taker: int, feeder: int, own: Tally, expected: Expected) -> Finding:
    """点炮: the taker's wins on the feeder's tiles."""
    score, figures = _counted(own.all_wins, expected.wins, TAKE_TOLERANCE, own.hands)
    return Finding(Flag.Kind.DEALING, taker, feeder, score, own.hands, figures, own.hands >= PAIR_HANDS)


def coins(taker: int, feeder: int, own: Tally, won: int) -> Finding:
    """金币流向: what the feeder lost to the taker beyond what their dealings with the others explain. `won`: all that the
    taker won at coin tables, losses not subtracted."""
    score = evidence.sum_score(own.edge - EDGE_TOLERANCE * own.coin_hands, own.edge_squares)
    edge, interval = evidence.mean(own.edge, own.edge_squares, own.coin_hands)
    figures = {
        "hands": own.coin_hands,
        "coins": own.coins,
        "share": round(own.coins / won, 4) if won > 0 and own.coins > 0 else 0.0,
        "edge": round(edge, 3),
        "low": round(interval.low, 3),
        "high": round(interval.high, 3),
    }
    return Finding(Flag.Kind.COINS, taker, feeder, score, own.coin_hands, figures, own.coin_hands >= COIN_HANDS)


def meeting(one: int, other: int, rooms: int, expected: float, hands: int) -> Finding:
    """同桌: coin tables shared, against what the bracket's traffic would give."""
    score, figures = _counted(rooms, expected, MEET_TOLERANCE, hands)
    return Finding(Flag.Kind.MEETING, one, other, score, hands, figures, rooms >= MEET_ROOMS)


def place(one: int, other: int, own: Tally) -> Finding:
    """同设备或同地址 at coin tables: a fact, no matter of chance."""
    enough = own.same_device >= DEVICE_HANDS or own.same_address >= ADDRESS_HANDS
    figures = {"hands": own.coin_hands, "device": own.same_device, "address": own.same_address}
    return Finding(Flag.Kind.PLACE, one, other, FACT if enough else 0.0, own.coin_hands, figures, enough)


def strength(own: Own) -> float:
    """How a player wins compared with their share, at most 1: used to see whom somebody won against."""
    return min(1.0, max(WEAKEST, (own.wins + STRENGTH_WEIGHT) / (own.share + STRENGTH_WEIGHT)))


def expected_wins(tables: Mapping[str, Own], opponents: float) -> float:
    """The wins that would be a player's at these tables, against opponents of that mean strength."""
    wins = 0.0
    for table, own in tables.items():
        players = players_of(table)
        wins += own.share * players / (1 + (players - 1) * opponents)
    return wins


def winning(player: int, own: Own, expected: float) -> Finding:
    """胜率: a player's wins, against the wins that the same tables had, shared among who sat there."""
    score, figures = _counted(own.wins, expected, WIN_TOLERANCE, own.hands)
    interval, hands = evidence.wilson(own.wins, own.hands), max(1, own.hands)
    figures |= {
        "rate": round(own.wins / hands, 4),
        "rate_low": round(interval.low, 4),
        "rate_high": round(interval.high, 4),
        "fair": round(own.fair / hands, 4),
        "table": round(own.share / hands, 4),
    }
    return Finding(Flag.Kind.WINNING, player, None, score, own.hands, figures, own.hands >= PLAYER_HANDS)
