"""Grants and limits that admins change: what is allowed, what is kept, and that they hold at once."""

import secrets
from datetime import datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from ledger import desk, selectors
from ledger import services as ledger
from ledger.services import CARD, COIN
from liuzhou.accounts import coins, limits
from liuzhou.accounts import services as accounts
from liuzhou.accounts.errors import LimitReached
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from liuzhou.values import services as values
from liuzhou.values.errors import BadValue, NoReason, Unchanged
from liuzhou.values.models import Change
from liuzhou.values.schema import VALUES
from tests.staff import make, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("steered")]


@pytest.fixture
def boss() -> User:
    return make("boss", "values.view_change", "values.change_values")


def set_value(name: str, given: object, by: User) -> Change:
    return values.change(name=name, given=given, by=by, reason="活动")


def test_every_value_has_a_default_that_is_allowed() -> None:
    for name, value in VALUES.items():
        assert value.parse(value.text(value.default())) == value.default() == values.get(name)
        assert value.allowed


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("RELIEF_PER_DAY", "21"), ("RELIEF_PER_DAY", "-1"), ("RELIEF_PER_DAY", "3.5"), ("RELIEF_PER_DAY", "三"),
        ("RELIEF_PER_DAY", True), ("SIGNIN_COINS", "1 2 3 4 5 6"), ("SIGNIN_COINS", "1 2 3 4 5 6 99999"),
        ("SIGNIN_COINS", 7), ("MINOR_HOURS", "21 20"), ("MINOR_HOURS", "20"), ("MINOR_DAYS", "4 5 7"), ("MINOR_DAYS", ""),
        ("UNVERIFIED_PLAYERS", "grown"), ("DAILY_LOSS_CAP", "9" * 30), ("SIGNUP_COINS", "0"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_by_name_value_and_range(boss: User, name: str, given: object) -> None:
    with pytest.raises(BadValue) as refused:
        set_value(name, given, boss)
    assert name in refused.value.zh
    assert str(given)[:20] in refused.value.zh
    assert VALUES[name].allowed in refused.value.zh
    assert name in refused.value.en
    assert values.get(name) == VALUES[name].default()


def test_relief_never_takes_away(boss: User) -> None:
    with pytest.raises(BadValue, match="RELIEF_UP_TO"):
        set_value("RELIEF_BELOW", "501", boss)
    set_value("RELIEF_UP_TO", "900", boss)
    set_value("RELIEF_BELOW", "501", boss)
    with pytest.raises(BadValue, match="RELIEF_BELOW"):
        set_value("RELIEF_UP_TO", None, boss)


def test_a_change_keeps_who_why_and_what_was_before(boss: User) -> None:
    set_value("RELIEF_PER_DAY", "5", boss)
    set_value("RELIEF_PER_DAY", "4", boss)
    set_value("RELIEF_PER_DAY", None, boss)
    kept = [(one.old, one.new, one.by, one.reason) for one in values.history("RELIEF_PER_DAY")]
    assert kept == [(4, None, boss, "活动"), (5, 4, boss, "活动"), (3, 5, boss, "活动")]
    for given in (None, "3"):
        with pytest.raises(Unchanged):
            set_value("RELIEF_PER_DAY", given, boss)
    with pytest.raises(NoReason):
        values.change(name="RELIEF_PER_DAY", given="9", by=boss, reason="  ")


def test_nobody_changes_what_was_decided(boss: User) -> None:
    set_value("RELIEF_PER_DAY", "5", boss)
    for statement in ("UPDATE values_change SET new = '9'", "DELETE FROM values_change", "TRUNCATE values_change"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_grants_follow_at_once(boss: User) -> None:
    set_value("SIGNUP_COINS", "3000", boss)
    set_value("SIGNUP_CARDS", "2", boss)
    set_value("SIGNIN_COINS", "7 7 7 7 7 7 7", boss)
    user = accounts.sign_up(username=f"xin-{secrets.token_hex(4)}", password="correct horse")
    assert selectors.wallet_balances(owner_ref=user.pk)[COIN] == 3000
    assert selectors.wallet_balances(owner_ref=user.pk)[CARD] == 2
    assert coins.sign_in(user=user).coins == 7


def test_limits_follow_at_once(boss: User) -> None:
    set_value("DAILY_LOSS_CAP", "100", boss)
    set_value("MINOR_HOURS", "9 10", boss)
    user = User.objects.create_user("nan")
    friday = datetime.fromisoformat("2026-12-04T09:30:00+08:00")
    with pytest.raises(LimitReached) as refused:
        limits.may_play(user, now=friday, kind=limits.COINS, lost_today=100)
    assert refused.value.code == "loss_cap"
    user.adult = False
    limits.may_play(user, now=friday, kind=limits.ROOM, lost_today=0)
    set_value("MINOR_DAYS", "5 6", boss)
    with pytest.raises(LimitReached) as late:
        limits.may_play(user, now=friday, kind=limits.ROOM, lost_today=0)
    assert "周六、周日和法定节假日的 9:00–10:00" in late.value.zh


def test_a_value_that_is_not_allowed_any_more_counts_for_nothing(boss: User) -> None:
    values.note(name="RELIEF_PER_DAY", old=3, new=999, by=boss, reason="from an older release")
    assert values.get("RELIEF_PER_DAY") == 3


def test_a_process_asks_once_in_a_while(boss: User, settings: Any, django_assert_num_queries: Any) -> None:
    settings.VALUES_SECONDS = 60
    values.get("RELIEF_PER_DAY")
    with django_assert_num_queries(0):
        values.get("SIGNIN_COINS")


class TestPages:
    def test_the_list_and_a_change_with_its_trail(self, boss: User) -> None:
        client = signed_in(boss)
        page = client.get("/admin/values/change/").content.decode()
        assert all(name in page for name in VALUES)
        address = "/admin/values/change/value/RELIEF_PER_DAY/"
        refused = client.post(address, {"value": "99", "reason": "多给"})
        assert "RELIEF_PER_DAY 不能是“99”" in refused.content.decode()
        assert client.post(address, {"value": "5", "reason": "多给"}).status_code == 302
        assert values.get("RELIEF_PER_DAY") == 5
        kept = Trail.objects.get(action="value-change")
        assert (kept.actor, kept.subject, kept.detail) == (
            boss, "value:RELIEF_PER_DAY", {"old": 3, "new": 5, "reason": "多给"},
        )  # fmt: skip
        assert "多给" in client.get(address).content.decode()
        assert client.post(address, {"reset": "1", "value": "", "reason": "复原"}).status_code == 302
        assert values.get("RELIEF_PER_DAY") == 3

    def test_without_the_right_it_is_read_only(self) -> None:
        client = signed_in(make("reader", "values.view_change"))
        address = "/admin/values/change/value/RELIEF_PER_DAY/"
        assert client.get(address).status_code == 200
        assert client.post(address, {"value": "5", "reason": "x"}).status_code == 403
        assert signed_in(make("nobody")).get(address).status_code == 403
        assert values.get("RELIEF_PER_DAY") == 3

    def test_who_needs_a_second_admin_cannot_lift_the_limit_first(self, boss: User) -> None:
        """Else the limit would bind nobody: lift it, issue alone, put it back."""
        address = "/admin/values/change/value/APPROVAL_COIN/"
        assert signed_in(boss).post(address, {"value": "999999999", "reason": "x"}).status_code == 403
        chief = User.objects.create_superuser("chief")
        assert signed_in(chief).post(address, {"value": "10", "reason": "收紧"}).status_code == 302
        account = ledger.wallet(owner_ref=chief.pk, currency=COIN)
        done = desk.issue(key=secrets.token_hex(8), account=account, amount=11, actor=boss.pk, reason="补")
        assert done.entry is None
        assert done.proposal is not None
