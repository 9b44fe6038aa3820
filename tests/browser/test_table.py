"""How the table answers fingers and keys: discards at once, claims only when the server says so, nothing by accident."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from liuzhou.rules import engine
from liuzhou.rules.view import redact, view
from tests.browser.conftest import sign_up
from tests.browser.table import FakeTable, moment, now
from tests.browser.test_layout import check, shot

Show = Callable[..., tuple[Page, FakeTable]]


def heard(page: Page, table: FakeTable, count: int) -> None:
    """Wait until the page has sent `count` commands; waiting is what lets Playwright hear them."""
    for _ in range(100):
        if len(table.heard) >= count:
            break
        page.wait_for_timeout(20)
    assert len(table.heard) == count, table.heard


def test_first_tap_raises_second_throws_before_the_server_answers(show: Show) -> None:
    page, table = show(FakeTable(moment("turn")), "phone")
    tile = page.locator(".ht").first
    name = tile.get_attribute("data-tile")
    river = page.locator("[data-river='0'] .tl")
    lying = river.count()
    tile.tap()
    expect(page.locator(".ht--raised")).to_have_attribute("data-tile", name or "")
    assert table.heard == []
    page.locator(".ht--raised").tap()
    expect(river).to_have_count(lying + 1)
    expect(page.locator(".tl--pending")).to_have_count(1)
    heard(page, table, 1)
    assert table.heard[0]["action"] == {"do": "discard", "tile": name}
    assert table.heard[0]["ask"] == "7"
    for event in _after(table, name):
        table.send(event)
    table.acknowledge()
    expect(page.locator(".tl--pending")).to_have_count(0)
    expect(river).to_have_count(lying + 1)


def _after(table: FakeTable, tile: str | None) -> list[dict[str, object]]:
    """The event frames of throwing `tile`, as seat 0 is told."""
    assert table.state
    legal = engine.legal_actions(table.state, 0)
    before = view(table.state, 0)
    action = next(one for one in legal if one.do == "discard" and _name(one.tile) == tile)
    _, events = engine.apply(table.state, action)
    told = [one for event in events if (one := redact(event, 0)) is not None]
    assert before["phase"] == "turn"
    return [
        {"on": "event", "hand": 1, "seq": seq, "event": event, "clock": None, "now": now()}
        for seq, event in enumerate(told, start=1)
    ]


def _name(kind: int) -> str:
    return f"{kind % 9 + 1}{'mpsz'[kind // 9]}"


def test_a_refused_discard_comes_back_with_a_toast(show: Show) -> None:
    page, table = show(FakeTable(moment("turn")), "phone")
    hand = page.locator(".ht")
    count = hand.count()
    hand.first.tap()
    page.locator(".ht--raised").tap()
    expect(hand).to_have_count(count - 1)
    heard(page, table, 1)
    table.refuse("illegal", "现在不能打这张")
    expect(hand).to_have_count(count)
    expect(page.locator(".toast")).to_have_text("现在不能打这张")


def test_swipe_up_throws(show: Show) -> None:
    page, table = show(FakeTable(moment("turn")), "phone")
    box = page.locator(".ht").nth(2).bounding_box()
    assert box
    page.mouse.move(box["x"] + 20, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 22, box["y"] - 20, steps=4)
    page.mouse.up()
    heard(page, table, 1)
    assert table.heard[0]["action"]["do"] == "discard"


def test_claims_wait_for_the_server_and_only_the_button_passes(show: Show) -> None:
    page, table = show(FakeTable(moment("win")), "phone")
    buttons = page.locator(".call")
    expect(page.get_by_role("button", name="胡", exact=True)).to_be_visible()
    page.locator(".board").tap(position={"x": 190, "y": 200})
    page.locator(".ht").first.tap()
    assert table.heard == []
    page.get_by_role("button", name="碰", exact=True).tap()
    heard(page, table, 1)
    expect(page.locator(".call--pressed")).to_have_text("碰")
    expect(buttons.last).to_be_disabled()
    assert page.locator(".melds--own .meld").count() == len(view(moment("win"), 0)["seats"][0]["melds"])  # type: ignore[index]
    table.acknowledge()
    expect(buttons).to_have_count(0)


def test_escape_passes_a_win_only_the_second_time(show: Show) -> None:
    page, table = show(FakeTable(moment("win")), "desktop")
    expect(page.locator(".call--win")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".call--pass")).to_have_text("真的过？")
    assert table.heard == []
    page.keyboard.press("Escape")
    heard(page, table, 1)
    assert table.heard[0]["action"] == {"do": "pass"}


def test_a_hand_is_played_with_the_keyboard(show: Show) -> None:
    page, table = show(FakeTable(moment("turn")), "desktop")
    tiles = page.get_by_role("toolbar", name="手牌").get_by_role("button")
    expect(tiles.first).to_be_visible()
    assert page.locator(".ht[tabindex='0']").count() == 1
    assert (tiles.first.get_attribute("aria-label") or "").endswith("，第1张")
    page.keyboard.press("3")
    expect(tiles.nth(2)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(tiles.nth(1)).to_be_focused()
    expect(tiles.nth(1)).to_have_attribute("aria-pressed", "true")
    wanted = tiles.nth(1).get_attribute("data-tile")
    page.keyboard.press("Enter")
    heard(page, table, 1)
    assert table.heard[0]["action"] == {"do": "discard", "tile": wanted}


def test_keys_call_and_help(show: Show) -> None:
    page, table = show(FakeTable(moment("claim")), "desktop")
    expect(page.locator(".call").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="帮助")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="帮助")).to_be_hidden()
    page.keyboard.press("c")
    expect(page.locator(".call--choice").nth(1)).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    heard(page, table, 1)
    assert table.heard[0]["action"] == {"do": "pong"}


def test_calls_are_announced_and_a_gap_asks_for_a_sync(show: Show) -> None:
    page, table = show(FakeTable(moment("turn")), "phone")
    expect(page.locator(".ht").first).to_be_visible()
    asked = {"on": "ask", "hand": 1, "seq": 0, "ask": "8", "deadline": now() + 9_000, "now": now()}
    table.send({**asked, "actions": [{"do": "pong"}, {"do": "win"}, {"do": "pass"}]})
    expect(page.locator("#called-now")).to_contain_text("可碰、可胡，9秒")
    table.state = moment("crowded")
    skipped = {"kind": "discarded", "seat": 1, "tile": "1m", "drawn": False}
    table.send({"on": "event", "hand": 1, "seq": 9, "event": skipped, "clock": None, "now": now()})
    expect(page.locator(".wall b")).to_have_text(str(moment("crowded").drawable))


def test_the_table_is_light(show: Show) -> None:
    page, _ = show(FakeTable(moment("turn")), "phone")
    expect(page.locator(".ht").first).to_be_visible()
    loaded = page.evaluate(
        "performance.getEntries().filter((one) => 'encodedBodySize' in one).map((one) => [one.name, one.encodedBodySize])"
    )
    assert len(loaded) > 20
    assert sum(size for _, size in loaded) <= 90 * 1024, loaded


def test_the_clock_runs_first_for_the_question_then_from_the_bank(show: Show) -> None:
    table = FakeTable(moment("turn"))
    page, _ = show(table, "phone")
    clock = page.locator(".clock")
    expect(clock).to_have_attribute("data-left", re.compile("^1[012]$"))
    expect(page.locator(".clock__bank")).to_be_hidden()
    frame = table.sync()
    late = {"deadline": now() + 20_000, "reserve": 30_000}
    table.send({**frame, "clock": {**frame["clock"], **late}, "ask": {**frame["ask"], **late}})
    expect(page.locator(".clock__bank")).to_have_text("备用")
    expect(page.locator(".clock__bank")).to_be_visible()
    expect(clock).to_have_attribute("data-left", re.compile("^(20|1[89])$"))


def test_the_account_s_wishes_shape_the_table(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context().new_page()
    sign_up(page, "眼花")
    page.goto("/accounts/profile/")
    for name in ("sounds", "marks", "auto_pass"):
        page.locator(f"[name={name}]").set_checked(name != "sounds")
    page.get_by_label("大", exact=True).check()
    page.locator("[name=marks]").evaluate("(node) => node.form.requestSubmit()")
    expect(page.locator(".message")).to_be_visible()
    page.goto("/")
    page.route_web_socket("**/ws/r/**", FakeTable(moment("crowded")).connected)
    page.get_by_role("button", name="练习").click()
    expect(page.get_by_role("button", name="打开声音").first).to_be_visible()
    expect(page.locator("[data-act=autopass]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".room--marks.room--large .ht[data-mark]").first).to_be_visible()
    check(page)
    shot(page, "wishes")


def test_two_pages_of_one_player_take_the_seat_from_each_other(new_context: Callable[..., BrowserContext]) -> None:
    context = new_context("phone")
    first = context.new_page()
    sign_up(first, "两头忙")
    first.get_by_role("button", name="练习").click()
    expect(first.locator(".own")).to_be_visible()
    second = context.new_page()
    second.goto(first.url)
    expect(second.locator(".own")).to_be_visible()
    for playing, watching in ((second, first), (first, second)):
        expect(watching.locator(".elsewhere")).to_be_visible()
        expect(watching.locator(".own")).to_be_visible()
        expect(playing.locator(".elsewhere")).to_have_count(0)
        expect(playing.locator(".status")).to_contain_text("已连接")
        if watching is first:
            first.get_by_role("button", name="在此继续").click()
