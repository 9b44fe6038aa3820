"""Who gained how much of a currency since a moment: what leaderboards are made of."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, Sum

from ledger.models import Line


def gains(*, currency: str, kinds: Sequence[str], since: datetime | None = None) -> list[tuple[int, int]]:
    """(owner, sum) over the wallets of players, the largest first, of entries of these kinds and their reversals only.

    Every line since then is read: for a page, keep the answer for a while."""
    counted = Q(entry__kind__in=kinds) | Q(entry__kind="reversal", entry__reversed__kind__in=kinds)
    lines = Line.objects.filter(counted, account__kind="user", account__currency=currency)
    if since is not None:
        lines = lines.filter(entry__at__gte=since)
    rows = lines.order_by().values_list("account__owner_ref").annotate(total=Sum("amount"))
    return sorted(((owner, int(total)) for owner, total in rows), key=lambda row: (-row[1], row[0]))
