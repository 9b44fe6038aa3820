"""A player's statement and the audit pages: who sees what, what is found, what is exported and recorded."""

import csv
import io
import re
import zipfile
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from ledger import charts, exports, figures, filters, names, seals, services
from ledger.services import COIN, Line
from ledger.xlsx import workbook
from tests.ledger.conftest import key
from tests.staff import signed_in

pytestmark = pytest.mark.django_db
PAGES = ["", "daily/", "supply/", "largest/", "violations/", "seals/", "exports/"]


@pytest.fixture
def player() -> Any:
    return get_user_model().objects.create_user("dongfeng", password="x", nickname="东风")


@pytest.fixture
def auditor() -> Client:
    user = get_user_model().objects.create_user("auditor", password="x")
    user.groups.add(Group.objects.get(name="auditors"))
    return signed_in(user)  # who may audit proves it by a second factor


@pytest.fixture
def evening(player: Any) -> dict[str, int]:
    """The player sits down with 1,000 coins, loses 340 in one hand, and stands up."""
    services.grant_signup(user_id=player.pk)
    wallet = services.wallet(owner_ref=player.pk, currency=COIN)
    seat, winner = services.seat(owner_ref=player.pk, name="t1"), services.seat(owner_ref=9_000_001, name="t1")
    services.post(kind="sit", key=key(), lines=[Line(wallet, -1_000), Line(seat, 1_000)], room=77)
    lost = [Line(seat, -340), Line(winner, 340)]
    entry = services.post(kind="settlement", key=key(), lines=lines if (lines := lost) else [], hand=4242, room=77)
    services.post(kind="stand", key=key(), lines=[Line(seat, -660), Line(wallet, 660)], room=77)
    return {"entry": entry.id, "hand": 4242, "seat": seat, "wallet": wallet}


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def test_a_player_sees_own_movements_in_plain_words(player: Any, evening: dict[str, int]) -> None:
    client = Client()
    assert client.get("/ledger/").status_code == 302
    client.force_login(player)
    page = text_of(client.get("/ledger/"))
    for words in ("注册赠送", "带入牌桌", "牌局结算", "离桌带回", "−340", "+660", 'href="/hands/4242/"', "1,660"):
        assert words in page
    assert page.count("带入牌桌") == 1  # told once, by the wallet
    assert "注册赠送" in text_of(client.get("/ledger/?currency=CARD"))
    assert "还没有任何往来" in text_of(client.get("/ledger/?currency=POINT"))
    assert "没有更早的往来" in text_of(client.get("/ledger/?before=1"))
    for strange in ("?currency=GOLD", "?before=-1", "?before=x", "?before=" + "9" * 40):
        assert client.get(f"/ledger/{strange}").status_code == 200


def test_another_player_sees_nothing_of_it(evening: dict[str, int]) -> None:
    client = Client()
    client.force_login(get_user_model().objects.create_user("nanfeng", password="x"))
    page = text_of(client.get("/ledger/"))
    assert "340" not in page
    assert client.post("/ledger/").status_code == 405


@pytest.mark.parametrize("page", [*PAGES, "entry/1/", "account/1/", "lines.csv", "daily.csv", "seals.jsonl"])
def test_only_auditors_see_the_audit_pages(player: Any, page: str) -> None:
    client = Client()
    assert client.get(f"/audit/{page}").status_code == 302
    client.force_login(player)
    assert client.get(f"/audit/{page}").status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_open_without_inline_script_or_style(auditor: Client, evening: dict[str, int], page: str) -> None:
    seals.seal()
    content = text_of(auditor.get(f"/audit/{page}"))
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", content)
    looks_anew = page == "violations/"  # the one thing that may be asked for; it changes nothing in the ledger
    assert auditor.post(f"/audit/{page}").status_code == (302 if looks_anew else 405)


def test_why_did_this_player_lose_340_coins(auditor: Client, player: Any, evening: dict[str, int]) -> None:
    found = text_of(auditor.get("/audit/", {"player": "东风", "least": 340, "most": 340}))
    assert f"/audit/entry/{evening['entry']}/" in found
    entry = text_of(auditor.get(f"/audit/entry/{evening['entry']}/"))
    assert 'href="/hands/4242/"' in entry
    assert "东风" in entry
    assert "尚未封签" in entry
    account = text_of(auditor.get(f"/audit/account/{evening['seat']}/"))
    assert "−340" in account
    assert "牌桌座位" in account
    assert auditor.get("/audit/entry/99999999999/").status_code == 404
    assert auditor.get("/audit/account/99999999999/").status_code == 404


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ({"player": "dongfeng"}, 7),
        ({"player": "东风", "currency": "COIN", "kind": "settlement"}, 1),
        ({"hand": 4242}, 2),
        ({"room": 77}, 6),
        ({"player": "东风", "direction": "out", "account_kind": "seat"}, 2),
        ({"player": "东风", "least": 500, "most": 700}, 2),
        ({"player": "东风", "since": "2001-01-01T00:00", "until": "2001-01-02T00:00"}, 0),
        ({"agent": "东风"}, 0),
        ({"player": "不存在的人"}, 0),
    ],
)
def test_lines_are_found_by(auditor: Client, evening: dict[str, int], query: dict[str, Any], lines: int) -> None:
    form = filters.LineFilter(query)
    assert form.lines().count() == lines
    if lines:
        assert "没有符合条件" not in text_of(auditor.get("/audit/", query))
    else:
        assert "没有符合条件" in text_of(auditor.get("/audit/", query))


def test_wrong_filters_are_told_and_find_nothing(auditor: Client, evening: dict[str, int]) -> None:
    for query in ({"hand": "x"}, {"since": "昨天"}, {"least": -1}, {"hand": 2**63}, {"currency": "GOLD"}):
        assert "没有符合条件" in text_of(auditor.get("/audit/", query))
        assert auditor.get("/audit/lines.csv", query).status_code == 404
    for place in ("x", "5", "5.x", "9" * 30 + ".1"):
        assert auditor.get("/audit/", {"after": place}).status_code == 404
    assert auditor.get("/audit/lines.pdf").status_code == 404


def test_the_list_is_turned_page_by_page(auditor: Client, evening: dict[str, int]) -> None:
    mint, grants = services.system("mint", COIN), services.system("grants", COIN)
    for _ in range(60):
        services.post(kind="internal", key=key(), lines=[Line(mint, -1), Line(grants, 1)])
    first = text_of(auditor.get("/audit/", {"kind": "internal"}))
    (after,) = re.findall(r"after=([\d.]+)", first)
    second = text_of(auditor.get("/audit/", {"kind": "internal", "after": after}))
    numbers = [re.findall(r"/audit/entry/(\d+)/", page) for page in (first, second)]
    assert len(numbers[0]) == 50
    assert min(map(int, numbers[0])) >= max(map(int, numbers[1]))


def read(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_exports_are_complete_recorded_and_harmless(auditor: Client, evening: dict[str, int], monkeypatch: Any) -> None:
    monkeypatch.setattr(filters, "BATCH", 2)
    evil = '=HYPERLINK("http://x","点我")'
    wallet = evening["wallet"]
    lines = [Line(services.system("grants", COIN), -1), Line(wallet, 1)]
    services.post(kind="relief", key=key(), lines=lines, reason=evil)
    query = {"player": "东风", "currency": "COIN"}
    rows = list(csv.reader(io.StringIO(read(auditor.get("/audit/lines.csv", query)).decode("utf-8-sig"))))
    assert rows[0][0] == "分录号"
    assert len(rows) == 1 + 7
    assert rows[1][-2] == "'" + evil
    assert "-340" in [row[9] for row in rows]  # numbers stay numbers
    book = zipfile.ZipFile(io.BytesIO(read(auditor.get("/audit/lines.xlsx", query))))
    assert book.testzip() is None
    sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    names_of_tags = {element.tag.split("}")[1] for element in sheet.iter()}
    assert "f" not in names_of_tags
    assert len([element for element in sheet.iter() if element.tag.endswith("}row")]) == 1 + 7
    with connection.cursor() as cursor:
        cursor.execute("SELECT what, format, filters, rows FROM audit.export ORDER BY id DESC LIMIT 2")
        recorded = cursor.fetchall()
    assert [(row[0], row[1], row[3]) for row in recorded] == [("lines", "xlsx", 7), ("lines", "csv", 7)]
    assert "东风" in recorded[0][2]
    page = text_of(auditor.get("/audit/exports/"))
    assert "lines.csv" in page


def test_daily_totals_and_seals_are_exported_too(auditor: Client, evening: dict[str, int]) -> None:
    rows = list(csv.reader(io.StringIO(read(auditor.get("/audit/daily.csv")).decode("utf-8-sig"))))
    day = f"{timezone.localdate()}"
    assert [day, "settlement", "1", "340", "0"] in rows
    seals.seal()
    assert auditor.get("/audit/seals.jsonl")["Content-Type"] == "application/x-ndjson"
    for strange in (
        "?first=2020-01-01&last=2030-01-01",
        "?first=x",
        "?currency=GOLD",
        "?first=2030-01-01&last=2020-01-01",
    ):
        assert auditor.get(f"/audit/daily/{strange}").status_code == 200


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "  =1", "|x", "%x", "＝1"])
def test_texts_that_look_like_formulas_are_quoted(text: str) -> None:
    assert exports.guarded(text) == "'" + text
    assert exports.guarded("东风") == "东风"
    assert exports.guarded(-5) == -5


def test_a_workbook_keeps_texts_and_numbers() -> None:
    cells = [["<b>&\"'", -5, None, 2**60, "a\x00b\x0b", "😀"]]
    book = zipfile.ZipFile(io.BytesIO(b"".join(workbook(cells))))
    sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    found = ["".join(cell.itertext()) for cell in sheet.iter() if cell.tag.endswith("}c")]
    assert found == ["<b>&\"'", "-5", "", str(2**60), "ab", "😀"]


async def test_under_asgi_an_export_is_streamed(auditor: Client) -> None:
    pieces = [piece async for piece in exports._in_thread(iter([b"a", b"b"]))]
    assert pieces == [b"a", b"b"]


def test_charts_have_whole_scales() -> None:
    day = timezone.localdate()
    rows = [{"day": day, "kind": "signup", "moved": 2_500}, {"day": day, "kind": "void", "moved": 10}]
    chart = charts.stacked(rows, names={"signup": "注册赠送"}, first=day, last=day)
    assert [text for _, text in chart.ticks] == ["0", "1,000", "2,000", "3,000", "4,000"]
    assert [name for _, name in chart.legend] == ["注册赠送", "void"]
    assert len(charts.stacked([], names={}, first=day, last=day).ticks) == 5


def test_owners_are_found_by_number_name_or_id(player: Any) -> None:
    for text in (player.number, "东风", "DONGFENG", "dongf", f"#{player.pk}"):
        assert player.pk in names.find_owners(text), text
    assert names.names_of([player.pk, 10**12, None])[10**12] == f"#{10**12}"


def test_the_page_of_violations_shows_the_last_look_and_looks_anew_only_when_asked(
    auditor: Client, player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.delete(figures.KEPT_LOOK)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(figures, "violations", lambda **limits: pytest.fail("a look at the page reads the ledger"))
            assert "还没有检查过" in text_of(auditor.get("/audit/violations/"))
        shown = auditor.post("/audit/violations/", follow=True)
        assert "没有违规" in text_of(shown)
        assert "检查于" in text_of(shown)
        found = {"rule": "negative", "entry": None, "account": 7, "what": "a balance below zero"}
        cache.set(figures.KEPT_LOOK, {"at": timezone.now(), "seconds": 0.1, "count": 1, "rows": [found]})
        assert "a balance below zero" in text_of(auditor.get("/audit/violations/"))
    finally:
        cache.delete(figures.KEPT_LOOK)
    stranger = Client()
    stranger.force_login(player)
    assert stranger.post("/audit/violations/").status_code == 403
