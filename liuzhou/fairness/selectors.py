"""Reads the sums: tallies of pairs and players over days, and what the expectations need of everybody else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max, Min, Q, QuerySet, Sum

from liuzhou.fairness.expectation import ByTable, Field, Rates, players_of, rates_of, table_class
from liuzhou.fairness.facts import OWN, TALLY, Own, Tally
from liuzhou.fairness.models import PairDay, PlayerDay, Progress
from liuzhou.rules.presets import PRESETS

PAIR_SUMS = {f"sum_{name}": Sum(name) for name in TALLY}
OWN_SUMS = {f"sum_{name}": Sum(name) for name in OWN}
Pairs = dict[tuple[int, int], ByTable]


def tally_of(row: Mapping[str, Any]) -> Tally:
    return Tally(**{name: row[f"sum_{name}"] for name in TALLY})


def own_of(row: Mapping[str, Any]) -> Own:
    return Own(**{name: row[f"sum_{name}"] for name in OWN})


def total(tallies: ByTable) -> Tally:
    """All tables together."""
    found = Tally()
    for tally in tallies.values():
        found.add(tally)
    return found


def comparable(tallies: ByTable) -> dict[str, Tally]:
    """The tables with a third player: between two, everything comes from the other."""
    return {table: tally for table, tally in tallies.items() if players_of(table) > 2}


def pair_days(since: date) -> QuerySet[PairDay]:
    return PairDay.objects.filter(day__gte=since)


def pairs(rows: QuerySet[PairDay]) -> Pairs:
    """Sums per (taker, feeder) and class of tables."""
    found: dict[tuple[int, int], dict[str, Tally]] = {}
    for row in rows.order_by().values("taker_id", "feeder_id", "table").annotate(**PAIR_SUMS):
        found.setdefault((row["taker_id"], row["feeder_id"]), {})[row["table"]] = tally_of(row)
    return dict(found)


def per_player(rows: QuerySet[PairDay], side: str) -> dict[int, ByTable]:
    """Sums per taker or per feeder."""
    found: dict[int, dict[str, Tally]] = {}
    for row in rows.order_by().values(f"{side}_id", "table").annotate(**PAIR_SUMS):
        found.setdefault(row[f"{side}_id"], {})[row["table"]] = tally_of(row)
    return dict(found)


def site_totals(since: date) -> dict[str, Tally]:
    return {row["table"]: tally_of(row) for row in pair_days(since).order_by().values("table").annotate(**PAIR_SUMS)}


def site_rates() -> dict[str, Rates]:
    """What the site's players take of a discard, as of the last weighing (Progress.site)."""
    progress = Progress.objects.filter(pk=1).first()
    stored: dict[str, dict[str, float]] = progress.site if progress else {}
    tables = [table_class(one.name, players) for one in PRESETS.values() for players in one.choices["players"].values]  # type: ignore[arg-type]
    return {table: rates_of(table, Tally(**stored.get(table, {}))) for table in tables}  # type: ignore[arg-type]


def field(
    takers: Iterable[int], feeders: Iterable[int], since: date, rates: Mapping[str, Rates]
) -> tuple[Field, Pairs]:
    """The field in which any of these takers can be held against any of these feeders, and its pairs."""
    days = pair_days(since)
    found = pairs(days.filter(Q(taker__in=set(takers)) | Q(feeder__in=set(feeders))))
    found = {key: tallies for key, all_ in found.items() if (tallies := comparable(all_))}
    as_taker = per_player(days.filter(taker__in={taker for taker, _ in found}), "taker")
    as_feeder = per_player(days.filter(feeder__in={feeder for _, feeder in found}), "feeder")
    return Field(found, _compared(as_taker), _compared(as_feeder), rates), found


def _compared(players: Mapping[int, ByTable]) -> dict[int, ByTable]:
    return {player: comparable(tallies) for player, tallies in players.items()}


def owns(players: Iterable[int], since: date) -> dict[int, dict[str, Own]]:
    """Sums per player and class of tables."""
    rows = PlayerDay.objects.filter(player__in=set(players), day__gte=since)
    found: dict[int, dict[str, Own]] = {}
    for row in rows.order_by().values("player_id", "table").annotate(**OWN_SUMS):
        found.setdefault(row["player_id"], {})[row["table"]] = own_of(row)
    return found


def whole(owns_: Mapping[str, Own]) -> Own:
    found = Own()
    for own in owns_.values():
        found.add(own)
    return found


def span(rows: QuerySet[Any]) -> tuple[date, date] | None:
    """The first and the last day."""
    found = rows.aggregate(first=Min("day"), last=Max("day"))
    return (found["first"], found["last"]) if found["first"] else None


# Rooms in which two players met at coin tables, and how many it would be if the tables had been filled by lot from those
# who came to the same bracket within the same hours. A table at which they sit on counts again in the expectation, once
# in what was found.
MET = """
WITH mine AS (
  SELECT a.slot, a.preset, a.stake, count(*) AS rooms,
         sum((SELECT count(*) FROM fairness_sitting o WHERE o.room_id = a.room_id AND o.slot = a.slot) - 1) AS others
  FROM fairness_sitting a WHERE a.player_id = %(one)s AND a.slot >= %(since)s GROUP BY 1, 2, 3
), theirs AS (
  SELECT slot, preset, stake, count(*) AS rooms
  FROM fairness_sitting WHERE player_id = %(other)s AND slot >= %(since)s GROUP BY 1, 2, 3
)
SELECT
  (SELECT count(DISTINCT a.room_id) FROM fairness_sitting a
   JOIN fairness_sitting b ON b.room_id = a.room_id AND b.slot = a.slot AND b.player_id = %(other)s
   WHERE a.player_id = %(one)s AND a.slot >= %(since)s),
  coalesce(sum(least(1.0 * mine.rooms, mine.others * theirs.rooms::float8 / nullif(
    (SELECT count(*) FROM fairness_sitting t WHERE t.slot = mine.slot AND t.preset = mine.preset AND t.stake = mine.stake)
    - mine.rooms, 0))), 0)
FROM mine JOIN theirs USING (slot, preset, stake)
"""


OFTEN = """
SELECT a.player_id, b.player_id FROM fairness_sitting a
JOIN fairness_sitting b ON b.room_id = a.room_id AND b.slot = a.slot AND b.player_id > a.player_id
WHERE a.player_id = ANY(%s) AND b.player_id = ANY(%s) AND a.slot >= %s
GROUP BY 1, 2 HAVING count(DISTINCT a.room_id) >= %s
"""


def met_often(players: Iterable[int], since: date, rooms: int) -> set[tuple[int, int]]:
    """The pairs among the players that met at so many coin tables, the lower id first."""
    ids = list(players)
    with connection.cursor() as cursor:
        cursor.execute(OFTEN, [ids, ids, since, rooms])
        return set(cursor.fetchall())


class Met(NamedTuple):
    """Coin tables shared, and how many chance would have given."""

    rooms: int
    expected: float


def met(one: int, other: int, since: date) -> Met:
    with connection.cursor() as cursor:
        cursor.execute(MET, {"one": one, "other": other, "since": since})
        rooms, expected = cursor.fetchone()
    return Met(rooms or 0, float(expected))
