"""A coin table: coins in the plates, both figures in the settlement, moving on, and the price of running away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SIZES
from tests.browser.table import FakeTable, coin_room, moment
from tests.browser.test_layout import SCROLL, check, settled_animations, shot
from tests.browser.test_table import heard

Show = Callable[..., tuple[Page, FakeTable]]
HELD = (12_345, 980, 1_203_000, 90)


def test_plates_show_coins_and_the_bar_the_stake(show: Show) -> None:
    page, _ = show(FakeTable(moment("turn"), **coin_room(HELD)), "phone")
    expect(page.locator(".seat--self .plate__coins")).to_contain_text("1.2万")
    expect(page.locator(".seat--opposite .plate__coins")).to_contain_text("120.3万")
    expect(page.locator(".bar__code")).to_have_text("底注 10")
    expect(page.locator(".bar__hand")).to_have_text("第 2 局")
    check(page)
    shot(page, "coins-turn")


def test_who_sits_down_is_ready_at_once(show: Show) -> None:
    table = FakeTable(status="waiting", **coin_room(HELD))
    page, _ = show(table, "phone")
    expect(page.locator(".waitroom__stake")).to_have_text("底注 10")
    heard(page, table, 1)
    assert table.heard[0]["do"] == "ready"
    assert len(table.heard[0]["nonce"]) == 32
    table.send(table.sync())
    page.wait_for_timeout(100)
    heard(page, table, 1)
    shot(page, "coins-waiting")


@pytest.mark.parametrize("size", SIZES)
def test_the_settlement_tells_points_and_what_really_moved(show: Show, size: str) -> None:
    table = FakeTable(moment("settled"), status="between", **coin_room(HELD, offer=100))
    result = table.sync()["view"]["result"]
    worth = [points * 10 for points in result["score"]]
    payer, winner = worth.index(min(worth)), worth.index(max(worth))
    moved = list(worth)
    moved[payer], moved[winner] = moved[payer] + 7, moved[winner] - 7
    table.settled_coins(moved)
    page, _ = show(table, size)
    dialog = page.get_by_role("dialog", name="结算")
    expect(dialog).to_contain_text("不够付，按比例")
    row = dialog.locator(".totals tbody tr").nth(payer).locator("td")
    figures = [text.replace("−", "-").replace(",", "") for text in row.all_inner_texts()]
    assert figures[:3] == [str(result["score"][payer]), str(worth[payer]), str(moved[payer])]
    expect(dialog.locator(".offer")).to_contain_text("底注 100")
    settled_animations(page)
    assert page.evaluate(SCROLL) == [0, 0]
    for button in dialog.locator(".settle__foot button").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
        assert 0 <= box["x"] <= SIZES[size][0] - box["width"]
    shot(page, f"coins-settled-{size}")
    dialog.get_by_role("button", name="离桌").click()
    heard(page, table, 1)
    assert {name: table.heard[0].get(name) for name in ("do", "confirm")} == {"do": "leave", "confirm": None}


def test_too_poor_for_any_table_leads_to_relief(show: Show) -> None:
    page, table = show(FakeTable(moment("settled"), status="between", **coin_room(HELD, offer=0)), "phone")
    expect(page.get_by_role("button", name="换桌")).to_have_count(0)
    expect(page.locator(".settle__foot").get_by_role("button", name="准备")).to_have_count(0)
    page.get_by_role("button", name="去领救济金").click()
    heard(page, table, 1)
    table.acknowledge()
    expect(page.locator(".lobby")).to_be_visible()


def test_running_away_has_a_price_that_is_confirmed_first(show: Show) -> None:
    page, table = show(FakeTable(moment("turn"), **coin_room(HELD)), "phone")
    page.get_by_role("button", name="菜单").click()
    page.get_by_role("button", name="离桌").click()
    heard(page, table, 1)
    assert "confirm" not in table.heard[0]
    table.refuse("escape_price", "牌局进行中，离开算逃跑：赔 180 金币，扣 60 积分。")
    sheet = page.get_by_role("alertdialog", name="确定逃跑？")
    expect(sheet).to_contain_text("赔 180 金币")
    shot(page, "coins-escape")
    sheet.get_by_role("button", name="继续打牌").click()
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="菜单").click()
    page.get_by_role("button", name="离桌").click()
    heard(page, table, 2)
    table.refuse("escape_price", "牌局进行中，离开算逃跑：赔 180 金币，扣 60 积分。")
    sheet.get_by_role("button", name="逃跑").click()
    heard(page, table, 3)
    assert table.heard[2]["confirm"] is True
    table.acknowledge()
    page.wait_for_url("**/lobby/")


def test_an_escape_is_told_in_words_and_an_empty_seat_ends_the_page(show: Show) -> None:
    page, table = show(FakeTable(moment("turn"), **coin_room(HELD)), "phone")
    expect(page.locator(".ht").first).to_be_visible()
    closed = {"kind": "closed", "why": "escape", "reason": "", "seat": 2}
    table.send({"on": "event", "hand": 1, "seq": 1, "event": closed, "clock": None, "now": 0})
    notice = page.get_by_role("alertdialog", name="这一局结束了")
    expect(notice).to_contain_text("鱼峰山人逃跑了")
    seats = [None if seat["seat"] == 2 else seat for seat in table.room["seats"]]
    table.send({"on": "room", "seq": 9, "room": {**table.room, "status": "waiting", "seats": seats}})
    notice.get_by_role("button", name="知道了").click()
    page.locator(".waitroom").get_by_role("button", name="准备").click()
    heard(page, table, 1)
    seats = [None, *seats[1:]]
    table.send({"on": "room", "seq": 10, "room": {**table.room, "status": "waiting", "seats": seats}})
    expect(page.get_by_role("link", name="回金币场")).to_be_visible()
