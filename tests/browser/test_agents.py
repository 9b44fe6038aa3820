"""An agent's day, from end to end: apply, blocked at nine rooms, approved at ten, set TOTP up, buy 100 cards, hand ten to a
player, read the month. The rooms themselves are played by services, in a thread of their own (the ORM stays off this one)."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.hashers import make_password
from django.db import connections
from playwright.sync_api import BrowserContext, Page, expect

from liuzhou.accounts.models import User
from tests import staff
from tests.agents.conftest import give_cards, new_player, open_rooms
from tests.browser.conftest import PASSWORD, sign_up
from tests.browser.test_layout import shot

T = TypeVar("T")
SIZES = {"phone": (390, 844), "desktop": (1280, 800), "small": (360, 740)}
ADMIN_RIGHTS = ("view_agent", "view_application", "view_order", "decide_application", "issue_order")


def apart(work: Callable[[], T]) -> T:
    """Run work with the database in another thread: Playwright's loop lives in this one."""

    def run() -> T:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def an_admin() -> tuple[str, str]:
    """Username and TOTP secret of an admin with a password the site knows."""
    admin = staff.make("boss", *(f"agents.{right}" for right in ADMIN_RIGHTS))
    User.objects.filter(pk=admin.pk).update(password=make_password(PASSWORD, hasher="argon2"))
    secret = generate_totp_secret()
    TOTP.activate(admin, secret)
    return admin.username, secret


def admin_signs_in(page: Page, username: str, secret: str) -> None:
    page.goto("/admin/")
    page.fill("[name=login]", username)
    page.fill("[name=password]", PASSWORD)
    page.click("main button.button--main")
    page.fill("[name=code]", code_of(secret))
    page.click("main button.button--main")
    page.wait_for_url("**/admin/")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def follow(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()


def sets_totp_up(page: Page) -> None:
    """From the player's page through password, QR code and recovery codes to the desk."""
    follow(page, "打开代理工作台")
    page.fill("[name=password]", PASSWORD)
    press(page, "确认")
    expect(page.locator(".mfa__qr")).to_be_visible()
    shot(page, "agents-totp")
    page.fill("[name=code]", code_of(page.locator("#secret").inner_text()))
    press(page, "启用")
    expect(page.locator(".mfa__codes li")).to_have_count(10)
    shot(page, "agents-codes")
    follow(page, "已保存好，继续")
    page.wait_for_url("**/admin/agents/agent/desk/")


def no_sideways_scroll(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, page.url


def test_an_agents_day(real_db: None, new_context: Callable[..., BrowserContext]) -> None:
    suffix = uuid.uuid4().hex[:4]
    nickname = f"阿柳{suffix}"
    username, secret = apart(an_admin)
    phone, office, guest = (new_context(size).new_page() for size in ("phone", "desktop", "phone"))

    sign_up(phone, nickname)
    phone.goto("/accounts/agent/")
    press(phone, "申请成为代理")
    expect(phone.locator(".rooms-progress__best")).to_contain_text("0 / 10")

    def play(count: int) -> None:
        dong = User.objects.get(nickname=nickname)
        give_cards(dong, count)
        open_rooms([dong, *(new_player(name) for name in ("nan", "xi", "bei"))], count)

    apart(lambda: play(9))
    phone.reload()
    expect(phone.locator(".rooms-progress__best")).to_contain_text("9 / 10")
    expect(phone.locator("main")).to_contain_text("同一天里再开 1 个房间才能批准")
    shot(phone, "agents-nine")
    admin_signs_in(office, username, secret)
    office.goto("/admin/agents/application/")
    office.get_by_role("link", name=nickname).click()
    follow(office, "批准")
    press(office, "批准")
    expect(office.locator("[role=alert]")).to_contain_text("开了 9 个房间，需要一天内 10 个")
    shot(office, "agents-refused")
    apart(lambda: play(1))
    press(office, "批准")
    expect(office.locator(".messagelist")).to_contain_text("申请人现在是代理")
    shot(office, "agents-approved")

    phone.reload()
    sets_totp_up(phone)
    expect(phone.locator(".ag-hero__sum")).to_contain_text("0")
    follow(phone, "进货")
    phone.fill("[name=amount]", "100")
    press(phone, "提交")
    expect(phone.locator(".ag-tag")).to_have_text("待办理")
    office.goto("/admin/agents/order/?state__exact=open")
    office.locator("#result_list tbody tr", has_text=nickname).locator("th a").click()
    follow(office, "发货")
    office.fill("[name=reason]", "款已到账")
    press(office, "发货")
    expect(office.locator(".messagelist")).to_contain_text("已办理")
    shot(office, "agents-issued")

    phone.goto("/admin/agents/agent/desk/link/")
    link = phone.locator("#link").input_value()
    shot(phone, "agents-link")
    sign_up(guest, f"牌友{suffix}")
    guest.goto(link)
    shot(guest, "agents-invitation")
    press(guest, "同意")
    expect(guest.locator("main")).to_contain_text(nickname)
    cards = guest.locator(".purse__one").last
    before = int(re.sub(r"\D", "", cards.inner_text()))

    follow(phone, "玩家和转卡")
    shot(phone, "agents-players")
    no_sideways_scroll(phone)
    follow(phone, "转卡")
    phone.fill("[name=amount]", "10")
    press(phone, "下一步：确认")
    expect(phone.locator(".ag-slip")).to_contain_text("100 → 90")
    shot(phone, "agents-confirm")
    press(phone, "确认转卡")
    expect(phone.locator(".ag-entry")).to_have_text(re.compile(r"\d+"))
    shot(phone, "agents-receipt")
    phone.go_back()  # leads on to the receipt again
    expect(phone.locator(".messagelist")).to_contain_text("没有重复转卡")
    expect(phone.locator(".ag-entry")).to_have_text(re.compile(r"\d+"))
    guest.reload()
    expect(cards).to_contain_text(str(before + 10))

    phone.goto("/admin/")  # an agent's index is the desk
    expect(phone.locator(".ag-hero__sum")).to_contain_text("90")
    shot(phone, "agents-desk")
    for name, size in SIZES.items() if os.environ.get("SHOTS") else [("small", SIZES["small"])]:
        phone.set_viewport_size({"width": size[0], "height": size[1]})
        for page in ("", "players/", "orders/", "movements/", "sheet/"):
            phone.goto(f"/admin/agents/agent/desk/{page}")
            no_sideways_scroll(phone)
            shot(phone, f"agents-{page.strip('/') or 'home'}-{name}")
    figures = phone.locator(".ag-figures dd").all_inner_texts()
    assert [text.replace("−", "-").replace("+", "") for text in figures] == ["0", "100", "-10", "0", "90"]
    expect(phone.locator(".ag-chart rect")).to_have_count(4)  # bought and handed out, and the legend's two
    expect(phone.locator(".ag-table").last).to_contain_text(f"牌友{suffix}")
