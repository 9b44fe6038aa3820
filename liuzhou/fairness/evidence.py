"""How surprising a figure is: intervals, and evidence that may be looked at again and again. Pure (docs/fairness.md 3).

Evidence is an e-value: a bet against chance whose stake is 1. If only chance is at work, the bet is worth 1 or less on average
at any time, so the probability that it *ever* reaches K is at most 1/K (Ville), however often somebody looks. `score` is its
logarithm to base ten: 4 means, at most once in ten thousand honest pairs, ever."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959964
RATIOS = (1.5, 2.0, 3.0)  # what the bets are laid on: so many times the expected count
SLOPES = (0.02, 0.05, 0.1, 0.2, 0.4)  # and so steep an exponential of a sum of gains


class Interval(NamedTuple):
    low: float
    high: float


def count_score(found: float, expected: float) -> float:
    """Evidence that events come more often than `expected` says, when each of them had at most that chance.

    The mean of the likelihood ratios of Poisson counts; for trials that succeed or fail it is no more than 1 on average."""
    return _mixture([found * math.log(ratio) - (ratio - 1) * expected for ratio in RATIOS])


def sum_score(total: float, squares: float) -> float:
    """Evidence that gains with sum `total` and sum of squares `squares` have a mean above zero (self-normalised)."""
    return _mixture([slope * total - slope * slope * squares / 2 for slope in SLOPES])


def _mixture(logs: Sequence[float]) -> float:
    most = max(logs)
    return (most + math.log(sum(math.exp(each - most) for each in logs) / len(logs))) / math.log(10)


def threshold(comparisons: int, risk: float) -> float:
    """The score from which on a flag is raised: with so many comparisons, the probability of one false flag among all of
    them, ever, stays below `risk` (Bonferroni)."""
    return math.log10(max(1, comparisons) / risk)


def wilson(found: int, trials: int, z: float = Z95) -> Interval:
    """Where the true share lies (Wilson's interval)."""
    if not trials:
        return Interval(0.0, 1.0)
    share, square = found / trials, z * z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = z / (1 + square / trials) * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def mean(total: float, squares: float, count: int, z: float = Z95) -> tuple[float, Interval]:
    """The mean of so many values and where the true one lies."""
    if not count:
        return 0.0, Interval(0.0, 0.0)
    middle = total / count
    variance = max(0.0, squares - count * middle * middle) / max(1, count - 1)
    half = z * math.sqrt(variance / count)
    return middle, Interval(middle - half, middle + half)


def poisson_range(expected: float) -> tuple[int, int]:
    """The counts that chance gives in 95 of 100 cases: no more than 2.5 of them lie below, no more than 2.5 above."""
    if expected <= 0:
        return 0, 0
    if expected > 400:
        half = Z95 * math.sqrt(expected)
        return math.floor(expected - half), math.ceil(expected + half)
    chance, below, count, low = math.exp(-expected), 0.0, 0, 0
    while below + chance <= 0.975:
        below += chance
        count += 1
        chance *= expected / count
        if below <= 0.025:
            low = count
    return low, count
