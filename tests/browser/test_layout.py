"""The table's screens at three sizes: nothing scrolls, nothing that is pressed is small or covered. Set SHOTS=folder to look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EDGES, SIZES
from tests.browser.table import FakeTable, moment

Show = Callable[..., tuple[Page, FakeTable]]

MEASURE = """() => {
  const box = (node) => {
    const {left: x, top: y, right: r, bottom: b, width: w, height: h} = node.getBoundingClientRect();
    return {name: `${node.className} ${node.ariaLabel ?? ''}`, x, y, r, b, w, h};
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility()).map(box);
  const root = document.scrollingElement;
  return {
    scroll: [root.scrollWidth - innerWidth, root.scrollHeight - innerHeight],
    width: innerWidth, height: innerHeight,
    targets: all('.ht, .call, .switch, .slot, .pond__done'),
    hand: all('.ht'), actions: all('.call, .switch, .calls__tile, .waits__list'),
    rivers: all('.river .tl'), melds: all('.seat .meld, .melds--own .meld'),
    plates: all('.plate'), middle: all('.compass, .pond'), badges: all('.seat .badge'),
  };
}"""
SCROLL = "[document.scrollingElement.scrollWidth - innerWidth, document.scrollingElement.scrollHeight - innerHeight]"
CUT = """(nodes) => nodes.filter((node) => {
  const range = document.createRange();
  range.selectNode(node.lastChild);
  return range.getBoundingClientRect().width > node.clientWidth + 1;
}).map((node) => node.textContent)"""
FINISHED = """Promise.all(document.getAnimations()
  .filter((one) => one.effect.getTiming().iterations === 1).map((one) => one.finished))"""


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """More than a pixel and a half in both directions."""
    wide = min(one["r"], other["r"]) - max(one["x"], other["x"])
    high = min(one["b"], other["b"]) - max(one["y"], other["y"])
    return wide > 1.5 and high > 1.5


def settled_animations(page: Page) -> None:
    page.evaluate(FINISHED)


def check(page: Page) -> None:
    """Inside the screen, large enough, and nothing over anything else."""
    settled_animations(page)
    found = page.evaluate(MEASURE)
    assert found["scroll"] == [0, 0]
    groups = {name: found[name] for name in ("hand", "actions", "rivers", "melds", "plates", "middle", "badges")}
    for name, boxes in groups.items():
        for one in boxes:
            inside = (
                one["x"] > -1 and one["y"] > -1 and one["r"] < found["width"] + 1 and one["b"] < found["height"] + 1
            )
            assert inside, f"{name} reaches out of the screen: {one}"
    for one in found["targets"]:
        assert min(one["w"], one["h"]) >= 44, f"too small to press: {one}"
    names = list(groups)
    for at, name in enumerate(names):
        for other in names[at:]:
            for one in groups[name]:
                for two in groups[other]:
                    if one is not two:
                        assert not overlap(one, two), f"{name} over {other}: {one} {two}"


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["fishing", "turn", "ready", "kong", "claim", "win", "crowded"])
def test_nothing_scrolls_is_small_or_covered(show: Show, name: str, size: str) -> None:
    page, _ = show(FakeTable(moment(name)), size)
    expect(page.locator(".pond" if name == "fishing" else ".hand .ht").first).to_be_visible()
    if name == "ready":
        page.locator(".ht--ready").last.click()
        expect(page.locator(".waits__list .wait").first).to_be_visible()
    check(page)
    shot(page, f"{name}-{size}")


@pytest.mark.parametrize("size", EDGES)
@pytest.mark.parametrize("name", ["claim", "crowded"])
def test_the_edges_of_what_fits(show: Show, name: str, size: str) -> None:
    page, _ = show(FakeTable(moment(name)), size)
    check(page)
    shot(page, f"{name}-{size}")
    if size == "laptop":
        assert page.locator(".plate__name").evaluate_all(CUT) == []


@pytest.mark.parametrize("size", ["phone", "landscape"])
def test_long_names_can_be_read(show: Show, size: str) -> None:
    table = FakeTable(moment("crowded"))
    for seat in table.room["seats"]:
        seat["name"] = "柳江边螺蛳粉店"
    page, _ = show(table, size)
    check(page)
    shot(page, f"names-{size}")
    cut = "(nodes) => nodes.filter((node) => node.scrollHeight > node.clientHeight + 1).length"
    assert page.locator(".plate__name").evaluate_all(cut) == 0


@pytest.mark.parametrize("size", SIZES)
def test_variants_of_a_chow_are_pictures(show: Show, size: str) -> None:
    page, table = show(FakeTable(moment("claim")), size)
    page.click("[data-call=chow]")
    choices = page.locator(".call--choice")
    expect(choices.nth(1)).to_be_visible()
    assert choices.first.locator(".tl").count() == 3
    check(page)
    shot(page, f"choices-{size}")
    choices.first.click()
    expect(choices.first).to_be_hidden()
    assert table.heard[-1]["action"]["do"] == "chow"


@pytest.mark.parametrize("size", SIZES)
def test_settlement_shows_every_line_and_the_way_on(show: Show, size: str) -> None:
    table = FakeTable(moment("settled"), status="between")
    page, _ = show(table, size)
    dialog = page.get_by_role("dialog", name="结算")
    expect(dialog).to_be_visible()
    for kind in ("胡牌", "三比", "杠", "鱼"):
        expect(dialog.get_by_role("rowheader", name=kind, exact=True).first).to_be_attached()
    settled_animations(page)
    assert page.evaluate(SCROLL) == [0, 0]
    box = dialog.bounding_box()
    ready = dialog.get_by_role("button", name="准备")
    assert box
    assert 0 <= box["y"] <= SIZES[size][1] - box["height"]
    assert (ready.bounding_box() or {})["height"] >= 44
    shot(page, f"settled-{size}")
    dialog.get_by_role("button", name="看牌面", exact=True).click()
    expect(dialog).to_be_hidden()
    check(page)
    shot(page, f"open-{size}")
    page.locator(".between").get_by_role("button", name="准备").click()
    expect(page.locator(".between")).to_be_visible()
    assert len(table.heard[-1]["nonce"]) == 32


@pytest.mark.parametrize("size", SIZES)
def test_waiting_room(show: Show, size: str) -> None:
    table = FakeTable(status="waiting")
    page, _ = show(table, size)
    expect(page.get_by_role("button", name="准备")).to_be_visible()
    assert page.evaluate(SCROLL) == [0, 0]
    assert page.locator(".chair--away").count() == 1
    expect(page.locator(".chips")).to_contain_text("房主付 2 张房卡")
    code = page.get_by_role("img", name="二维码")
    expect(code).to_be_visible()
    page.evaluate("document.querySelector('.waitroom__qr').decode()")  # refused if it is no picture
    shot(page, f"waiting-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_reconnecting_freezes_the_table(show: Show, size: str, complaints: list[str]) -> None:
    table = FakeTable(moment("turn"))
    page, _ = show(table, size)
    expect(page.locator(".status")).to_contain_text("已连接")
    table.deaf = True
    assert table.socket
    table.socket.close(code=1012)
    expect(page.locator(".status")).to_contain_text("重连中")
    expect(page.locator(".felt--stale")).to_be_visible()
    check(page)
    shot(page, f"reconnecting-{size}")
    table.deaf = False
    expect(page.locator(".status")).to_contain_text("已连接")
    expect(page.locator(".felt--stale")).to_have_count(0)
    complaints.clear()  # the browser itself reports lines that failed


@pytest.mark.parametrize("size", SIZES)
def test_final_table(show: Show, size: str) -> None:
    history = [{"hand": n, "no": n, "score": [6, -2, -5, 1], "state": "settled"} for n in range(1, 5)]
    page, _ = show(FakeTable(status="done", hands_played=4, history=history), size)
    expect(page.get_by_role("heading", name="总成绩")).to_be_visible()
    expect(page.locator(".podium__one--best")).to_contain_text("小柳")
    assert page.locator(".matrix tbody tr").count() == 4
    expect(page.locator(".matrix tbody a").first).to_have_attribute("href", "/hands/1/")
    shot(page, f"final-{size}")


@pytest.mark.parametrize("size", [*SIZES, "small"])
@pytest.mark.parametrize("name", ["fishing", "claim", "settled"])
def test_who_only_watches_is_told_so_beside_the_hand(show: Show, name: str, size: str) -> None:
    page, table = show(FakeTable(moment(name), status="between" if name == "settled" else "playing"), size)
    expect(page.locator(".own")).to_be_visible()
    table.send({"on": "error", "id": None, "code": "elsewhere", "text": ""})
    notice = page.locator("#settlement .elsewhere" if name == "settled" else ".own .elsewhere")
    expect(notice).to_contain_text("只能观看")
    expect(page.locator(".status")).to_contain_text("他处登录")
    expect(page.locator(".call, .switch")).to_have_count(0)
    settled_animations(page)
    shot(page, f"elsewhere-{name}-{size}")
    assert page.evaluate(SCROLL) == [0, 0]
    own = notice.bounding_box()
    assert own
    here = {"x": own["x"], "y": own["y"], "r": own["x"] + own["width"], "b": own["y"] + own["height"]}
    assert here["b"] <= {**SIZES, **EDGES}[size][1]
    found = page.evaluate(MEASURE)
    if name != "settled":
        for group in ("hand", "targets", "middle", "melds", "plates", "rivers"):
            for one in found[group]:
                assert not overlap(here, one) or ".own--fish" in str(one), one
    button = notice.get_by_role("button", name="在此继续").bounding_box()
    assert button
    assert button["height"] >= 44
