"""Reading the ledger: balances and a player's movements."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Sum

from ledger.models import Account, Line
from ledger.terms import CURRENCIES, kind_name


class Movement(NamedTuple):
    """One line of a statement, newest first."""

    account: int
    account_kind: str
    seq: int
    currency: str
    entry: int
    kind: str
    amount: int
    balance: int
    hand: int | None
    room: int | None
    reason: str
    at: datetime

    @property
    def title(self) -> str:
        """What happened, in plain words."""
        return kind_name(self.kind)


_COLUMNS = (
    "account_id",
    "account__kind",
    "seq",
    "account__currency",
    "entry_id",
    "entry__kind",
    "amount",
    "balance",
    "entry__hand",
    "entry__room",
    "entry__reason",
    "entry__at",
)


def balance(account: int) -> int:
    """What the account holds; 0 for an account that does not exist."""
    return Account.objects.filter(pk=account).values_list("balance", flat=True).first() or 0


def wallet_balances(*, owner_ref: int) -> dict[str, int]:
    """The player's wallets by currency, 0 where none was opened."""
    return wallet_balances_of([owner_ref])[owner_ref]


def wallet_balances_of(owner_refs: Sequence[int]) -> dict[int, dict[str, int]]:
    """The wallets of several players, in one query."""
    found = {owner: dict.fromkeys(CURRENCIES, 0) for owner in owner_refs}
    rows = Account.objects.filter(kind="user", owner_ref__in=owner_refs)
    for owner, currency, amount in rows.values_list("owner_ref", "currency", "balance"):
        found[owner][currency] = amount
    return found


def statement(*, account: int, before: int | None = None, limit: int = 50) -> list[Movement]:
    """One account's movements, newest first; `before` is the sequence number the page before ended with."""
    lines = Line.objects.filter(account=account)
    if before is not None:
        lines = lines.filter(seq__lt=before)
    return [Movement(*row) for row in lines.order_by("-seq").values_list(*_COLUMNS)[:limit]]


def movements(*, owner_ref: int, currency: str, before: int | None = None, limit: int = 50) -> list[Movement]:
    """All that moved for an owner in a currency, newest first: wallet, stock of an agent, seats at coin tables.

    Sitting down and standing up are told once, by the wallet. `before` is the entry number the page before ended with."""
    lines = Line.objects.filter(account__owner_ref=owner_ref, account__currency=currency)
    lines = lines.exclude(account__kind="hold").exclude(account__kind="seat", entry__kind__in=("sit", "stand"))
    if before is not None:
        lines = lines.filter(entry__lt=before)
    return [Movement(*row) for row in lines.order_by("-entry_id", "-n").values_list(*_COLUMNS)[:limit]]


def holdings(*, owner_ref: int, currency: str) -> dict[str, int]:
    """Where an owner's currency is, by kind of account: user, agent, seat, hold."""
    rows = Account.objects.filter(owner_ref=owner_ref, currency=currency).values("kind").annotate(total=Sum("balance"))
    return {row["kind"]: int(row["total"]) for row in rows}
