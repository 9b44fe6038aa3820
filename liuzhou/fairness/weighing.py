"""Looks at the pairs and players of the hands counted last, and raises or refreshes their flags."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import combinations
from typing import Final

from django.db import transaction
from django.db.models import Max, Q, Sum

from liuzhou.accounts.days import database_now, day_of
from liuzhou.fairness import judging, selectors
from liuzhou.fairness.expectation import ByTable, Expected, Field, Rates
from liuzhou.fairness.facts import TALLY, Own, Tally
from liuzhou.fairness.judging import Finding
from liuzhou.fairness.models import Decision, Flag, PairDay, PlayerDay, Progress, Taken
from rooms.models import Played

BATCH: Final = 300
Key = tuple[str, int, int | None]


def period_start(today: date) -> date:
    """Evidence goes back to the first day of the last quarter: old honest play does not hide what is new."""
    quarter = (today.month - 1) // 3
    return date(today.year, 3 * quarter - 2, 1) if quarter else date(today.year - 1, 10, 1)


def weigh(*, most: int = BATCH) -> tuple[int, int]:
    """Weigh who played in the hands not looked at yet: (hands, flags raised). Hands that a worker holds are left to it."""
    with transaction.atomic():
        taken = Taken.objects.select_for_update(skip_locked=True).filter(weighed=False)
        hands = list(taken.order_by("hand_id").values_list("hand_id", flat=True)[:most])
        if not hands:
            return 0, 0
        raised = _weigh(_groups(hands), day_of(database_now()))
        Taken.objects.filter(hand__in=hands).update(weighed=True)
    return len(hands), raised


def weigh_all(*, seconds: float = math.inf) -> int:
    """Until nothing is left or the time is over; flags raised."""
    until, raised = time.monotonic() + seconds, 0
    while True:
        hands, new = weigh()
        raised += new
        if not hands or time.monotonic() > until:
            return raised


def _groups(hands: Iterable[int]) -> set[tuple[int, int]]:
    """The pairs that met in these hands, the lower id first."""
    seats: dict[int, list[int]] = {}
    for hand, user in Played.objects.filter(hand__in=hands, user__isnull=False).values_list("hand_id", "user_id"):
        seats.setdefault(hand, []).append(user)
    return {pair for users in seats.values() for pair in combinations(sorted(users), 2)}


def measure_site(since: date) -> tuple[dict[str, Rates], int]:
    """The site's rates and the number of comparisons, kept in Progress for the pages."""
    sums = selectors.site_totals(since)
    pairs = selectors.pair_days(since).order_by().values("taker", "feeder").annotate(played=Sum("hands"))
    comparisons = pairs.filter(played__gte=judging.PAIR_HANDS).count()
    site = {table: {name: getattr(tally, name) for name in TALLY} for table, tally in sums.items()}
    Progress.objects.update_or_create(
        pk=1, defaults={"site": site, "comparisons": comparisons, "weighed_at": database_now()}
    )
    return selectors.site_rates(), comparisons


@dataclass
class Bench:
    """What the findings of one weighing are made from."""

    since: date
    chances: Field
    pairs: selectors.Pairs
    all_pairs: selectors.Pairs
    baselines: Mapping[Key, date]
    owns: Mapping[int, dict[str, Own]]
    often: set[tuple[int, int]] | None = None  # pairs that met at coin tables often enough; None: not looked up
    opponents: dict[int, dict[int, int]] = field(init=False)  # player -> opponent -> hands together
    strengths: dict[int, float] = field(init=False)

    def __post_init__(self) -> None:
        self.opponents = {}
        for (taker, feeder), tallies in self.pairs.items():
            self.opponents.setdefault(taker, {})[feeder] = sum(tally.hands for tally in tallies.values())
        self.strengths = {player: judging.strength(selectors.whole(tables)) for player, tables in self.owns.items()}

    def baseline(self, key: Key) -> date | None:
        """The first day that counts for this flag, where it was decided before: nothing is held against anybody twice."""
        day = self.baselines.get(key)
        return day if day is not None and day > self.since else None

    def dealings(self, key: Key) -> tuple[Tally, Expected] | None:
        """A directed pair's figures and what chance gives, since the flag was decided last."""
        _, taker, feeder = key
        assert feeder is not None
        if (taker, feeder) not in self.pairs:
            return None
        part: ByTable = self.pairs[taker, feeder]
        if (day := self.baseline(key)) is not None:
            part = selectors.comparable(_recent(taker, feeder, day))
        return selectors.total(part), self.chances.expected(taker, feeder, part)

    def sums(self, key: Key) -> Tally:
        """All tables, since the flag was decided last."""
        _, one, other = key
        assert other is not None
        if (day := self.baseline(key)) is not None:
            return selectors.total(_recent(one, other, day))
        return selectors.total(self.all_pairs.get((one, other), {}))


def _recent(taker: int, feeder: int, since: date) -> ByTable:
    rows = selectors.pair_days(since).filter(taker=taker, feeder=feeder)
    return selectors.pairs(rows).get((taker, feeder), {})


def bench_of(groups: set[tuple[int, int]], since: date, rates: Mapping[str, Rates], *, whole: bool = False) -> Bench:
    """`whole`: all of the period, decided or not, as the pages show it."""
    users = {user for pair in groups for user in pair}
    chances, pairs = selectors.field(users, users, since, rates)
    all_pairs = selectors.pairs(selectors.pair_days(since).filter(taker__in=users, feeder__in=users))
    opponents = {feeder for taker, feeder in pairs if taker in users}
    owns = selectors.owns(users | opponents, since)
    if whole:
        return Bench(since, chances, pairs, all_pairs, {}, owns)
    often = selectors.met_often(users, since, judging.MEET_ROOMS)
    return Bench(since, chances, pairs, all_pairs, _baselines(users), owns, often)


def _baselines(users: Iterable[int]) -> dict[Key, date]:
    """For each flag that was decided before: the day after."""
    found = Decision.objects.filter(flag__one__in=users).values("flag__kind", "flag__one", "flag__other")
    return {
        (row["flag__kind"], row["flag__one"], row["flag__other"]): row["last"] + timedelta(days=1)
        for row in found.order_by().annotate(last=Max("through"))
    }


def _weigh(groups: set[tuple[int, int]], today: date) -> int:
    since = period_start(today)
    rates, comparisons = measure_site(since)
    bench = bench_of(groups, since, rates)
    limit = judging.threshold(comparisons)
    users = sorted({user for pair in groups for user in pair})
    findings = [finding for pair in sorted(groups) for finding in of_pair(bench, *pair)]
    findings += [of_player(bench, user) for user in users]
    raised = set(Flag.objects.filter(one__in=users).values_list("kind", "one", "other"))
    return sum(
        _file(finding, limit, bench)
        for finding in findings
        if finding.enough and (finding.score >= limit or (finding.kind, finding.one, finding.other) in raised)
    )


def of_pair(bench: Bench, one: int, other: int) -> list[Finding]:
    """Everything there is to compare of two players."""
    found: list[Finding] = []
    for taker, feeder in ((one, other), (other, one)):
        for kind, judge in ((Flag.Kind.FEEDING, judging.feeding), (Flag.Kind.DEALING, judging.dealing)):
            if (dealings := bench.dealings((kind, taker, feeder))) is not None:
                found.append(judge(taker, feeder, *dealings))
        won = selectors.whole(bench.owns.get(taker, {})).coins_won
        found.append(judging.coins(taker, feeder, bench.sums((Flag.Kind.COINS, taker, feeder)), won))
    found.append(judging.place(one, other, bench.sums((Flag.Kind.PLACE, one, other))))
    together = bench.sums((Flag.Kind.MEETING, one, other))
    if together.coin_hands and (bench.often is None or (one, other) in bench.often):
        met = selectors.met(one, other, bench.baseline((Flag.Kind.MEETING, one, other)) or bench.since)
        found.append(judging.meeting(one, other, met.rooms, met.expected, together.coin_hands))
    return found


def of_player(bench: Bench, player: int) -> Finding:
    """A player's wins against what is to be expected of those they played with."""
    tables = bench.owns.get(player, {})
    if (day := bench.baseline((Flag.Kind.WINNING, player, None))) is not None:
        tables = selectors.owns([player], day).get(player, {})
    return judging.winning(player, selectors.whole(tables), judging.expected_wins(tables, opponents(bench, player)))


def opponents(bench: Bench, player: int) -> float:
    """The mean strength of a player's opponents, by hands together."""
    weights = bench.opponents.get(player, {})
    hands = sum(weights.values())
    if not hands:
        return 1.0
    return sum(count * bench.strengths.get(one, 1.0) for one, count in weights.items()) / hands


def _file(finding: Finding, limit: float, bench: Bench) -> bool:
    """Raise a flag, refresh an open one, or raise a decided one again: then the evidence since is enough by itself."""
    key = (finding.kind, finding.one, finding.other)
    flag = Flag.objects.select_for_update().filter(kind=key[0], one=key[1], other=key[2]).first()
    strong = finding.score >= limit
    if not strong and (flag is None or flag.state != Flag.State.OPEN):
        return False
    if flag is not None and _decided_since(flag, bench.baselines.get(key)):
        return False
    now = database_now()
    span = _span(finding, bench.baseline(key) or bench.since)
    if span is None:
        return False
    values = {
        "score": round(finding.score, 2),
        "hands": finding.hands,
        "evidence": {**finding.evidence, "threshold": round(limit, 2), "below": not strong},
        "first_day": span[0],
        "last_day": span[1],
        "updated_at": now,
    }
    if flag is None:
        flag, made = Flag.objects.get_or_create(kind=key[0], one_id=key[1], other_id=key[2], defaults=values)
        return made
    again = flag.state != Flag.State.OPEN
    if again:
        values |= {"state": Flag.State.OPEN, "raised_at": now, "times": flag.times + 1}
    Flag.objects.filter(pk=flag.pk).update(**values)
    return again


def _decided_since(flag: Flag, baseline: date | None) -> bool:
    """Whether an admin decided the flag while this was being weighed: then it is weighed on what was decided already."""
    last: date | None = flag.decisions.aggregate(last=Max("through"))["last"]
    return last is not None and (baseline is None or baseline <= last)


def _span(finding: Finding, since: date) -> tuple[date, date] | None:
    if finding.other is None:
        return selectors.span(PlayerDay.objects.filter(player=finding.one, day__gte=since))
    pair = Q(taker=finding.one, feeder=finding.other)
    return selectors.span(PairDay.objects.filter(pair, day__gte=since))
