"""The dashboard, its samples, the ledger's check, the error rate and /metrics."""

import logging
import secrets
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from ledger import desk, figures
from ledger import services as ledger
from ledger.services import CARD, Line
from liuzhou.accounts.models import User
from liuzhou.celery import app
from liuzhou.operations import charts, counting, sampling
from liuzhou.operations.models import LedgerCheck, Sample
from rooms import services
from tests.staff import make, signed_in

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def client() -> Client:
    return signed_in(make("admin", "operations.view_dashboard"))


@pytest.fixture
def counts() -> None:
    """What other tests counted is given away first."""
    counting.flush()
    counting.client().delete(*[counting.key(int(time.time()) // 60 - back) for back in (0, 1)])


def counted_now() -> Counter[str]:
    counting.flush()
    minute = int(time.time()) // 60
    return Counter(counting.counted(minute)) + Counter(counting.counted(minute - 1))


def test_the_index_shows_every_figure_with_its_chart(client: Client) -> None:
    sampling.sample(timezone.now() - 2 * MINUTE)
    sampling.sample(timezone.now() - MINUTE)
    sampling.check_ledger()
    page = client.get("/admin/").content.decode()
    for title in ("进行中的牌桌", "在线玩家", "每分钟局数", "售出房卡", "流通金币", "流通房卡", "账本违规", "出错率"):
        assert title in page
    assert page.count('<svg class="op-chart"') == 8
    assert page.count("op-chart__line") >= 8
    assert "<script>" not in page
    assert " style=" not in page
    assert client.get("/admin/?span=month").status_code == client.get("/admin/?span=bad").status_code == 200


def test_it_is_cheap_however_long_the_ledger(client: Client, django_assert_max_num_queries: Any) -> None:
    """No query reads the ledger's entries or lines but those of the sales account since the last sample."""
    sampling.sample()
    client.get("/admin/")
    with django_assert_max_num_queries(30) as asked:
        client.get("/admin/")
    assert not [one["sql"] for one in asked.captured_queries if "audit." in one["sql"]]


def test_without_the_right_there_is_the_list_of_pages_alone() -> None:
    assert "op-figure" not in signed_in(make("reader", "trail.view_trail")).get("/admin/").content.decode()


def test_a_sample_is_what_was(django_user_model: Any) -> None:
    before = sampling.now()
    user = User.objects.create_user(f"dong-{secrets.token_hex(4)}")
    ledger.grant_signup(user_id=user.pk)
    services.create_practice(user=user)
    boss = User.objects.create_user(f"boss-{secrets.token_hex(4)}")
    stock = ledger.agent(owner_ref=user.pk)
    desk.purchase(key=secrets.token_hex(8), account=stock, amount=100, actor=boss.pk, reason="进货")
    used = [Line(stock, -3), Line(ledger.system("card_sales", CARD), 3)]
    ledger.post(kind="handover", key=secrets.token_hex(8), lines=used)
    assert sampling.sample()
    kept = Sample.objects.get()
    assert kept.tables == before["tables"] + 1
    assert kept.rooms == before["rooms"] + 1
    assert kept.coins == before["coins"] + 2000
    assert kept.cards == before["cards"] + 8 + 100 - 3
    assert (kept.cards_sold, kept.cards_used) == (before["cards_sold"] + 100, before["cards_used"] + 3)
    again = desk.purchase(key=secrets.token_hex(8), account=stock, amount=50, actor=boss.pk, reason="进货")
    assert sampling.now()["cards_sold"] == before["cards_sold"] + 150  # counted on from the sample
    desk.reverse(key=secrets.token_hex(8), entry=again.entry or 0, actor=boss.pk, reason="退货")
    assert sampling.now()["cards_sold"] == before["cards_sold"] + 100
    assert figures.sales().sold == before["cards_sold"] + 100  # and from the beginning
    assert not sampling.sample()  # two beats: one row


def test_old_samples_go() -> None:
    sampling.sample(timezone.now() - sampling.KEPT - timedelta(days=1))
    sampling.sample()
    assert Sample.objects.count() == 1


def test_buckets_hold_means_sums_and_lasts() -> None:
    start = timezone.now().replace(hour=8, minute=0, second=0, microsecond=0)
    values = sampling.now()
    for n, (tables, coins, requests, errors) in enumerate([(2, 100, 50, 0), (4, 300, 150, 2)]):
        one = {**values, "tables": tables, "coins": coins, "requests": requests, "errors": errors}
        Sample.objects.create(at=start + n * MINUTE, **one)
    (row,) = sampling.series(since=start, width=timedelta(minutes=10))
    assert (row["tables"], row["coins"], row["error_rate"]) == (3.0, 300, 1.0)


def test_a_violation_is_found_by_the_check_and_shown(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sampling.check_ledger().violations == 0
    found = [figures.Violation("below_zero", 7, 8, "balance -1 after line 3")]
    monkeypatch.setattr(figures, "violations", lambda **_: (1, found))
    sampling.check_ledger()
    page = client.get("/admin/").content.decode()
    assert "below_zero: balance -1 after line 3" in page
    assert "op-figure--bad" in page


def test_a_check_that_does_not_finish_is_not_taken_for_none(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(**_: Any) -> None:
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setattr(figures, "violations", too_long)
    assert sampling.check_ledger().violations is None
    assert "没能查完" in client.get("/admin/").content.decode()
    LedgerCheck.objects.update(at=timezone.now() - timedelta(hours=2), violations=0)
    assert "定时任务没有在跑" in client.get("/admin/").content.decode()


def test_the_tasks_are_in_the_timetable() -> None:
    app.finalize()
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {"liuzhou.operations.tasks.sample", "liuzhou.operations.tasks.check_ledger"} <= names
    assert names <= set(app.tasks)


def test_requests_and_errors_are_counted(counts: None) -> None:
    for status in (200, 404, 500, 503):
        counting.Counting(lambda _request, status=status: HttpResponse(status=status))(RequestFactory().get("/"))  # type: ignore[misc]
    counting.Counting(lambda _request: HttpResponse(status=503))(RequestFactory().get("/readyz"))
    logging.getLogger("rooms.hub").error("a live task failed")
    logging.getLogger("django.request").error("counted as a request")
    logging.getLogger("rooms.hub").warning("no error")
    found = counted_now()
    assert (found["requests"], found["errors"], found["logged"]) == (5, 2, 1)


def test_an_unhandled_error_is_one_request_that_failed(counts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(request: Any) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("liuzhou.operations.notices.banners", broken)
    assert Client(raise_request_exception=False).get("/banners/").status_code == 500
    found = counted_now()
    assert found["errors"] == 1


def test_counts_wait_for_valkey(counts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    real = counting.client()
    monkeypatch.setattr(counting, "_client", counting.redis.Redis(port=1, socket_connect_timeout=0.2))
    counting.count(counting.REQUESTS)
    counting.flush()
    assert counting.counted(int(time.time()) // 60) is None
    monkeypatch.setattr(counting, "_client", real)
    assert counted_now()["requests"] == 1


class TestMetrics:
    def get(self, token: str = "", **meta: Any) -> Any:
        return Client().get("/metrics", headers={"authorization": f"Bearer {token}"} if token else {}, **meta)

    def test_the_figures_in_prometheus_format(self) -> None:
        sampling.check_ledger()
        answer = self.get()
        lines = answer.content.decode().splitlines()
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        values = dict(line.split(" ") for line in lines if not line.startswith("#"))
        for name in ("tables", "players", "ledger_violations", "process_sockets", "process_log_queue", "maintenance"):
            assert values[f"liuzhou_{name}"] == "0" or name in ("tables", "players")
        assert len([line for line in lines if line.startswith("# TYPE")]) == len(values)

    @pytest.mark.parametrize(
        "meta",
        [{"REMOTE_ADDR": "203.0.113.9"}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, {"HTTP_X_FORWARDED_PROTO": "https"},
         {"HTTP_FORWARDED": "for=127.0.0.1"}, {"REMOTE_ADDR": ""}],
    )  # fmt: skip
    def test_without_a_token_this_machine_alone(self, meta: dict[str, str]) -> None:
        assert self.get(**meta).status_code == 404

    def test_with_a_token_whoever_brings_it(self, settings: Any) -> None:
        settings.METRICS_TOKEN = "s3cret"
        assert self.get().status_code == self.get("wrong").status_code == self.get("ключ").status_code == 404
        assert self.get("s3cret", REMOTE_ADDR="203.0.113.9").status_code == 200


def test_charts_break_where_nobody_looked() -> None:
    start = timezone.now()
    points = [(start + n * MINUTE, float(n)) for n in (0, 1, 2, 30, 31)]
    drawn = charts.over_time(points, since=start, until=start + timedelta(hours=1), width=MINUTE)
    assert (len(drawn.lines), drawn.high, drawn.empty) == (2, "31", False)
    assert charts.over_time([], since=start, until=start + MINUTE, width=MINUTE).empty
    flat = charts.over_time([(start, 5.0)], since=start, until=start + MINUTE, width=MINUTE, from_zero=False)
    assert flat.lines
    assert [charts.short(n) for n in (0, 0.25, 12.0, 1234, 123456, 1.5e10)] == [
        "0",
        "0.25",
        "12",
        "1,234",
        "12.3万",
        "150.0亿",
    ]


def test_what_fails_further_in_is_still_counted() -> None:
    assert site_settings.MIDDLEWARE[0] == "liuzhou.operations.counting.Counting"
