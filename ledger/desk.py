"""The admins' desk: issue, burn, sell to agents and reverse with a reason; large amounts wait for a second admin."""

from collections.abc import Callable
from typing import NamedTuple

from ledger import services
from ledger.calls import call, transact
from ledger.errors import AlreadyDecided, BadLines, NoReason, UnknownAccount, UnknownEntry, UnknownProposal
from ledger.models import Account, Line, Proposal
from ledger.services import Entry
from liuzhou.values import services as values
from liuzhou.values.schema import APPROVAL_ABOVE

__all__ = [
    "APPROVAL_ABOVE",
    "Decided",
    "Done",
    "approval_above",
    "burn",
    "decide",
    "issue",
    "on_decided",
    "purchase",
    "reverse",
]

_PROPOSE = "SELECT ledger.propose(%s,%s,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s)"
_DECIDE = "SELECT ledger.decide(%s::bigint,%s::boolean,%s::bigint,%s)"


class Done(NamedTuple):
    """What became of a request: the entry that was posted, or the proposal that waits."""

    entry: int | None = None
    proposal: int | None = None


class Decided(NamedTuple):
    """A decision that was just made; `entry` where it was carried out."""

    proposal: int
    kind: str
    entry: int | None
    decider: int
    reason: str


_told: list[Callable[[Decided], None]] = []


def on_decided(tell: Callable[[Decided], None]) -> None:
    """`tell` is called in the transaction of each decision: apps above keep what their proposals became."""
    if tell not in _told:
        _told.append(tell)


def approval_above(currency: str) -> int:
    """The largest amount of this currency that one admin may move alone."""
    return int(values.get(f"APPROVAL_{currency}"))


def issue(*, key: str, account: int, amount: int, actor: int, reason: str) -> Done:
    """Make new coins, cards or points on an account 发行; above the limit, propose it."""
    return _move("issue", key, account, amount, actor, reason)


def burn(*, key: str, account: int, amount: int, actor: int, reason: str) -> Done:
    """Take coins, cards or points out of the world 销毁; above the limit, propose it."""
    return _move("burn", key, account, amount, actor, reason)


def purchase(*, key: str, account: int, amount: int, actor: int, reason: str) -> Done:
    """Sell room cards to an agent 代理进货: from card_sales to the agent's stock; above the limit, propose it."""
    if not Account.objects.filter(pk=account, kind="agent").exists():
        raise UnknownAccount(account=account)
    return _move("purchase", key, account, amount, actor, reason)


def reverse(*, key: str, entry: int, actor: int, reason: str) -> Done:
    """Reverse an entry 冲正; when it moved more than the limit, propose it."""
    _require(reason)
    moved = list(Line.objects.filter(entry=entry, amount__gt=0).values_list("account__currency", "amount"))
    if not moved:
        raise UnknownEntry(entry=entry)
    if any(amount > approval_above(currency) for currency, amount in moved):
        return Done(proposal=_propose(key, "reversal", None, None, entry, actor, reason))
    return Done(entry=services.reverse(key=key, entry=entry, actor=actor, reason=reason).id)


def decide(*, proposal: int, approved: bool, actor: int, reason: str = "") -> Done:
    """Approve (and carry out) or reject a proposal, once. SecondAdmin when the proposer would approve it."""
    return transact(lambda: _decide(proposal, approved, actor, reason))


def _decide(proposal: int, approved: bool, actor: int, reason: str) -> Done:
    wanted = Proposal.objects.filter(pk=proposal).first()
    if wanted is None:
        raise UnknownProposal(proposal=proposal)
    (first,) = call(_DECIDE, [str(proposal), str(approved), str(actor), reason])
    if not first:
        raise AlreadyDecided(proposal=proposal)
    done = _carry_out(wanted) if approved else Done(proposal=proposal)
    for tell in _told:
        tell(Decided(proposal, wanted.kind, done.entry, actor, reason))
    return done


def _carry_out(wanted: Proposal) -> Done:
    key = f"proposal:{wanted.pk}"
    if wanted.kind == "reversal" and wanted.entry is not None:
        entry = services.reverse(key=key, entry=wanted.entry, actor=wanted.proposer, reason=wanted.reason)
    else:
        entry = _post(wanted.kind, key, wanted.account or 0, wanted.amount or 0, wanted.proposer, wanted.reason)
    return Done(entry=entry.id, proposal=wanted.pk)


def _move(kind: str, key: str, account: int, amount: int, actor: int, reason: str) -> Done:
    _require(reason)
    if amount <= 0 or amount > services.LARGEST:
        raise BadLines(why="amount")
    if amount > approval_above(_currency(account)):
        return Done(proposal=_propose(key, kind, account, amount, None, actor, reason))
    return Done(entry=_post(kind, key, account, amount, actor, reason).id)


def _post(kind: str, key: str, account: int, amount: int, actor: int, reason: str) -> Entry:
    source = services.system("card_sales" if kind == "purchase" else "mint", _currency(account))
    signed = -amount if kind == "burn" else amount
    lines = [services.Line(source, -signed), services.Line(account, signed)]
    return services.post(kind=kind, key=key, lines=lines, actor=actor, reason=reason)


def _propose(
    key: str, kind: str, account: int | None, amount: int | None, entry: int | None, actor: int, reason: str
) -> int:
    numbers = [None if number is None else str(number) for number in (account, amount, entry, actor)]
    return int(call(_PROPOSE, [key, kind, *numbers, reason])[0])


def _currency(account: int) -> str:
    currency = Account.objects.filter(pk=account).exclude(kind="system").values_list("currency", flat=True).first()
    if currency is None:
        raise UnknownAccount(account=account)
    return currency


def _require(reason: str) -> None:
    if not reason.strip():
        raise NoReason
