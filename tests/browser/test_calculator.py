"""算分器 built by taps in a real browser, and the rules pages, at three sizes. Set SHOTS=folder to look."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import SIZES
from tests.browser.test_layout import shot

NewContext = Callable[..., BrowserContext]

SMALL = """() => [...document.querySelectorAll('main button, .keys button, main summary, .segment, .toc a, .tab')]
  .filter((node) => node.checkVisibility() && !node.classList.contains('sr'))
  .map((node) => ({name: node.className + ' ' + node.textContent.trim().slice(0, 12), box: node.getBoundingClientRect()}))
  .filter(({box}) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
  .map(({name, box}) => `${name} ${box.width}x${box.height}`)"""


def tap(page: Page, *tiles: str) -> None:
    """The tiles by the keys at the foot; on narrow screens their suit first."""
    for tile in tiles:
        suit = page.locator(f"[data-suit={tile[1]}]")
        if suit.is_visible():
            suit.click()
        page.locator(f"[data-tile='{tile}']").click()


def check(page: Page) -> None:
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") == 0
    assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_built_by_taps(new_context: NewContext, size: str) -> None:
    page = new_context(size).new_page()
    page.goto("/calculator/")
    expect(page.locator("#built")).to_be_visible()
    expect(page.locator("#texts")).to_be_hidden()
    check(page)
    shot(page, f"calculator-{size}")

    page.locator("[data-open=meld1]").click()
    page.get_by_role("button", name="西家打的").click()
    tap(page, "9p")
    check(page)
    shot(page, f"calculator-melds-{size}")
    page.locator("[data-open=hand1]").click()
    tap(page, "2m", "2m", "2m", "8m", "8m", "8m", "5s", "5s", "6z")
    page.get_by_role("button", name="拿掉发财").click()
    tap(page, "6z", "6z")
    expect(page.locator(".keys__title")).to_contain_text("胡的牌")
    tap(page, "5s")
    expect(page.locator("#keys")).to_be_hidden()
    page.locator("[data-open=fish3]").click()
    tap(page, "1z")
    page.get_by_role("button", name="收起").click()
    check(page)

    page.locator("#go button").click()
    answer = page.locator("#answer")
    expect(answer).to_be_in_viewport()
    expect(answer.locator(".totals")).to_contain_text("+3")
    expect(answer.locator(".types")).to_contain_text("对对胡")
    expect(answer.locator(".line--fish")).to_have_count(1)
    expect(answer.get_by_role("rowheader", name="胡牌")).to_be_visible()
    check(page)
    shot(page, f"calculator-answer-{size}")

    link = page.locator("#link").input_value()
    again = new_context(size).new_page()
    again.goto(link)
    expect(again.locator("#answer .totals")).to_contain_text("+3")
    expect(again.locator("#built [data-place=hand1] .drop")).to_have_count(10)
    expect(again.locator("#built [data-place=meld1]")).to_contain_text("西")
    again.locator(".variants a", has_text="自摸").click()
    expect(again.locator("#answer .types")).to_contain_text("对对胡")
    expect(again.locator("[name=end][value=self_draw]")).to_be_checked()


def test_a_mistake_is_told_at_its_place_and_kept(new_context: NewContext, complaints: list[str]) -> None:
    page = new_context("phone").new_page()
    page.goto("/calculator/")
    page.locator("[data-open=hand1]").click()
    tap(page, "1m", "2m")
    page.get_by_role("button", name="收起").click()
    page.locator("[data-open=tile]").click()
    tap(page, "9m")
    page.locator("#go button").click()
    expect(page.locator("#built .seatcard--wins .error")).to_contain_text("13")
    expect(page.locator("#built [data-place=hand1] .drop")).to_have_count(2)
    shot(page, "calculator-mistake-phone")
    complaints[:] = [line for line in complaints if "400" not in line]  # the page itself is the refusal


def test_another_rule_set_keeps_what_is_on_the_table(new_context: NewContext) -> None:
    page = new_context("phone").new_page()
    page.goto("/calculator/")
    page.locator("[data-open=hand1]").click()
    tap(page, "1m", "2m", "3p")
    page.get_by_role("button", name="收起").click()
    page.get_by_role("button", name="天天").click()
    expect(page.get_by_role("button", name="天天")).to_have_attribute("aria-current", "true")
    expect(page.locator("#built [data-place=hand1] .drop")).to_have_count(3)
    expect(page.locator(".error")).to_have_count(0)
    page.locator(".options summary").click()
    page.locator("#at-players .segment", has_text="3").click()
    expect(page.locator("#built .seatcard__head")).to_have_count(3)
    page.locator("#at-fish .segment", has_text="159 钓鱼").click()
    expect(page.locator("[data-open=wall]")).to_be_visible()
    page.locator("#at-no_dots .segment", has_text="开").click()
    page.locator("[data-open=hand1]").click()
    expect(page.locator("[data-suit=p]")).to_be_disabled()


def test_without_script_the_form_is_text(new_context: NewContext) -> None:
    page = new_context("phone", java_script_enabled=False).new_page()
    page.goto("/calculator/")
    page.fill("[name=h1]", "222888m55s66z")
    page.fill("[name=m1]", "p999p3")
    page.fill("[name=tile]", "5s")
    page.locator("[name=h1]").press("Enter")
    expect(page.locator("#answer .totals")).to_contain_text("+3")
    expect(page.locator("[name=m1]")).to_have_value("p999p3")


@pytest.mark.parametrize("size", SIZES)
def test_rules_fit_the_screen(new_context: NewContext, size: str) -> None:
    page = new_context(size).new_page()
    for path in ("/rules/", "/rules/classic/", "/rules/baike/", "/rules/tiantian/"):
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
        check(page)
        shot(page, f"rules{path.strip('/').replace('/', '-')}-{size}")
    page.get_by_role("link", name="三包", exact=True).first.click()
    expect(page.locator("#sanbi")).to_be_in_viewport()
    page.locator("#types .worth a").first.click()
    expect(page.locator("#answer .totals")).to_be_visible()
