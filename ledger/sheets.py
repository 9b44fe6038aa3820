"""One account over a span of time: what it began and ended with, what moved by kind, by day and by the other side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import NamedTuple

from django.db.models import OuterRef, Subquery

from ledger.models import Account, Line

BATCH = 500


class Row(NamedTuple):
    """One line of the account; `other` is the owner of the entry's other account (0: a system account)."""

    seq: int
    entry: int
    kind: str
    amount: int
    balance: int
    reason: str
    at: datetime
    other: int


@dataclass
class Sheet:
    """Opening plus all that moved is closing. `kinds`, `days` and `others` hold sums of signed amounts."""

    opening: int = 0
    closing: int = 0
    count: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    days: dict[tuple[date, str], int] = field(default_factory=dict)
    others: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)  # how much, how often


def balance_at(account: int, moment: datetime) -> int:
    """What the account held just before the moment: an account's lines are in the order of their times."""
    last = Line.objects.filter(account=account, entry__at__lt=moment).order_by("-seq").values_list("balance", flat=True)
    return last.first() or 0


def count(account: int, since: datetime, until: datetime) -> int:
    return Line.objects.filter(account=account, entry__at__gte=since, entry__at__lt=until).count()


def rows(account: int, since: datetime, until: datetime) -> Iterator[Row]:
    """The account's lines of the span, oldest first, read in batches."""
    other = Line.objects.filter(entry=OuterRef("entry")).exclude(account=account).order_by("n")
    lines = Line.objects.filter(account=account, entry__at__gte=since, entry__at__lt=until).order_by("seq")
    columns = ("seq", "entry_id", "entry__kind", "amount", "balance", "entry__reason", "entry__at", "owner")
    found = lines.annotate(owner=Subquery(other.values("account__owner_ref")[:1])).values_list(*columns)
    for row in found.iterator(chunk_size=BATCH):
        yield Row._make((*row[:-1], row[-1] or 0))


def sheet(account: int, since: datetime, until: datetime, zone: tzinfo) -> Sheet:
    """The span summed up; days are those of the zone."""
    made = Sheet(opening=balance_at(account, since))
    made.closing = made.opening
    for row in rows(account, since, until):
        made.count += 1
        made.closing = row.balance
        made.kinds[row.kind] = made.kinds.get(row.kind, 0) + row.amount
        day = (row.at.astimezone(zone).date(), row.kind)
        made.days[day] = made.days.get(day, 0) + row.amount
        if row.other:
            amount, times = made.others.get((row.other, row.kind), (0, 0))
            made.others[row.other, row.kind] = (amount + row.amount, times + 1)
    return made


def agent_stocks(owner_refs: Sequence[int]) -> dict[int, int]:
    """The stocks of several agents, in one query."""
    stocks = Account.objects.filter(kind="agent", owner_ref__in=owner_refs)
    return dict(stocks.values_list("owner_ref", "balance"))
