"""Who may play now (issue 6 part 10). Pure: the moment and what was lost today are arguments, the rest is the player's row
and the values in force. A running hand always finishes; what is asked here is whether to sit down or to start one."""

from datetime import date, datetime, time, timedelta
from typing import Final, Protocol

from django.conf import settings

from liuzhou.accounts.days import SHANGHAI, day_of
from liuzhou.accounts.errors import LimitReached
from liuzhou.values import services as values

COINS: Final = "coins"  # the coin lobby
ROOM: Final = "room"  # a private room
PRACTICE: Final = "practice"  # against bots
KINDS: Final = (COINS, ROOM, PRACTICE)
WEEKDAYS_ZH: Final = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
WEEKDAYS_EN: Final = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


class Limited(Protocol):
    """What the policy asks of a player; `accounts.User` has it."""

    adult: bool | None
    cool_off_until: datetime | None
    loss_cap: int | None
    loss_cap_next: int | None
    loss_cap_next_on: date | None
    closed_at: datetime | None


def may_play(user: Limited, *, now: datetime, kind: str, lost_today: int) -> None:
    """Return if the player may sit down, or start a hand, of that kind at `now`; otherwise raise LimitReached.

    `now` is aware. `lost_today`: coins lost at coin tables since midnight in Shanghai, gains subtracted (0 or below: none).
    The loss cap concerns coin tables alone; everything else all three kinds."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}")
    if user.closed_at is not None:
        raise LimitReached("closed", "这个帐号已经注销。", "This account is closed.")
    _check_age(user, now)
    if user.cool_off_until is not None and now < user.cool_off_until:
        until = f"{user.cool_off_until.astimezone(SHANGHAI):%Y-%m-%d %H:%M}"
        raise LimitReached("cool_off", f"你给自己定了休息，到 {until} 为止。", f"You are taking a break until {until}.")
    cap = loss_cap(user, day_of(now))
    if kind == COINS and cap is not None and lost_today >= cap:
        raise LimitReached(
            "loss_cap",
            f"今天已经输了 {lost_today} 金币，到了每日上限 {cap}，明天再来。",
            f"You have lost {lost_today} coins today, the daily cap is {cap}. Come back tomorrow.",
        )


def _check_age(user: Limited, now: datetime) -> None:
    if user.adult is None and values.get("UNVERIFIED_PLAYERS") == "refuse":
        raise LimitReached(
            "not_verified", "请先完成实名核验，再开始游戏。", "Please complete the real-name check before playing."
        )
    if is_minor(user) and not minors_may_play(now):
        raise LimitReached("minor_hours", *minors_times())


def minors_times() -> tuple[str, str]:
    """When minors may play, as a sentence in both languages."""
    first, last = values.get("MINOR_HOURS")
    return (
        f"未成年人只能在{_days(WEEKDAYS_ZH, '、')}和法定节假日的 {first}:00–{last}:00 游戏。",
        f"Minors may play on {_days(WEEKDAYS_EN, ', ')} and public holidays only, {first}:00–{last}:00.",
    )


def _days(names: tuple[str, ...], between: str) -> str:
    return between.join(names[day] for day in values.get("MINOR_DAYS"))


def is_minor(user: Limited) -> bool:
    """Whether the rules for minors hold: the checked answer, or the setting for those not checked yet."""
    return not user.adult if user.adult is not None else values.get("UNVERIFIED_PLAYERS") == "minor"


def minors_may_play(now: datetime) -> bool:
    """On the weekdays MINOR_DAYS (Friday to Sunday) and public holidays, within MINOR_HOURS in Shanghai (20:00 to 20:59:59)."""
    here = now.astimezone(SHANGHAI)
    first, last = values.get("MINOR_HOURS")
    allowed_day = here.weekday() in values.get("MINOR_DAYS") or here.date() in settings.HOLIDAYS
    return allowed_day and time(first) <= here.time().replace(tzinfo=None) < time(last)


def loss_cap(user: Limited, today: date) -> int | None:
    """The coins a player may lose today: the stricter of their own cap and the house's; None without either."""
    own = user.loss_cap
    if user.loss_cap_next_on is not None and today >= user.loss_cap_next_on:
        own = user.loss_cap_next
    caps = [cap for cap in (own, values.get("DAILY_LOSS_CAP") or None) if cap is not None]
    return min(caps, default=None)


def looser(new: int | None, old: int | None) -> bool:
    """Whether a cap allows more than another (None: no cap)."""
    return old is not None and (new is None or new > old)


COOL_OFFS: Final = {
    "day": timedelta(days=1),
    "three_days": timedelta(days=3),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
}
