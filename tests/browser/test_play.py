"""练习 for real: a hand against the bots, to its settlement, on a phone and on a desktop at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import sign_up

HAND_SECONDS = 150


def move(page: Page) -> None:
    """One thing a player might do now: win, kong or claim when asked, else throw the last tile that may be thrown."""
    page.evaluate(
        """() => {
          const first = (selector) => document.querySelector(selector);
          const call = first('.call--win, .call--kong, .call--choice') ?? first('.call:not([disabled])');
          if (call && !call.disabled) return call.click();
          const done = document.querySelector('.pond__done:not([disabled])');
          if (done) return done.click();
          const tiles = [...document.querySelectorAll('.hand--turn .ht:not(.ht--dim)')];
          const tile = tiles.findLast((one) => one.matches('.ht--ready')) ?? tiles.at(-1);
          if (tile && tiles.length % 3 === 2) { tile.click(); document.querySelector('.ht--raised')?.click(); }
        }"""
    )


def test_practice_hands_reach_their_settlement(new_context: Callable[..., BrowserContext]) -> None:
    pages = [new_context("phone").new_page(), new_context("desktop").new_page()]
    for page, name in zip(pages, ("小拇指", "大屏幕"), strict=True):
        sign_up(page, name)
        page.get_by_role("button", name="练习").click()
        page.locator(".slot:not([disabled])").first.click()
        expect(page.locator(".slot--self")).to_have_count(1)
    until = time.monotonic() + HAND_SECONDS
    while time.monotonic() < until and not all(page.locator("#settlement").count() for page in pages):
        for page in pages:
            if not page.locator("#settlement").count():
                move(page)
        pages[0].wait_for_timeout(100)
    for page in pages:
        dialog = page.get_by_role("dialog", name="结算")
        expect(dialog).to_be_visible()
        expect(dialog.locator(".totals tbody tr")).to_have_count(4)
        rows = dialog.locator(".totals tbody td:nth-of-type(1)").all_inner_texts()
        assert sum(int(text.replace("−", "-")) for text in rows) == 0
    again = pages[0]
    again.reload()
    expect(again.get_by_role("dialog", name="结算")).to_be_visible()
    again.get_by_role("dialog", name="结算").get_by_role("button", name="准备").click()
    expect(again.locator(".pond")).to_be_visible()
