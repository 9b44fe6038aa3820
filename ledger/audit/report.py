"""What an audit says: differences, counts, and the checks that other apps register."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

SHOWN = 20  # differences kept word for word; all are counted


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it must be: which check, what, and where."""

    check: str
    what: str
    entry: int | None = None
    account: int | None = None
    seq: int | None = None
    hand: int | None = None
    seal: int | None = None
    expected: str | None = None
    found: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}

    def __str__(self) -> str:
        where = [f"{name} {getattr(self, name)}" for name in ("entry", "account", "seq", "hand", "seal")]
        place = ", ".join(text for text in where if not text.endswith(" None"))
        values = f" (expected {self.expected}, found {self.found})" if self.expected or self.found else ""
        return f"[{self.check}] {place + ': ' if place else ''}{self.what}{values}"


def differ(
    check: str,
    what: str,
    expected: object,
    found: object,
    *,
    entry: int | None = None,
    account: int | None = None,
    seq: int | None = None,
    seal: int | None = None,
) -> Difference:
    """A difference with the value there should be and the one there is; hashes as hexadecimal digits."""
    texts = [value.hex() if isinstance(value, bytes) else str(value) for value in (expected, found)]
    return Difference(check, what, entry=entry, account=account, seq=seq, seal=seal, expected=texts[0], found=texts[1])


@dataclass(frozen=True, slots=True)
class Scope:
    """What is audited: the entries from (epoch, xact) on; (0, 0) is all of them. `step(n)` moves the progress bar."""

    epoch: int = 0
    xact: int = 0
    seal: int = 0
    step: Callable[[int], None] = lambda count: None

    @property
    def whole(self) -> bool:
        return self.seal == 0


@dataclass(slots=True)
class Report:
    """The answer of an audit."""

    counts: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    checks: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.failed

    def add(self, difference: Difference) -> None:
        self.failed[difference.check] += 1
        if len(self.differences) < SHOWN:
            self.differences.append(difference)

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            **{name: self.counts[name] for name in ("accounts", "entries", "lines", "seals", "unsealed")},
            "checks": {name: self.failed[name] for name in self.checks},
            "differences": [difference.as_json() for difference in self.differences],
        }


Check = Callable[[Scope], Iterable[Difference]]
_checks: dict[str, Check] = {}


def register_check(name: str, check: Check) -> None:
    """Add a check to every audit; called from an app's ready(). It yields what it finds wrong."""
    _checks[name] = check


def registered_checks() -> dict[str, Check]:
    return dict(_checks)
