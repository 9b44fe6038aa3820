"""The site's figures: now, as a row a minute, and over time. Nothing here reads all of the ledger but `check_ledger`."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import OperationalError, connection
from django.utils import timezone

from ledger import figures
from ledger.terms import CARD, COIN
from liuzhou.operations import counting
from liuzhou.operations.models import LedgerCheck, Sample
from rooms import presence
from rooms.models import Hand, Room, Seat

KEPT = timedelta(days=40)
CHECK_SECONDS = 45
FIRST = 5


def tables() -> int:
    """Tables at which a hand is running."""
    return Hand.objects.filter(state=Hand.State.RUNNING).count()


def open_rooms() -> int:
    return Room.objects.filter(status__in=Room.OPEN).count()


def players() -> int:
    """Players who sit at an open room with a live socket."""
    seats = list(
        Seat.objects.filter(user__isnull=False, room__status__in=Room.OPEN).values_list("room_id", "index", "user_id")
    )
    there = presence.online_in(sorted({room for room, _, _ in seats}))
    return len({user for room, index, user in seats if index in there.get(room, ())})


def hands_between(start: datetime, end: datetime) -> int:
    return Hand.objects.filter(state=Hand.State.SETTLED, ended_at__gte=start, ended_at__lt=end).count()


def now() -> dict[str, Any]:
    """The figures of this moment; what is counted by the minute is of the last whole one."""
    minute = _minute(timezone.now())
    before = minute - timedelta(minutes=1)
    sold, circulating = figures.sales(_last_sales()), figures.circulation()
    counts = counting.counted(_number(before))
    return {
        "tables": tables(),
        "rooms": open_rooms(),
        "players": players(),
        "hands": hands_between(before, minute),
        "cards_sold": sold.sold,
        "cards_used": sold.used,
        "sales_seq": sold.seq,
        "coins": circulating[COIN],
        "cards": circulating[CARD],
        **(counts or dict.fromkeys(counting.KINDS, 0)),
    }


def sample(at: datetime | None = None) -> bool:
    """Keep this minute's figures; False if somebody did already. Old ones go."""
    minute = _minute(at or timezone.now())
    _kept, created = Sample.objects.get_or_create(at=minute, defaults=now())
    Sample.objects.filter(at__lt=minute - KEPT).delete()
    return created


def check_ledger() -> LedgerCheck:
    """Look for violations in all of the ledger, for as long as a task may take."""
    began = time.monotonic()
    try:
        count, first = figures.violations(seconds=CHECK_SECONDS, limit=FIRST)
    except OperationalError:
        count, first = None, []
    found = LedgerCheck.objects.create(
        seconds=round(time.monotonic() - began, 2), violations=count, first=[one._asdict() for one in first]
    )
    LedgerCheck.objects.filter(at__lt=_oldest()).delete()
    return found


def _oldest() -> datetime:
    return timezone.now() - KEPT


# Per bucket: gauges as their mean, totals as their last, what happened as its sum.
SERIES = """
SELECT date_bin(%(width)s * interval '1 s', at, timestamptz '2020-01-01 00:00+08') AS bucket,
       avg(tables)::float8 AS tables, avg(players)::float8 AS players, avg(hands)::float8 AS hands,
       max(cards_sold) AS cards_sold, (array_agg(coins ORDER BY at DESC))[1] AS coins,
       (array_agg(cards ORDER BY at DESC))[1] AS cards,
       coalesce(100.0 * sum(errors) / nullif(sum(requests), 0), 0)::float8 AS error_rate,
       sum(logged)::float8 AS logged
  FROM operations_sample WHERE at >= %(since)s GROUP BY 1 ORDER BY 1
"""


def series(*, since: datetime, width: timedelta) -> list[dict[str, Any]]:
    """The samples since then, in buckets of that width."""
    with connection.cursor() as cursor:
        cursor.execute(SERIES, {"since": since, "width": width.total_seconds()})
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def violations_since(since: datetime) -> list[tuple[datetime, int]]:
    rows = LedgerCheck.objects.filter(at__gte=since).order_by("at").values_list("at", "violations")
    return [(at, count) for at, count in rows if count is not None]


def _last_sales() -> figures.Sales:
    last = Sample.objects.order_by("-at").values_list("sales_seq", "cards_sold", "cards_used").first()
    return figures.Sales(*last) if last else figures.Sales(0, 0, 0)


def _minute(when: datetime) -> datetime:
    return when.replace(second=0, microsecond=0)


def _number(minute: datetime) -> int:
    """The minute as `counting` numbers it."""
    return int(minute.astimezone(UTC).timestamp()) // 60
