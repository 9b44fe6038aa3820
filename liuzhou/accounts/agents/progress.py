"""How far a player is towards an agency: rooms opened within one day of Asia/Shanghai, in the last thirty days.

A room counts for the day it was opened on, once its first hand is settled: whoever opens ten rooms in the evening whose
hands end after midnight has opened ten that evening."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from liuzhou.accounts import hooks
from liuzhou.accounts.days import database_now, day_of, start_of

NEEDED = 10
DAYS = 30


@dataclass(frozen=True, slots=True)
class Progress:
    """`days` are all of the span, oldest first; `best_day` is None where no room counts (the latest of equal ones)."""

    days: tuple[tuple[date, int], ...]
    best_day: date | None
    best: int
    needed: int = NEEDED

    @property
    def enough(self) -> bool:
        return self.best >= self.needed

    @property
    def missing(self) -> int:
        return max(self.needed - self.best, 0)


def progress(*, user_id: int, now: datetime | None = None) -> Progress:
    """The player's thirty days up to and with today."""
    today = day_of(now or database_now())
    first = today - timedelta(days=DAYS - 1)
    found = hooks.rooms_opened(user_id, start_of(first))
    days = tuple((first + timedelta(n), found.get(first + timedelta(n), 0)) for n in range(DAYS))
    best_day, best = max(days, key=lambda one: (one[1], one[0]))
    return Progress(days, best_day if best else None, best)
