"""Accounts and their chains of lines: identity, sequence, balance, hash, and that the head is the last line."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ledger import hashing
from ledger.audit.reading import rows, stream
from ledger.audit.report import Difference, Report, Scope, differ

_ACCOUNTS = """SELECT id, kind::text, name, owner_ref, currency::text, overdraft, genesis, seq, balance, head
    FROM ledger.account ORDER BY id"""
_LINES = """SELECT l.account_id, l.seq, l.entry_id, l.n, l.amount, l.balance, l.prev, l.hash, e.hash
    FROM ledger.line l LEFT JOIN ledger.entry e ON e.id = l.entry_id ORDER BY l.account_id, l.seq"""
_LINES_SINCE = """SELECT l.account_id, l.seq, l.entry_id, l.n, l.amount, l.balance, l.prev, l.hash, e.hash
    FROM ledger.line l JOIN ledger.entry e ON e.id = l.entry_id
    WHERE (e.epoch, e.xact) >= (%s, %s) ORDER BY l.account_id, l.seq"""


class _Account(NamedTuple):
    id: int
    kind: str
    name: str
    owner_ref: int
    currency: str
    overdraft: bool
    genesis: bytes
    seq: int
    balance: int
    head: bytes


class _Head(NamedTuple):
    """Where a chain stands."""

    seq: int
    balance: int
    hash: bytes


def check_chains(scope: Scope, report: Report) -> None:
    """Walk every account's lines from its genesis (or from the line before the scope) to its head."""
    accounts = {row[0]: _Account(*row) for row in stream("accounts", _ACCOUNTS)}
    report.counts["accounts"] = len(accounts)
    for account in accounts.values():
        for difference in _check_identity(account):
            report.add(difference)
    lines = stream("lines", _LINES) if scope.whole else stream("lines", _LINES_SINCE, [scope.epoch, scope.xact])
    unmoved = set(accounts)
    for number, group in groupby(lines, key=itemgetter(0)):
        unmoved.discard(number)
        for difference in _check_account(accounts.get(number), number, group, scope, report):
            report.add(difference)
    if scope.whole:
        for number in sorted(unmoved):
            start = _Head(0, 0, accounts[number].genesis)
            for difference in _check_head(accounts[number], start):
                report.add(difference)


def _check_identity(account: _Account) -> Iterator[Difference]:
    genesis = hashing.account_genesis(
        id=account.id, kind=account.kind, name=account.name, owner_ref=account.owner_ref, currency=account.currency
    )
    if genesis != account.genesis:
        yield differ("account", "is not the account that was opened", genesis, account.genesis, account=account.id)
    if account.overdraft != (account.kind == "system" or (account.kind == "user" and account.currency == "POINT")):
        yield Difference("account", "may go below zero and should not, or the reverse", account=account.id)
    if account.balance < 0 and not account.overdraft:
        yield Difference("balance", "is below zero", account=account.id, found=str(account.balance))


def _check_account(
    account: _Account | None, number: int, lines: Iterator[tuple[Any, ...]], scope: Scope, report: Report
) -> Iterator[Difference]:
    first = next(lines)
    head = _start(account, first, scope)
    count = 0
    for row in _chain(first, lines):
        head, found = _check_line(head, row)
        yield from found
        if account and head.balance < 0 and not account.overdraft:
            yield Difference("balance", "below zero", account=number, seq=head.seq, found=str(head.balance))
        count += 1
        if count % 1000 == 0:
            scope.step(1000)
    scope.step(count % 1000)
    report.counts["lines"] += count
    if account is None:
        yield Difference("chain", "lines of an account that does not exist", account=number, entry=first[2])
    else:
        yield from _check_head(account, head)


def _chain(first: tuple[Any, ...], rest: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    yield first
    yield from rest


def _start(account: _Account | None, first: tuple[Any, ...], scope: Scope) -> _Head:
    """The state before the first line that is looked at."""
    if not scope.whole and first[1] > 1:
        query = "SELECT seq, balance, hash FROM ledger.line WHERE account_id = %s AND seq = %s"
        before = rows(query, [first[0], first[1] - 1])
        if before:
            return _Head(before[0][0], before[0][1], bytes(before[0][2]))
    return _Head(0, 0, account.genesis if account else hashing.ZERO)


def _check_line(head: _Head, row: tuple[Any, ...]) -> tuple[_Head, list[Difference]]:
    """One line against the one before it; what follows is compared with what is stored, so that one fault is told once."""
    account, seq, entry, n, amount, balance, prev, stored, entry_hash = row
    found: list[Difference] = []

    def compare(check: str, what: str, expected: object, there: object) -> None:
        if expected != there:
            found.append(differ(check, what, expected, there, account=account, seq=seq, entry=entry))

    compare("sequence", "a line is missing or out of order", head.seq + 1, seq)
    compare("balance", "balance after the line", head.balance + amount, balance)
    compare("chain", "does not follow the line before", head.hash, prev)
    if entry_hash is None:
        found.append(Difference("chain", "its entry does not exist", account=account, seq=seq, entry=entry))
    else:
        recomputed = hashing.line(prev, account, seq, entry, n, amount, balance, entry_hash)
        compare("chain", "the line's hash", recomputed, stored)
    return _Head(seq, balance, stored), found


def _check_head(account: _Account, last: _Head) -> Iterator[Difference]:
    if account.seq != last.seq:
        yield differ("head", "number of lines", last.seq, account.seq, account=account.id)
    if account.balance != last.balance:
        yield differ("head", "balance", last.balance, account.balance, account=account.id)
    if account.head != last.hash:
        yield differ("head", "hash", last.hash, account.head, account=account.id)
