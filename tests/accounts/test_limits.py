"""Who may play when: the policy as properties, and the wishes that make it stricter at once and looser tomorrow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings as current
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from liuzhou.accounts import limits, restraint
from liuzhou.accounts.days import SHANGHAI
from liuzhou.accounts.errors import BadLimit, CoolOffRunning, LimitReached, RealNameRefused
from liuzhou.accounts.limits import COINS, KINDS, PRACTICE, ROOM, may_play
from liuzhou.accounts.models import User
from liuzhou.holidays import days_from

WEDNESDAY = datetime(2026, 12, 2, 20, 30, tzinfo=SHANGHAI)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Someone:
    """A player as the policy sees one."""

    adult: bool | None = True
    cool_off_until: datetime | None = None
    loss_cap: int | None = None
    loss_cap_next: int | None = None
    loss_cap_next_on: date | None = None
    closed_at: datetime | None = None


def refusal(player: Someone, *, now: datetime = WEDNESDAY, kind: str = COINS, lost: int = 0) -> str:
    """The code of the limit that was reached, or nothing."""
    try:
        may_play(player, now=now, kind=kind, lost_today=lost)
    except LimitReached as limit:
        return limit.code if limit.text("zh-hans") == limit.zh and limit.text("en") == limit.en else "speechless"
    return ""


MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC))
OPTIONAL_CAP = st.none() | st.integers(0, 10_000)
PLAYERS = st.builds(
    Someone,
    adult=st.sampled_from([None, True, False]),
    cool_off_until=st.none() | MOMENTS,
    loss_cap=OPTIONAL_CAP,
    loss_cap_next=OPTIONAL_CAP,
    loss_cap_next_on=st.none() | st.dates(date(2025, 1, 1), date(2028, 1, 1)),
)


@given(MOMENTS, st.sampled_from(KINDS))
def test_minors_play_only_in_their_hour(now: datetime, kind: str) -> None:
    here = now + timedelta(hours=8)
    free = here.weekday() in (4, 5, 6) or here.date() in current.HOLIDAYS
    assert (refusal(Someone(adult=False), now=now, kind=kind) == "") == (free and here.hour == 20)


@given(MOMENTS, st.sampled_from(KINDS))
def test_adults_without_wishes_always_play(now: datetime, kind: str) -> None:
    assert refusal(Someone(), now=now, kind=kind, lost=10**9) == ""


@given(PLAYERS, MOMENTS, st.sampled_from(KINDS), st.integers(-10_000, 20_000), st.integers(0, 20_000))
def test_losing_more_and_capping_lower_never_allow_more(
    player: Someone, now: datetime, kind: str, lost: int, more: int
) -> None:
    if refusal(player, now=now, kind=kind, lost=lost):
        assert refusal(player, now=now, kind=kind, lost=lost + more)
        if player.loss_cap_next_on is None and player.loss_cap is not None:
            stricter = replace(player, loss_cap=max(player.loss_cap - more, 0))
            assert refusal(stricter, now=now, kind=kind, lost=lost)


@given(PLAYERS, MOMENTS, st.sampled_from(KINDS), st.integers(-10_000, 20_000))
def test_the_policy_is_a_function_of_its_arguments(player: Someone, now: datetime, kind: str, lost: int) -> None:
    first = refusal(player, now=now, kind=kind, lost=lost)
    assert first == refusal(player, now=now.astimezone(SHANGHAI), kind=kind, lost=lost)
    if first == "loss_cap":
        assert kind == COINS
    if player.cool_off_until is not None and now < player.cool_off_until:
        assert first in ("cool_off", "minor_hours")


@pytest.mark.parametrize(
    ("clock", "allowed"), [("19:59:59", False), ("20:00:00", True), ("20:59:59", True), ("21:00:00", False)]
)
def test_the_hour_has_sharp_edges(clock: str, allowed: bool) -> None:
    friday = datetime.fromisoformat(f"2026-12-04T{clock}+08:00")
    assert (refusal(Someone(adult=False), now=friday) == "") == allowed


@pytest.mark.parametrize(
    ("day", "allowed"),
    [("2026-10-07", True), ("2026-10-08", False), ("2026-02-17", True), ("2026-12-03", False), ("2026-12-06", True)],
)
def test_holidays_count_like_weekends(day: str, allowed: bool) -> None:
    evening = datetime.fromisoformat(f"{day}T20:30:00+08:00")
    assert (refusal(Someone(adult=False), now=evening) == "") == allowed


def test_who_is_not_checked_is_what_the_setting_says(settings: Any) -> None:
    for value, code in (("adult", ""), ("minor", "minor_hours"), ("refuse", "not_verified")):
        settings.UNVERIFIED_PLAYERS = value
        assert refusal(Someone(adult=None)) == code
        assert refusal(Someone(adult=True)) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_break_ends_at_its_moment(kind: str) -> None:
    resting = Someone(cool_off_until=WEDNESDAY)
    assert refusal(resting, now=WEDNESDAY - timedelta(microseconds=1), kind=kind) == "cool_off"
    assert refusal(resting, now=WEDNESDAY, kind=kind) == ""


def test_the_cap_is_reached_when_it_is_lost_and_at_coin_tables_alone() -> None:
    capped = Someone(loss_cap=1000)
    assert refusal(capped, lost=999) == ""
    assert refusal(capped, lost=1000) == "loss_cap"
    assert refusal(capped, lost=-5000) == ""
    assert refusal(capped, lost=1000, kind=ROOM) == refusal(capped, lost=1000, kind=PRACTICE) == ""


def test_the_stricter_of_house_and_player_holds(settings: Any) -> None:
    settings.DAILY_LOSS_CAP = 500
    assert refusal(Someone(), lost=500) == "loss_cap"
    assert refusal(Someone(loss_cap=1000), lost=500) == "loss_cap"
    assert refusal(Someone(loss_cap=100), lost=100) == "loss_cap"


def test_a_closed_account_does_not_play() -> None:
    assert refusal(Someone(closed_at=WEDNESDAY)) == "closed"


def test_an_unknown_kind_is_a_bug() -> None:
    with pytest.raises(ValueError, match="kind"):
        may_play(Someone(), now=WEDNESDAY, kind="coin", lost_today=0)


def test_holidays_come_from_a_file(tmp_path: Any) -> None:
    file = tmp_path / "days"
    file.write_text("# next year\n2027-01-01\n\n2027-02-06  # 春节\n")
    assert days_from(str(file)) == {date(2027, 1, 1), date(2027, 2, 6)}
    assert date(2026, 10, 1) in days_from(None)


@pytest.mark.django_db
class TestWishes:
    def test_a_break_gets_longer_never_shorter(self, dong: User) -> None:
        until = restraint.cool_off(user=dong, length="three_days", now=WEDNESDAY).cool_off_until
        assert until == WEDNESDAY + 3 * DAY
        for length in ("day", "three_days"):
            with pytest.raises(CoolOffRunning):
                restraint.cool_off(user=dong, length=length, now=WEDNESDAY)
        assert restraint.cool_off(user=dong, length="week", now=WEDNESDAY).cool_off_until == WEDNESDAY + 7 * DAY
        later = WEDNESDAY + 30 * DAY
        assert restraint.cool_off(user=dong, length="day", now=later).cool_off_until == later + DAY

    def test_a_stricter_cap_holds_now_a_looser_one_tomorrow(self, dong: User) -> None:
        today, tomorrow = WEDNESDAY.date(), WEDNESDAY.date() + DAY
        player = restraint.set_loss_cap(user=dong, coins=1000, now=WEDNESDAY)
        assert limits.loss_cap(player, today) == 1000
        player = restraint.set_loss_cap(user=dong, coins=5000, now=WEDNESDAY)
        assert (limits.loss_cap(player, today), limits.loss_cap(player, tomorrow)) == (1000, 5000)
        player = restraint.set_loss_cap(user=dong, coins=None, now=WEDNESDAY)
        assert (limits.loss_cap(player, today), limits.loss_cap(player, tomorrow)) == (1000, None)
        player = restraint.set_loss_cap(user=dong, coins=500, now=WEDNESDAY)
        assert (limits.loss_cap(player, today), limits.loss_cap(player, tomorrow)) == (500, 500)

    def test_what_was_wished_yesterday_is_what_today_is_compared_with(self, dong: User) -> None:
        restraint.set_loss_cap(user=dong, coins=1000, now=WEDNESDAY)
        restraint.set_loss_cap(user=dong, coins=5000, now=WEDNESDAY)
        player = restraint.set_loss_cap(user=dong, coins=2000, now=WEDNESDAY + DAY)
        assert limits.loss_cap(player, WEDNESDAY.date() + DAY) == 2000
        assert player.loss_cap_next_on is None

    def test_what_is_not_offered_is_refused(self, dong: User) -> None:
        with pytest.raises(BadLimit) as refused:
            restraint.set_loss_cap(user=dong, coins=7)
        assert "500" in refused.value.zh
        with pytest.raises(BadLimit):
            restraint.cool_off(user=dong, length="hour")

    def test_the_real_name_service_answers_and_only_its_answer_is_kept(self, dong: User, settings: Any) -> None:
        settings.REAL_NAME_HOOK = "tests.accounts.test_limits.service"
        assert restraint.check_real_name(user=dong, name="张三", document="adult").adult is True
        assert restraint.check_real_name(user=dong, name="张三", document="minor").adult is False
        with pytest.raises(RealNameRefused):
            restraint.check_real_name(user=dong, name="张三", document="else")
        dong.refresh_from_db()
        assert dong.adult is False


def service(name: str, document: str) -> bool | None:
    """An operator's real-name service."""
    return {"adult": True, "minor": False}.get(document)


@pytest.mark.django_db
class TestPage:
    def test_a_break_is_taken_on_the_page(self, dong_client: Client, dong: User) -> None:
        answer = dong_client.post("/accounts/limits/", {"form": "cool_off", "length": "week", "sure": "on"})
        assert answer["Location"] == "/accounts/limits/"
        dong.refresh_from_db()
        assert dong.cool_off_until is not None
        assert "休息到" in dong_client.get("/accounts/limits/").content.decode()
        again = dong_client.post("/accounts/limits/", {"form": "cool_off", "length": "day", "sure": "on"})
        assert again.status_code == 400
        assert "只能延长" in again.content.decode()

    def test_a_break_is_asked_for_twice(self, dong_client: Client, dong: User) -> None:
        assert dong_client.post("/accounts/limits/", {"form": "cool_off", "length": "week"}).status_code == 400
        dong.refresh_from_db()
        assert dong.cool_off_until is None

    def test_a_cap_is_set_on_the_page(self, dong_client: Client, dong: User) -> None:
        dong_client.post("/accounts/limits/", {"form": "loss_cap", "coins": "1000"})
        dong_client.post("/accounts/limits/", {"form": "loss_cap", "coins": ""})
        page = dong_client.get("/accounts/limits/").content.decode()
        assert "今天最多输 1,000 金币" in page
        assert "放宽的上限从" in page
        assert dong_client.post("/accounts/limits/", {"form": "loss_cap", "coins": "7"}).status_code == 400

    def test_the_real_name_form_is_there_where_there_is_a_service(
        self, dong_client: Client, dong: User, settings: Any
    ) -> None:
        form = {"form": "real_name", "name": "张三", "document": "minor"}
        assert "实名核验" not in dong_client.get("/accounts/limits/").content.decode()
        dong_client.post("/accounts/limits/", form)
        settings.REAL_NAME_HOOK = "tests.accounts.test_limits.service"
        assert "实名核验" in dong_client.get("/accounts/limits/").content.decode()
        assert dong_client.post("/accounts/limits/", form | {"document": "x"}).status_code == 400
        dong_client.post("/accounts/limits/", form)
        dong.refresh_from_db()
        assert dong.adult is False
        assert "未成年人" in dong_client.get("/accounts/limits/").content.decode()
