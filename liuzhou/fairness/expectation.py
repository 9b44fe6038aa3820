"""What chance gives: how often a taker would be expected to take from a feeder, or to win on their tile. Pure.

Expected is the number of the feeder's discards, times what the whole site takes of a discard at such tables, times how much
more (or less) this taker takes from *others*, times how much more others take from this feeder: the pair itself is left out
of its own expectation. What the others are like is allowed for in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from liuzhou.fairness.facts import Tally

ByTable = Mapping[str, Tally]  # per class of tables: preset and number of players


class Rates(NamedTuple):
    """Per discard, and whether the taker plays right after the feeder (`next`)."""

    chow: float
    next_pong: float
    pong: float
    next_win: float
    win: float


# What bots that want to win take (bench/fairness.py rates): it counts as PRIOR_DISCARDS discards, the site's own do the rest.
PRIORS = {
    4: Rates(0.0624, 0.0174, 0.0172, 0.0068, 0.0074),
    3: Rates(0.0629, 0.0181, 0.0183, 0.0102, 0.0107),
    2: Rates(0.0600, 0.0190, 0.0190, 0.0200, 0.0200),
}
PRIOR_DISCARDS = 10_000

# Nobody's habits are known at first: a player is taken for one who claims and wins more than others until their own play
# with others has shown how they are. The weight is in expected events.
TAKER, FEEDER, WEIGHT = 1.4, 1.2, 15.0
LEAST, MOST = 0.5, 4.0
# What an opponent is like needs no such care: it only says how much a player's dealings with them are worth as a comparison.
LEAST_OTHER = 0.05


def table_class(preset: str, players: int) -> str:
    return f"{preset}:{players}"


def players_of(table: str) -> int:
    return int(table.rpartition(":")[2])


def rates_of(table: str, total: Tally) -> Rates:
    """The site's rates at such tables, from all its hands so far."""
    prior = PRIORS[players_of(table)]

    def rate(events: int, chances: int, before: float) -> float:
        return (events + before * PRIOR_DISCARDS) / (chances + PRIOR_DISCARDS)

    return Rates(
        rate(total.chows, total.next_discards, prior.chow),
        rate(total.next_pongs, total.next_discards, prior.next_pong),
        rate(total.pongs, total.discards, prior.pong),
        rate(total.next_wins, total.next_discards, prior.next_win),
        rate(total.wins, total.discards, prior.win),
    )


class Expected(NamedTuple):
    """Counts that chance would give."""

    chows: float = 0.0
    pongs: float = 0.0
    wins: float = 0.0

    @property
    def takes(self) -> float:
        return self.chows + self.pongs

    def plus(self, other: Expected) -> Expected:
        return Expected(self.chows + other.chows, self.pongs + other.pongs, self.wins + other.wins)

    def minus(self, other: Expected) -> Expected:
        return Expected(*(max(0.0, one - less) for one, less in zip(self, other, strict=True)))

    def times(self, other: Expected) -> Expected:
        return Expected(self.chows * other.chows, self.pongs * other.pongs, self.wins * other.wins)


def site_expected(tallies: ByTable, rates: Mapping[str, Rates]) -> Expected:
    """What the site's average taker would have had of its average feeder with these discards."""
    chows = pongs = wins = 0.0
    for table, tally in tallies.items():
        rate = rates[table]
        chows += tally.next_discards * rate.chow
        pongs += tally.next_discards * rate.next_pong + tally.discards * rate.pong
        wins += tally.next_discards * rate.next_win + tally.discards * rate.win
    return Expected(chows, pongs, wins)


def found_in(tallies: ByTable) -> Expected:
    """What was really seen, in the same three kinds."""
    return Expected(
        sum(tally.chows for tally in tallies.values()),
        sum(tally.next_pongs + tally.pongs for tally in tallies.values()),
        sum(tally.all_wins for tally in tallies.values()),
    )


def habit(found: Expected, expected: Expected, prior: float, least: float = LEAST) -> Expected:
    """How many times as much as expected somebody takes (or gives)."""
    ratios = ((one + prior * WEIGHT) / (most + WEIGHT) for one, most in zip(found, expected, strict=True))
    return Expected(*(min(MOST, max(least, ratio)) for ratio in ratios))


class Field:
    """The dealings among players, and what each ordered pair of them would have by chance.

    `pairs`: (taker, feeder) -> tallies; all of a taker's and all of a feeder's that are asked about must be there. `takers`,
    `feeders`: all dealings of everybody who occurs, as taker and as feeder."""

    def __init__(
        self,
        pairs: Mapping[tuple[int, int], ByTable],
        takers: Mapping[int, ByTable],
        feeders: Mapping[int, ByTable],
        rates: Mapping[str, Rates],
    ) -> None:
        self._pairs, self._rates = pairs, rates
        self._takers = {one: self._rough(tallies) for one, tallies in takers.items()}
        self._feeders = {one: self._rough(tallies) for one, tallies in feeders.items()}
        self._as_taker: dict[int, list[Expected]] = defaultdict(lambda: [Expected(), Expected()])
        self._as_feeder: dict[int, list[Expected]] = defaultdict(lambda: [Expected(), Expected()])
        for (taker, feeder), tallies in pairs.items():
            found, expected = found_in(tallies), site_expected(tallies, rates)
            for sums, one, other in (
                (self._as_taker, taker, self._feeders[feeder]),
                (self._as_feeder, feeder, self._takers[taker]),
            ):
                sums[one][0] = sums[one][0].plus(found)
                sums[one][1] = sums[one][1].plus(expected.times(other))

    def _rough(self, tallies: ByTable) -> Expected:
        return habit(found_in(tallies), site_expected(tallies, self._rates), 1.0, LEAST_OTHER)

    def expected(self, taker: int, feeder: int, part: ByTable | None = None) -> Expected:
        """What the pair would have by chance, or would have had in a `part` of its dealings."""
        own = self._pairs[taker, feeder]
        base = site_expected(own, self._rates)
        takes = self._habit(self._as_taker[taker], own, base.times(self._feeders[feeder]), TAKER)
        gives = self._habit(self._as_feeder[feeder], own, base.times(self._takers[taker]), FEEDER)
        return (base if part is None else site_expected(part, self._rates)).times(takes).times(gives)

    def _habit(self, sums: list[Expected], own: ByTable, expected: Expected, prior: float) -> Expected:
        return habit(sums[0].minus(found_in(own)), sums[1].minus(expected), prior)
