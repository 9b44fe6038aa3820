"""Coins the house gives: the daily sign-in 签到 with its streak, and relief 救济金 for who has almost none.

Each is a row here and an entry of the ledger in one transaction. The player's row is locked first, so two clicks come one
after the other; the ledger's keys (`signin:<user>:<date>`, `relief:<user>:<date>:<n>`) hold even if that failed.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ledger import selectors
from ledger import services as ledger
from ledger.services import COIN, Line
from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.errors import ReliefNotNeeded, ReliefUsedUp
from liuzhou.accounts.models import Relief, SignIn, User
from liuzhou.values import services as values

STREAK = 7


@dataclass(frozen=True, slots=True)
class SignInState:
    """Today's sign-in: `day` 1–7 of the streak (today's, whether done or not), what it brings, and the whole week."""

    done: bool
    day: int
    coins: int
    week: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReliefState:
    """`coins` is what relief would bring now: 0 where it is not needed or used up."""

    coins: int
    held: int
    left: int


@dataclass(frozen=True, slots=True)
class Granted:
    """`created` is False for the second click."""

    coins: int
    day: int
    created: bool


def sign_in(*, user: User, now: datetime | None = None) -> Granted:
    """Today's sign-in, once a day of Asia/Shanghai; the second time that day it tells what the first one brought.

    The day after the seventh in a row, and after a missed one, the streak begins anew."""
    return ledger.transact(lambda: _sign_in(user.pk, now))


def _sign_in(user_id: int, now: datetime | None) -> Granted:
    _lock(user_id)
    today = day_of(now or database_now())
    state = sign_in_state(user_id=user_id, today=today)
    if state.done:
        return Granted(state.coins, state.day, created=False)
    SignIn.objects.create(user_id=user_id, on=today, streak=state.day, coins=state.coins)
    _grant(user_id, "signin", f"signin:{user_id}:{today}", state.coins, f"每日签到，第 {state.day} 天")
    return Granted(state.coins, state.day, created=True)


def sign_in_state(*, user_id: int, today: date) -> SignInState:
    """Where the player is in the seven days."""
    recent = {row.on: row for row in SignIn.objects.filter(user=user_id, on__in=(today, today - timedelta(days=1)))}
    week = tuple(values.get("SIGNIN_COINS"))
    if done := recent.get(today):
        return SignInState(True, done.streak, done.coins, week)
    before = recent.get(today - timedelta(days=1))
    day = before.streak % STREAK + 1 if before else 1
    return SignInState(False, day, week[day - 1], week)


def relieve(*, user: User, now: datetime | None = None) -> Granted:
    """Bring a player who holds fewer than RELIEF_BELOW coins, those at a table counted, up to RELIEF_UP_TO.

    Errors: ReliefNotNeeded (also for the second of two clicks), ReliefUsedUp after RELIEF_PER_DAY a day."""
    return ledger.transact(lambda: _relieve(user.pk, now))


def _relieve(user_id: int, now: datetime | None) -> Granted:
    _lock(user_id)
    today = day_of(now or database_now())
    state = relief_state(user_id=user_id, today=today)
    if state.held >= values.get("RELIEF_BELOW"):
        raise ReliefNotNeeded(held=state.held, below=values.get("RELIEF_BELOW"))
    if not state.left:
        raise ReliefUsedUp(per_day=values.get("RELIEF_PER_DAY"))
    number = values.get("RELIEF_PER_DAY") - state.left + 1
    Relief.objects.create(user_id=user_id, on=today, number=number, coins=state.coins)
    _grant(user_id, "relief", f"relief:{user_id}:{today}:{number}", state.coins, f"救济金，今天第 {number} 次")
    return Granted(state.coins, number, created=True)


def relief_state(*, user_id: int, today: date) -> ReliefState:
    """Whether relief is to be had; one reading of all the player's coins, so that sitting down cannot hide any."""
    held = sum(selectors.holdings(owner_ref=user_id, currency=COIN).values())
    used = Relief.objects.filter(user=user_id, on=today).count()
    left = max(values.get("RELIEF_PER_DAY") - used, 0)
    needed = held < values.get("RELIEF_BELOW") and left > 0
    return ReliefState(values.get("RELIEF_UP_TO") - held if needed else 0, held, left)


def _lock(user_id: int) -> None:
    """One grant at a time for a player. NO KEY: rows that refer to the player do not wait for it."""
    User.objects.select_for_update(no_key=True).get(pk=user_id)


def _grant(user_id: int, kind: str, key: str, coins: int, reason: str) -> None:
    lines = [Line(ledger.system("grants", COIN), -coins), Line(ledger.wallet(owner_ref=user_id, currency=COIN), coins)]
    ledger.post(kind=kind, key=key, lines=lines, reason=reason)
