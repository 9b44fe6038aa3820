"""Public holidays 法定节假日 of China, for the rules about minors. A file with one date a line replaces the list."""

from datetime import date, timedelta
from pathlib import Path


def _from(first: str, days: int = 1) -> frozenset[date]:
    start = date.fromisoformat(first)
    return frozenset(start + timedelta(days=n) for n in range(days))


# 2026 as announced, with the days off around the holidays; 2027 the statutory days alone, until it is announced.
KNOWN = frozenset().union(
    _from("2026-01-01", 3),  # 元旦
    _from("2026-02-15", 9),  # 春节
    _from("2026-04-04", 3),  # 清明
    _from("2026-05-01", 5),  # 劳动节
    _from("2026-06-19", 3),  # 端午
    _from("2026-09-25", 3),  # 中秋
    _from("2026-10-01", 7),  # 国庆
    _from("2027-01-01"),
    _from("2027-02-05", 4),
    _from("2027-04-05"),
    _from("2027-05-01", 2),
    _from("2027-06-09"),
    _from("2027-09-15"),
    _from("2027-10-01", 3),
)


def days_from(path: str | None) -> frozenset[date]:
    """The dates in the file (ISO, one a line, `#` for remarks), or the known ones without a file."""
    if not path:
        return KNOWN
    lines = (line.split("#")[0].strip() for line in Path(path).read_text().splitlines())
    return frozenset(date.fromisoformat(line) for line in lines if line)
