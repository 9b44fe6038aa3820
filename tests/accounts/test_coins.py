"""Sign-in and relief: once under double clicks and races, by the calendar of Shanghai, never more than is due."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from ledger import selectors
from ledger import services as ledger
from ledger.services import COIN, Line
from liuzhou.accounts import coins
from liuzhou.accounts.days import SHANGHAI, day_of, start_of, week_of
from liuzhou.accounts.errors import ReliefNotNeeded, ReliefUsedUp
from liuzhou.accounts.models import Relief, SignIn, User

NOON = datetime(2026, 12, 2, 12, 0, tzinfo=SHANGHAI)
DAY = timedelta(days=1)


def held(user: User) -> int:
    return selectors.wallet_balances(owner_ref=user.pk)[COIN]


def give(user: User, amount: int) -> None:
    """Coins out of the mint, or back into it."""
    lines = [
        Line(ledger.system("mint", COIN), -amount),
        Line(ledger.wallet(owner_ref=user.pk, currency=COIN), amount),
    ]
    ledger.post(kind="issue" if amount > 0 else "burn", key=f"test:{uuid.uuid4()}", lines=lines, reason="test")


def at_table(user: User, amount: int) -> None:
    """Sit down with so many coins."""
    lines = [
        Line(ledger.wallet(owner_ref=user.pk, currency=COIN), -amount),
        Line(ledger.seat(owner_ref=user.pk, name="test"), amount),
    ]
    ledger.post(kind="sit", key=f"test:{uuid.uuid4()}", lines=lines)


@pytest.fixture
def somebody(real_db: None) -> User:
    return User.objects.create_user(f"coins-{uuid.uuid4().hex[:10]}")


def together(count: int, work: Callable[[], Any]) -> list[Any]:
    """What `work` gives, or raises, in so many threads at once."""
    start, results = threading.Barrier(count), []

    def run() -> None:
        start.wait()
        try:
            results.append(work())
        except (ReliefNotNeeded, ReliefUsedUp) as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == count
    return results


def test_eight_clicks_at_once_sign_in_once(somebody: User) -> None:
    results = together(8, lambda: coins.sign_in(user=somebody, now=NOON))
    assert sorted(result.created for result in results) == [False] * 7 + [True]
    assert {(result.day, result.coins) for result in results} == {(1, 100)}
    assert held(somebody) == 100
    assert SignIn.objects.filter(user=somebody).count() == 1


def test_clicks_on_both_sides_of_midnight_are_two_days(somebody: User) -> None:
    late = datetime(2026, 12, 2, 23, 59, 59, 999_999, tzinfo=SHANGHAI)
    moments = [late, late + timedelta(microseconds=1)] * 4
    together(8, lambda: coins.sign_in(user=somebody, now=moments.pop()))
    days = sorted(SignIn.objects.filter(user=somebody).values_list("on", flat=True))
    assert days == [date(2026, 12, 2), date(2026, 12, 3)]
    assert held(somebody) == sum(SignIn.objects.filter(user=somebody).values_list("coins", flat=True))


def test_eight_clicks_at_once_relieve_once(somebody: User) -> None:
    results = together(8, lambda: coins.relieve(user=somebody, now=NOON))
    refused = [result for result in results if isinstance(result, ReliefNotNeeded)]
    assert len(refused) == 7
    assert held(somebody) == 500


def test_the_ledger_knows_each_grant_by_its_key(somebody: User) -> None:
    coins.sign_in(user=somebody, now=NOON)
    coins.relieve(user=somebody, now=NOON)
    entries = selectors.movements(owner_ref=somebody.pk, currency=COIN)
    assert [(one.kind, one.amount) for one in entries] == [("relief", 400), ("signin", 100)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT key FROM ledger.entry WHERE id = ANY(%s) ORDER BY id", [[one.entry for one in entries]])
        keys = [row[0] for row in cursor.fetchall()]
    assert keys == [f"signin:{somebody.pk}:2026-12-02", f"relief:{somebody.pk}:2026-12-02:1"]


@pytest.mark.django_db
class TestStreak:
    def test_seven_days_grow_and_the_eighth_begins_anew(self, dong: User) -> None:
        got = [coins.sign_in(user=dong, now=NOON + n * DAY) for n in range(9)]
        assert [one.day for one in got] == [1, 2, 3, 4, 5, 6, 7, 1, 2]
        assert [one.coins for one in got] == [100, 120, 150, 200, 250, 300, 600, 100, 120]
        assert held(dong) == sum(one.coins for one in got)

    def test_a_missed_day_begins_anew(self, dong: User) -> None:
        for n in (0, 1, 3):
            last = coins.sign_in(user=dong, now=NOON + n * DAY)
        assert last.day == 1

    def test_the_state_shows_what_a_click_brings(self, dong: User) -> None:
        today = day_of(NOON)
        before = coins.sign_in_state(user_id=dong.pk, today=today)
        assert (before.done, before.day, before.coins) == (False, 1, 100)
        coins.sign_in(user=dong, now=NOON)
        after = coins.sign_in_state(user_id=dong.pk, today=today)
        assert (after.done, after.day, after.coins) == (True, 1, 100)
        assert coins.sign_in_state(user_id=dong.pk, today=today + DAY).day == 2

    def test_without_a_moment_the_database_tells_the_day(self, dong: User) -> None:
        coins.sign_in(user=dong)
        with connection.cursor() as cursor:
            cursor.execute("SELECT (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date")
            (today,) = cursor.fetchone()
        assert abs(dong.sign_ins.get().on - today) <= DAY

    def test_a_changed_table_of_amounts_changes_no_past_day(self, dong: User, settings: Any) -> None:
        coins.sign_in(user=dong, now=NOON)
        settings.SIGNIN_COINS = (1,) * 7
        assert coins.sign_in(user=dong, now=NOON).coins == 100
        assert coins.sign_in(user=dong, now=NOON + DAY).coins == 1


@pytest.mark.django_db
class TestRelief:
    @pytest.mark.parametrize(("has", "brings"), [(0, 500), (1, 499), (127, 373)])
    def test_it_fills_up_to_500(self, dong: User, has: int, brings: int) -> None:
        if has:
            give(dong, has)
        assert coins.relief_state(user_id=dong.pk, today=day_of(NOON)).coins == brings
        assert coins.relieve(user=dong, now=NOON).coins == brings
        assert held(dong) == 500

    @pytest.mark.parametrize("has", [128, 129, 2000])
    def test_from_128_on_nobody_needs_it(self, dong: User, has: int) -> None:
        give(dong, has)
        with pytest.raises(ReliefNotNeeded) as refused:
            coins.relieve(user=dong, now=NOON)
        assert str(has) in refused.value.zh
        assert str(has) in refused.value.en
        assert held(dong) == has

    def test_coins_at_a_table_count(self, dong: User) -> None:
        give(dong, 130)
        at_table(dong, 130)
        with pytest.raises(ReliefNotNeeded):
            coins.relieve(user=dong, now=NOON)
        give(dong, 5)
        ledger.post(
            kind="stand",
            key=f"test:{uuid.uuid4()}",
            lines=[
                Line(ledger.seat(owner_ref=dong.pk, name="test"), -30),
                Line(ledger.system("penalty", COIN), 30),
            ],
        )
        assert coins.relieve(user=dong, now=NOON).coins == 500 - 105
        assert held(dong) == 400

    def test_three_a_day_then_tomorrow(self, dong: User) -> None:
        for number in (1, 2, 3):
            assert coins.relieve(user=dong, now=NOON).day == number
            give(dong, -500)
        with pytest.raises(ReliefUsedUp):
            coins.relieve(user=dong, now=NOON)
        state = coins.relief_state(user_id=dong.pk, today=day_of(NOON))
        assert (state.coins, state.left) == (0, 0)
        assert coins.relieve(user=dong, now=NOON + DAY).coins == 500
        assert Relief.objects.filter(user=dong).count() == 4

    def test_a_refusal_by_the_ledger_leaves_no_row(self, dong: User, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(**_: object) -> None:
            raise RuntimeError("the ledger is away")

        monkeypatch.setattr(ledger, "post", fail)
        for service in (coins.sign_in, coins.relieve):
            with pytest.raises(RuntimeError):
                _in_a_savepoint(service, dong)
        assert not SignIn.objects.exists()
        assert not Relief.objects.exists()


def _in_a_savepoint(service: Callable[..., object], user: User) -> None:
    from django.db import transaction

    with transaction.atomic():
        service(user=user, now=NOON)


@pytest.mark.django_db
class TestButtons:
    def test_the_lobby_offers_and_then_shows_what_was_done(self, dong_client: Client) -> None:
        page = dong_client.get("/").content.decode()
        assert "签到 +100" in page
        assert "领救济金 +500" in page
        assert "游戏币仅供娱乐，不可兑换、不可转让" in page
        page = dong_client.post("/accounts/coins/sign-in/", follow=True).content.decode()
        assert "签到第 1 天，得 100 金币" in page
        assert "今天已签到" in page
        assert "领救济金 +400" in page
        page = dong_client.post("/accounts/coins/relief/", follow=True).content.decode()
        assert "领到救济金 400 金币" in page
        assert "领救济金" not in page

    def test_the_second_click_is_explained(self, dong_client: Client, dong: User) -> None:
        for _ in range(2):
            page = dong_client.post("/accounts/coins/sign-in/", follow=True).content.decode()
        assert "今天已经签到" in page
        for _ in range(2):
            page = dong_client.post("/accounts/coins/relief/", follow=True).content.decode()
        assert "少于 128 时才能领救济金" in page
        assert held(dong) == 500

    def test_it_needs_a_post_and_a_player(self, client: Client, dong_client: Client) -> None:
        for path in ("/accounts/coins/sign-in/", "/accounts/coins/relief/"):
            assert dong_client.get(path).status_code == 405
            assert Client().post(path)["Location"].startswith("/accounts/login/")
            assert Client(enforce_csrf_checks=True).post(path).status_code == 403

    def test_guests_see_the_line_about_play_money_and_no_gifts(self, client: Client) -> None:
        page = client.get("/").content.decode()
        assert "游戏币仅供娱乐" in page
        assert "gifts" not in page


MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))


@given(MOMENTS)
def test_a_day_is_from_midnight_to_midnight_in_shanghai(now: datetime) -> None:
    day = day_of(now)
    assert start_of(day) <= now < start_of(day + DAY)
    assert day == (now + timedelta(hours=8)).date()
    assert week_of(day).weekday() == 0
    assert week_of(day) <= day < week_of(day) + 7 * DAY
