"""The whole audit, in one snapshot: guards, chains, entries and seals, the rules view, and the other apps' checks."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ledger.audit.chains import check_chains
from ledger.audit.entries import check_entries
from ledger.audit.guards import check_guards
from ledger.audit.reading import rows, snapshot, stream
from ledger.audit.report import Difference, Report, Scope, registered_checks
from ledger.seals import seals

BUILT_IN = ["guards", "account", "sequence", "balance", "chain", "head", "entry", "sum", "seal", "rules"]
_COUNT = """SELECT (SELECT count(*) FROM ledger.line), (SELECT count(*) FROM ledger.entry)"""
_COUNT_SINCE = """SELECT coalesce(sum(size), 0)::bigint, count(*) FROM ledger.entry WHERE (epoch, xact) >= (%s, %s)"""
_SETTLEMENTS = """SELECT e.id, e.kind::text, e.hand, a.owner_ref, a.kind::text, a.currency::text, l.amount
    FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id JOIN ledger.account a ON a.id = l.account_id
    WHERE e.kind IN ('settlement', 'void') AND (e.epoch, e.xact) >= (%s, %s) ORDER BY e.id, l.n"""


class UnknownSeal(LookupError):
    """There is no seal of this number."""


class SettledLine(NamedTuple):
    """What a settlement gave to or took from one owner's account."""

    owner_ref: int
    account_kind: str
    currency: str
    amount: int


class Settled(NamedTuple):
    """A settlement or void of a hand, as the ledger has it."""

    entry: int
    kind: str
    hand: int
    lines: tuple[SettledLine, ...]


def run_audit(
    *,
    since: int = 0,
    known: dict[int, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Recompute everything, or what came after the seal `since`; progress(done, total) is called along the way.

    Raises UnknownSeal. The rules over all entries together (audit.violation) are looked at in a whole audit only."""
    with snapshot():
        scope = _scope(since)
        scope = replace(scope, step=_stepper(scope, progress))
        report = Report(checks=[*BUILT_IN, *registered_checks()])
        for difference in check_guards():
            report.add(difference)
        check_chains(scope, report)
        check_entries(scope, report, known or {})
        if scope.whole:
            for difference in _check_rules():
                report.add(difference)
        for name, check in registered_checks().items():
            for difference in check(scope):
                report.add(replace(difference, check=name))
        return report


def settlements(scope: Scope) -> Iterator[Settled]:
    """The scope's settlements and voids, for checks against the hands' replays."""
    found = stream("settlements", _SETTLEMENTS, [scope.epoch, scope.xact])
    for (entry, kind, hand), group in groupby(found, key=itemgetter(0, 1, 2)):
        yield Settled(entry, kind, hand, tuple(SettledLine(*row[3:]) for row in group))


def _scope(since: int) -> Scope:
    if since == 0:
        return Scope()
    last = next((one for one in seals(after=since - 1) if one.id == since), None)
    if last is None:
        raise UnknownSeal(since)
    return Scope(epoch=last.epoch, xact=last.to_xact, seal=last.id)


def _stepper(scope: Scope, progress: Callable[[int, int], None] | None) -> Callable[[int], None]:
    if progress is None:
        return lambda count: None
    parameters = [] if scope.whole else [scope.epoch, scope.xact]
    total = sum(rows(_COUNT if scope.whole else _COUNT_SINCE, parameters)[0])
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        progress(done, max(total, done))

    return step


def _check_rules() -> Iterator[Difference]:
    for rule, entry, account, what in rows("SELECT rule, entry_id, account_id, what FROM audit.violation"):
        yield Difference("rules", f"{rule}: {what}", entry=entry, account=account)
