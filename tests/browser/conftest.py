"""A real site with its production static files, one Chromium, players signed up through the pages, and tables fed by hand.

Nothing here touches the ORM while the browser is there: Playwright's loop runs in this thread. For the same reason
it is gone when the package's tests are over, before those of other packages want the database."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from rooms.trial import started_site
from tests.browser.table import FakeTable

EDGES = {"small": (360, 640), "laptop": (1280, 800)}  # the smallest phone, and the narrowest screen with a side panel
SIZES = {"phone": (390, 844), "landscape": (844, 390), "desktop": (1440, 900)}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PASSWORD = "willow-tiles-8"
PATIENCE_MS = 15_000


@pytest.fixture(scope="package")
def site(django_db_setup: None, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`manage.py play` on the tests' servers, with the product's settings: hashed static files, CSP, argon2."""
    environment = {"DJANGO_SETTINGS_MODULE": "liuzhou.settings"}
    environment |= {name: os.environ[name] for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")}
    folder: Path = tmp_path_factory.mktemp("browser-site")
    with started_site(folder, environment, print) as url:
        yield url


@pytest.fixture(scope="package")
def browser(chromium: str, site: str) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Script errors and console errors of every page of a test; a test that ends with any fails."""
    heard: list[str] = []
    yield heard
    assert heard == []


@pytest.fixture
def new_context(browser: Browser, site: str, complaints: list[str]) -> Iterator[Callable[..., BrowserContext]]:
    opened: list[BrowserContext] = []

    def make(size: str = "phone", **options: object) -> BrowserContext:
        width, height = {**SIZES, **EDGES}[size]
        options = {"locale": "zh-CN", "has_touch": size not in ("desktop", "laptop"), **options}
        context = browser.new_context(base_url=site, viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()


@pytest.fixture(scope="package")
def signed_in(browser: Browser, site: str) -> dict[str, object]:
    """The cookies of a player who signed up once for all the tests that need just anybody."""
    context = browser.new_context(base_url=site, locale="zh-CN")
    sign_up(context.new_page(), "小柳")
    state = context.storage_state()
    context.close()
    return state  # type: ignore[return-value]


def sign_up(page: Page, nickname: str) -> None:
    page.goto("/accounts/signup/")
    page.fill("[name=username]", f"u{uuid.uuid4().hex[:12]}")
    page.fill("[name=nickname]", nickname)
    for name in ("password1", "password2"):
        if page.locator(f"[name={name}]").count():
            page.fill(f"[name={name}]", PASSWORD)
    page.click("main button.button--main")
    page.wait_for_url("**/")


@pytest.fixture(scope="package")
def room_code(browser: Browser, site: str, signed_in: dict[str, object]) -> str:
    """A practice room of the signed-in player: its page is what the hand-fed tables are shown on."""
    context = browser.new_context(base_url=site, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/")
    page.click(".door--main button")
    page.wait_for_url("**/r/*/")
    code = page.url.rstrip("/").rsplit("/", 1)[1]
    context.close()
    return code


@pytest.fixture
def show(
    new_context: Callable[..., BrowserContext], signed_in: dict[str, object], room_code: str
) -> Callable[..., tuple[Page, FakeTable]]:
    """show(table, size): the room's page at that size, its socket answered by `table`."""

    def open_table(table: FakeTable, size: str) -> tuple[Page, FakeTable]:
        page = new_context(size, storage_state=signed_in).new_page()
        page.route_web_socket("**/ws/r/**", table.connected)
        page.goto(f"/r/{room_code}/")
        expect(page.locator(".bar")).to_be_visible()
        return page, table

    return open_table
