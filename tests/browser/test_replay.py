"""A finished hand in the browser: stepped through from every seat, its shuffle proved there, nothing off the screen."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from rooms.client import Player, Visitor
from tests.browser.conftest import SIZES


async def _play(players: list[Player]) -> None:
    async with asyncio.timeout(90):
        await asyncio.gather(*(player.play(1) for player in players))


def played(site: str) -> tuple[int, Visitor]:
    """A hand that four programs have played out, and one of its players."""
    visitors = [Visitor(site) for _ in range(4)]
    for visitor in visitors:
        visitor.sign_up(f"r{secrets.token_hex(5)}")
    where, _ = visitors[0].post("/rooms/new/", preset="classic", fish="pond", hands=4)
    code = where.strip("/").split("/")[-1]
    for visitor in visitors[1:]:
        visitor.post("/rooms/join/", code=code)
    players = [Player(visitor, code) for visitor in visitors]
    asyncio.run(_play(players))
    return min(players[0].settled), visitors[0]


@pytest.fixture(scope="module")
def finished(site: str) -> Iterator[tuple[int, Visitor]]:
    """Played in a thread of its own: Playwright's loop has this one."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(played, site).result()


def opened(context: BrowserContext, site: str, finished: tuple[int, Visitor]) -> Page:
    hand, visitor = finished
    context.add_cookies([{"name": one.name, "value": one.value or "", "url": site} for one in visitor.jar])
    page = context.new_page()
    page.goto(f"{site}/hands/{hand}/")
    expect(page.locator(".reel")).to_be_visible()
    return page


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_is_stepped_through_to_its_settlement(
    new_context: Callable[..., BrowserContext], site: str, finished: tuple[int, Visitor], size: str
) -> None:
    page = opened(new_context(size), site, finished)
    expect(page.get_by_role("button", name="上一步")).to_be_disabled()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert page.locator(".reel__bar").input_value() == "12"
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    for box in page.locator(".reel__buttons button").all():
        shape = box.bounding_box()
        assert shape is not None
        assert shape["height"] >= 44
        assert shape["y"] + shape["height"] <= SIZES[size][1]
    page.keyboard.press("End")
    expect(page.locator("#settlement")).to_be_visible()


def test_every_seat_has_its_own_view_and_the_shuffle_is_proved_here(
    new_context: Callable[..., BrowserContext], site: str, finished: tuple[int, Visitor]
) -> None:
    page = opened(new_context("phone"), site, finished)
    page.keyboard.press("End")
    page.get_by_role("button", name="看牌面", exact=True).click()
    hands = set()
    for seat in range(4):
        page.get_by_label("视角").select_option(str(seat))
        expect(page.locator(f"#replay[data-seat='{seat}'] .hand button").first).to_be_visible()
        hands.add(page.locator(".hand").inner_html())
    assert len(hands) == 4
    page.get_by_role("button", name="洗牌证明").click()
    expect(page.locator(".proof__done .holds")).to_have_count(3)
    expect(page.locator(".proof__done .fails")).to_have_count(0)
    expect(page.locator(".proof__wall .tl")).to_have_count(136)
