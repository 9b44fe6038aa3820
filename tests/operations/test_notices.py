"""Notices: between their moments, in both languages, on lobby and table; dismissed ones are the browser's business."""

import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from liuzhou.accounts.models import User
from liuzhou.operations import notices
from liuzhou.operations.models import Notice
from liuzhou.trail.models import Trail
from rooms import services
from tests.staff import make, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("steered")]
HOUR = timedelta(hours=1)
RIGHTS = ("operations.view_notice", "operations.add_notice", "operations.change_notice", "operations.delete_notice")


def make_notice(begins: timedelta = -HOUR, ends: timedelta = HOUR, **fields: Any) -> Notice:
    now = timezone.now()
    told = {"zh": "国庆活动 <b>", "en": "Holiday event", "by": make("author"), **fields}
    notice = Notice.objects.create(starts_at=now + begins, ends_at=now + ends, **told)
    notices.forget()
    return notice


@pytest.mark.parametrize(
    ("begins", "ends", "shown"), [(-HOUR, HOUR, True), (HOUR, 2 * HOUR, False), (-2 * HOUR, -HOUR, False)]
)
def test_a_notice_is_shown_between_its_moments(begins: timedelta, ends: timedelta, shown: bool) -> None:
    make_notice(begins, ends)
    page = Client().get("/").content.decode()
    assert ("国庆活动 &lt;b&gt;" in page) == shown
    assert len(Client().get("/banners/").json()["banners"]) == int(shown)


def test_in_the_readers_language() -> None:
    make_notice()
    client = Client()
    client.cookies["django_language"] = "en"
    assert "Holiday event" in client.get("/").content.decode()
    assert client.get("/banners/").json()["banners"][0]["text"] == "Holiday event"


def test_at_the_table_too() -> None:
    make_notice(level="warning")
    client, user = Client(), User.objects.create_user(f"dong-{secrets.token_hex(4)}")
    client.force_login(user)
    room = services.create_practice(user=user)
    page = client.get(f"/r/{room.code}/").content.decode()
    assert "banner--warning" in page
    assert "js/banners.js" in page


def test_a_changed_notice_is_a_new_one() -> None:
    notice = make_notice()
    before = notices.banners("zh-hans")[0].key
    Notice.objects.filter(pk=notice.pk).update(changed_at=timezone.now() + HOUR)
    notices.forget()
    assert notices.banners("zh-hans")[0].key != before


def test_written_changed_and_deleted_with_a_trail() -> None:
    author = make("author", *RIGHTS)
    client, now = signed_in(author), timezone.localtime()
    form = {
        "level": "info", "zh": "晚上更新", "en": "Update tonight",
        "starts_at_0": f"{now:%Y-%m-%d}", "starts_at_1": "00:00:00",
        "ends_at_0": f"{now + timedelta(days=1):%Y-%m-%d}", "ends_at_1": "00:00:00",
    }  # fmt: skip
    backwards = {**form, "ends_at_0": f"{now - timedelta(days=2):%Y-%m-%d}"}
    assert client.post("/admin/operations/notice/add/", backwards).status_code == 200
    assert client.post("/admin/operations/notice/add/", {**form, "en": ""}).status_code == 200
    assert not Notice.objects.exists()
    assert client.post("/admin/operations/notice/add/", form).status_code == 302
    notice = Notice.objects.get()
    assert notice.by == author
    assert "晚上更新" in Client().get("/").content.decode()
    page = f"/admin/operations/notice/{notice.pk}/"
    assert client.post(f"{page}change/", {**form, "zh": "明早更新"}).status_code == 302
    assert client.post(f"{page}delete/", {"post": "yes"}).status_code == 302
    assert "明早更新" not in Client().get("/").content.decode()
    kept = list(
        Trail.objects.filter(subject=f"operations.notice:{notice.pk}").order_by("pk").values_list("action", flat=True)
    )
    assert kept == ["notice-add", "notice-change", "notice-delete"]


def test_without_the_right_nobody_writes() -> None:
    assert signed_in(make("reader", RIGHTS[0])).post("/admin/operations/notice/add/", {}).status_code == 403
