"""The pages round the table: lobby, joining with and without JavaScript, creating, languages, errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PASSWORD, SIZES, sign_up

Contexts = Callable[..., BrowserContext]


def overflow(page: Page) -> int:
    return page.evaluate("document.scrollingElement.scrollWidth - innerWidth")


@pytest.mark.parametrize("size", SIZES)
def test_lobby_offers_what_exists(new_context: Contexts, signed_in: dict[str, object], size: str) -> None:
    page = new_context(size, storage_state=signed_in).new_page()
    page.goto("/")
    for name in ("练习", "创建房间", "加入房间"):
        door = page.get_by_role("button" if name == "练习" else "link", name=name)
        assert (door.bounding_box() or {})["height"] >= 44
    assert overflow(page) == 0
    page.get_by_role("link", name="加入房间").click()
    keypad = page.get_by_role("dialog", name="加入房间")
    expect(keypad).to_be_visible()
    box = keypad.bounding_box()
    assert box
    assert 0 <= box["y"] <= SIZES[size][1] - box["height"]
    for key in keypad.locator("[data-digit]").all():
        assert (key.bounding_box() or {})["height"] >= 44


def test_guests_are_asked_in(new_context: Contexts) -> None:
    page = new_context().new_page()
    page.goto("/")
    expect(page.get_by_role("link", name="登录")).to_be_visible()
    page.goto("/r/123456/")
    expect(page.get_by_role("heading", name="登录")).to_be_visible()


def test_joining_works_without_javascript(
    new_context: Contexts, signed_in: dict[str, object], complaints: list[str]
) -> None:
    page = new_context(storage_state=signed_in, java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_role("link", name="加入房间").click()
    page.get_by_label("六位房号").fill("000000")
    page.get_by_role("button", name="加入", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    complaints.clear()  # the browser reports the 400 itself


def test_a_room_is_created_joined_by_keypad_and_left(new_context: Contexts) -> None:
    owner, guest = new_context().new_page(), new_context("desktop").new_page()
    sign_up(owner, "房主甲")
    sign_up(guest, "牌友乙")
    owner.goto("/rooms/new/")
    owner.get_by_label("8 局").check()
    owner.get_by_label("不钓鱼").check()
    owner.get_by_role("button", name="创建房间").click()
    expect(owner.locator(".waitroom")).to_be_visible()
    expect(owner.locator(".chips")).to_contain_text("不钓鱼")
    code = owner.url.rstrip("/").rsplit("/", 1)[1]
    guest.goto("/")
    guest.get_by_role("link", name="加入房间").click()
    for digit in code:
        guest.locator(f"[data-digit='{digit}']").click()
    expect(guest.locator(".waitroom")).to_be_visible()
    expect(owner.locator(".waitroom")).to_contain_text("牌友乙")
    guest.get_by_role("button", name="准备").click()
    expect(owner.locator(".chair--ready")).to_contain_text("牌友乙")
    owner.goto("/")
    expect(owner.locator(".resume")).to_contain_text(code)
    guest.get_by_role("button", name="离开").click()
    expect(guest.locator(".doors")).to_be_visible()
    owner.locator(".resume").click()
    expect(owner.locator(".chair--free")).to_have_count(3)
    owner.get_by_role("button", name="离开").click()
    expect(owner.locator(".doors")).to_be_visible()
    owner.goto("/rooms/new/")
    expect(owner.get_by_label("8 局")).to_be_checked()
    expect(owner.get_by_label("不钓鱼")).to_be_checked()


def test_password_change_language_and_logout(new_context: Contexts) -> None:
    page = new_context().new_page()
    sign_up(page, "换密码")
    page.goto("/accounts/password/change/")
    for name, value in (("oldpassword", PASSWORD), ("password1", PASSWORD + "x"), ("password2", PASSWORD + "x")):
        page.fill(f"[name={name}]", value)
    page.get_by_role("button", name="保存新密码").click()
    page.goto("/")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("link", name="创建房间")).to_have_count(0)
    page.get_by_role("button", name="中文").click()
    page.locator("details.me summary").click()
    page.get_by_role("button", name="退出登录").click()
    expect(page.get_by_role("link", name="登录")).to_be_visible()


def test_a_page_that_is_not_there_looks_like_the_site(new_context: Contexts, complaints: list[str]) -> None:
    page = new_context().new_page()
    page.goto("/no/such/page/")
    expect(page.get_by_role("heading", name="没有这一页")).to_be_visible()
    expect(page.locator(".brand")).to_be_visible()
    complaints.clear()  # the browser reports the 404 itself
