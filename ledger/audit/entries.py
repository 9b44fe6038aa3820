"""Entries with their lines: complete, in balance, and still what their request and hash say; and the seals over them."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from ledger import hashing
from ledger.audit.reading import stream
from ledger.audit.report import Difference, Report, Scope, differ
from ledger.seals import Seal, seals, signatures, verify_signature

_ENTRIES = """SELECT id, kind::text, key::text, size, hand, room, hold, reversed, actor, reason::text,
    (extract(epoch FROM at) * 1000000)::bigint, epoch, xact, request, hash
    FROM ledger.entry WHERE (epoch, xact) >= (%s, %s) ORDER BY id"""
_LINES = """SELECT l.entry_id, l.n, l.account_id, l.amount, l.hash, a.currency::text
    FROM ledger.line l LEFT JOIN ledger.account a ON a.id = l.account_id ORDER BY l.entry_id, l.n"""
_LINES_SINCE = """SELECT l.entry_id, l.n, l.account_id, l.amount, l.hash, a.currency::text
    FROM ledger.entry e JOIN ledger.line l ON l.entry_id = e.id LEFT JOIN ledger.account a ON a.id = l.account_id
    WHERE (e.epoch, e.xact) >= (%s, %s) ORDER BY l.entry_id, l.n"""


class _Entry(NamedTuple):
    id: int
    kind: str
    key: str
    size: int
    hand: int | None
    room: int | None
    hold: int | None
    reversed: int | None
    actor: int | None
    reason: str
    at: int
    epoch: int
    xact: int
    request: bytes
    hash: bytes


class _Line(NamedTuple):
    entry: int
    n: int
    account: int
    amount: int
    hash: bytes
    currency: str | None


class _Leaves:
    """The entries' leaves, put to the seal that covers them by epoch and transaction number."""

    def __init__(self, covering: list[Seal]) -> None:
        self._starts = [(one.epoch, one.from_xact) for one in covering]
        self._seals = covering
        self.by_seal: dict[int, list[bytes]] = {one.id: [] for one in covering}
        self.unsealed = 0

    def add(self, entry: _Entry, leaf: bytes) -> None:
        place = bisect_right(self._starts, (entry.epoch, entry.xact)) - 1
        if place >= 0:
            covering = self._seals[place]
            if covering.epoch == entry.epoch and entry.xact < covering.to_xact:
                self.by_seal[covering.id].append(leaf)
                return
        self.unsealed += 1


def check_entries(scope: Scope, report: Report, known: dict[int, str]) -> None:
    """Recompute every entry, then every seal over them; `known` are hashes of seals that were kept elsewhere."""
    covering = list(seals(after=scope.seal))
    leaves = _Leaves(sorted(covering, key=lambda one: (one.epoch, one.from_xact)))
    since = [scope.epoch, scope.xact]
    lines = stream("entry_lines", _LINES) if scope.whole else stream("entry_lines", _LINES_SINCE, since)
    pending = next(lines, None)
    for number, row in enumerate(stream("entries", _ENTRIES, since), start=1):
        entry = _Entry(*row)
        own, pending = _lines_of(entry.id, pending, lines, report)
        leaves.add(entry, hashing.leaf(entry.hash, [line.hash for line in own]))
        for difference in _check_entry(entry, own):
            report.add(difference)
        if number % 500 == 0:
            scope.step(500)
        report.counts["entries"] = number
    scope.step(report.counts["entries"] % 500)
    _lines_of(None, pending, lines, report)
    report.counts["unsealed"] = leaves.unsealed
    report.counts["seals"] = len(covering)
    for difference in _check_seals(scope, covering, leaves, known):
        report.add(difference)


def _lines_of(
    entry: int | None, pending: tuple[Any, ...] | None, lines: Iterator[tuple[Any, ...]], report: Report
) -> tuple[list[_Line], tuple[Any, ...] | None]:
    """The entry's lines from the stream, and the first line after them. None as the entry: what is left has none."""
    own: list[_Line] = []
    while pending is not None and (entry is None or pending[0] <= entry):
        if pending[0] == entry:
            own.append(_Line(*pending))
        else:
            report.add(Difference("entry", "a line without its entry", entry=pending[0], account=pending[2]))
        pending = next(lines, None)
    return own, pending


def _check_entry(entry: _Entry, lines: list[_Line]) -> Iterator[Difference]:
    numbers = [line.n for line in lines]
    if numbers != list(range(1, entry.size + 1)):
        yield differ("entry", "its lines", f"1..{entry.size}", numbers, entry=entry.id)
    sums: Counter[str | None] = Counter()
    for line in lines:
        sums[line.currency] += line.amount
    for currency, rest in sums.items():
        if rest:
            yield Difference("sum", f"does not sum to zero in {currency}", entry=entry.id, found=str(rest))
    if len(sums) > 1 and "CARD" in sums:
        yield Difference("entry", "mixes cards with another currency", entry=entry.id)
    request = hashing.request(
        kind=entry.kind,
        hand=entry.hand,
        room=entry.room,
        hold=entry.hold,
        reversed=entry.reversed,
        actor=entry.actor,
        reason=entry.reason,
        accounts=[line.account for line in lines],
        amounts=[line.amount for line in lines],
    )
    if request != entry.request:
        yield differ("entry", "is not what was requested", request, entry.request, entry=entry.id)
    hash = hashing.entry(
        request=entry.request, id=entry.id, at=entry.at, epoch=entry.epoch, xact=entry.xact, key=entry.key
    )
    if hash != entry.hash:
        yield differ("entry", "the entry's hash", hash, entry.hash, entry=entry.id)


def _check_seals(scope: Scope, covering: list[Seal], leaves: _Leaves, known: dict[int, str]) -> Iterator[Difference]:
    before = next((one for one in seals(after=scope.seal - 1) if one.id == scope.seal), None)
    signed = signatures(after=scope.seal)
    for one in covering:
        yield from _check_link(one, before)
        yield from _check_tree(one, leaves.by_seal[one.id])
        for public, signature in signed.get(one.id, []):
            if not verify_signature(public, signature, one.hash):
                yield Difference("seal", f"signature by {public.hex()[:16]}… is not right", seal=one.id)
        if known.get(one.id, one.hash.hex()) != one.hash.hex():
            yield differ("seal", "is not the seal that was exported", known[one.id], one.hash, seal=one.id)
        before = one
    for number in sorted(number for number in known if number > (before.id if before else 0)):
        yield Difference("seal", "was exported and is missing", seal=number)


def _check_link(one: Seal, before: Seal | None) -> Iterator[Difference]:
    number, prev = (before.id + 1, before.hash) if before else (1, hashing.ZERO)
    start = before.to_xact if before and before.epoch == one.epoch else 0
    if (one.id, one.prev, one.from_xact) != (number, prev, start):
        yield Difference("seal", "does not follow the seal before", seal=one.id)
    values = {name: getattr(one, name) for name in ("id", "epoch", "from_xact", "to_xact", "entries", "at")}
    hash = hashing.seal(prev=one.prev, root=one.root, **values)
    if hash != one.hash:
        yield differ("seal", "the seal's hash", hash, one.hash, seal=one.id)


def _check_tree(one: Seal, leaves: list[bytes]) -> Iterator[Difference]:
    if len(leaves) != one.entries:
        yield differ("seal", "number of entries under it", one.entries, len(leaves), seal=one.id)
    root = hashing.merkle_root(leaves) if leaves else hashing.ZERO
    if root != one.root:
        yield differ("seal", "the root over its entries", one.root, root, seal=one.id)
