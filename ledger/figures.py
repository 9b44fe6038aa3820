"""The ledger in a few numbers, for the operators' dashboard. Only `violations` reads all of it."""

import time
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from ledger.models import Account, Line
from ledger.terms import CARD, CURRENCIES


class Sales(NamedTuple):
    """Room cards sold to agents and used up by rooms; `seq` is how far the sales account was read."""

    seq: int
    sold: int
    used: int


NONE = Sales(0, 0, 0)


class Violation(NamedTuple):
    """One rule that does not hold."""

    rule: str
    entry: int | None
    account: int | None
    what: str


def circulation() -> dict[str, int]:
    """What is outside the system's accounts, by currency: each currency sums to zero over all accounts."""
    rows = Account.objects.filter(kind="system").values_list("currency").annotate(total=Sum("balance"))
    return {**dict.fromkeys(CURRENCIES, 0), **{currency: -int(total) for currency, total in rows}}


def sales(since: Sales = NONE) -> Sales:
    """The totals, going on from where they were counted before: an account's lines are numbered in the order of commits."""
    lines = Line.objects.filter(account__kind="system", account__name="card_sales", account__currency=CARD)
    purchase = Q(entry__kind="purchase") | Q(entry__kind="reversal", entry__reversed__kind="purchase")
    seq = lines.order_by("-seq").values_list("seq", flat=True).first() or 0
    news = lines.filter(seq__gt=since.seq, seq__lte=seq)
    found = news.aggregate(all=Sum("amount"), bought=Sum("amount", filter=purchase))
    bought = int(found["bought"] or 0)
    return Sales(seq, since.sold - bought, since.used + int(found["all"] or 0) - bought)


KEPT_LOOK = "ledger-violations"
KEPT_ROWS = 200


def last_look() -> dict[str, Any] | None:
    """What the last look for violations found, whoever looked: {at, seconds, count, rows}; None if there was none."""
    found: dict[str, Any] | None = cache.get(KEPT_LOOK)
    return found


def violations(*, seconds: int, limit: int) -> tuple[int, list[Violation]]:
    """How many violations the whole ledger has (counted up to a thousand), and the first of them.

    OperationalError when the database does not get through it in so many seconds."""
    began = time.monotonic()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(seconds * 1000)])
        cursor.execute("SELECT rule, entry_id, account_id, what FROM audit.violation LIMIT 1000")
        rows = [Violation(*row) for row in cursor.fetchall()]
    look = {"at": timezone.now(), "seconds": round(time.monotonic() - began, 2), "count": len(rows)}
    cache.set(KEPT_LOOK, {**look, "rows": [row._asdict() for row in rows[:KEPT_ROWS]]}, timeout=None)
    return len(rows), rows[:limit]
