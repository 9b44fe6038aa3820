"""Four strangers in four browsers: a private table filled by its link, and a coin table two taps from the lobby."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import sign_up

NAMES = ("东山", "南湖", "西江", "北岸")


def strangers(new_context: Callable[..., BrowserContext], suffix: str) -> list[Page]:
    pages = [new_context("phone").new_page() for _ in NAMES]
    for page, name in zip(pages, NAMES, strict=True):
        sign_up(page, f"{name}{suffix}")
    return pages


def test_a_private_table_is_filled_by_its_link_and_begins(new_context: Callable[..., BrowserContext]) -> None:
    owner, *others = pages = strangers(new_context, "一")
    owner.goto("/rooms/new/")
    owner.locator("main form button.button--main").last.click()
    owner.wait_for_url("**/r/*/")
    expect(owner.locator("img[src*='qr.svg']")).to_be_visible()
    link = owner.url
    for page in others:
        page.goto(link)
        page.locator("main form button.button--main").last.click()
        page.wait_for_url("**/r/*/")
    for page in pages:
        page.get_by_role("button", name="准备").first.click()
    for page in pages:
        expect(page.locator(".board")).to_be_visible()


def test_a_coin_table_is_two_taps_from_the_lobby(new_context: Callable[..., BrowserContext]) -> None:
    pages = strangers(new_context, "二")
    for page in pages:
        page.goto("/")
        page.get_by_role("link", name="金币场").click()
        page.locator("form.quick button").nth(1).click()
        page.wait_for_url("**/r/*/")
    for page in pages:
        expect(page.locator(".board")).to_be_visible()
        expect(page.locator(".plate__score").first).to_contain_text("2,000")
