"""规则: every preset in both languages, no number that `settle` does not give, and only what the preset has."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs

import pytest
from django.test import Client
from django.utils import translation

from liuzhou.rules.fish import FOLLOWS
from liuzhou.rules.options import SCHEMA
from liuzhou.rules.patterns import TYPE_NAMES
from liuzhou.rules.presets import OPTION_NAMES, PRESETS
from liuzhou.rules.tiles import KIND
from rooms.calculator import Entry, settle_entry
from rooms.explain import RULES
from rooms.rule_examples import MULTIPLIERS, TYPES, TYPES_TOGETHER, Sample
from rooms.rule_fish import bomb_rows, follow_rows, pond_rows
from rooms.rulebook import comparison, rulebook, sections

LANGUAGES = ("zh-hans", "en")
HAN = re.compile(r"[\u4e00-\u9fff]+")
NUMBER = re.compile(r'href="/calculator/\?([^"#]*)#answer" data-value="(\d+)">(\d+)<')
WORKED = re.compile(r'<p class="worked__totals">(.*?)href="/calculator/\?([^"#]*)#answer"', re.S)

pytestmark = pytest.mark.django_db


def page(client: Client, path: str, language: str) -> str:
    response = client.get(path, headers={"accept-language": language})
    assert response.status_code == 200
    return response.content.decode()


def read(query: str) -> Entry:
    return Entry.read(parse_qs(unescape(query)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_number_is_what_settle_gives(client: Client, preset: str, language: str) -> None:
    found = NUMBER.findall(page(client, f"/rules/{preset}/", language))
    assert len(found) > 20
    for query, value, shown in found:
        entry = read(query)
        _, settlement = settle_entry(entry)
        assert entry.get("preset") == preset
        assert settlement.wins[0].value == int(value) == int(shown), query


@pytest.mark.parametrize("preset", PRESETS)
def test_worked_settlements_are_settled(client: Client, preset: str) -> None:
    found = WORKED.findall(page(client, f"/rules/{preset}/", "en"))
    assert len(found) >= 8
    for totals, query in found:
        _, settlement = settle_entry(read(query))
        shown = [int(text.replace("−", "-")) for text in re.findall(r"<b[^>]*>([+−]?\d+)</b>", totals)]
        assert shown == list(settlement.points), query


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sample", [*TYPES, *TYPES_TOGETHER, *MULTIPLIERS])
def test_examples_are_of_the_types_they_are_named_after(sample: Sample, preset: str) -> None:
    if not sample.is_in(PRESETS[preset]):
        return
    _, settlement = settle_entry(sample.entry(preset))
    assert set(settlement.wins[0].types) == set(sample.types)
    if "门清" in map(str, sample.called):
        assert settlement.wins[0].concealed


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_whole(client: Client, preset: str, language: str) -> None:
    text = page(client, f"/rules/{preset}/", language)
    with translation.override(language):
        listed = [section.anchor for section in sections(PRESETS[preset])]
    assert re.findall(r'<section class="card pad" id="(\w+)"', text) == listed
    assert [anchor for anchor in listed if f'href="#{anchor}"' not in text] == []
    assert {anchor for anchor, _ in RULES.values()} <= set(listed)
    english = language == "en"
    for name in SCHEMA[preset]:
        assert OPTION_NAMES[name][english] in text
    assert (TYPE_NAMES["robbed_kong"][english] in text) == PRESETS[preset].rob_kong
    assert "{{" not in text
    assert "{%" not in text


@pytest.mark.parametrize("path", ["/rules/", "/calculator/", *(f"/rules/{preset}/" for preset in PRESETS)])
def test_english_pages_speak_english(client: Client, path: str) -> None:
    """Chinese only where a term is quoted: short, and never a sentence."""
    text = re.sub(r"<[^>]+>", " ", page(client, path, "en").replace('lang="zh-hans"', ""))
    assert [run for run in HAN.findall(text) if len(run) > 3] == []
    assert not re.search(r"[。，；：]", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_compares_all(client: Client, language: str) -> None:
    text = page(client, "/rules/", language)
    for preset in PRESETS.values():
        assert f'href="/rules/{preset.name}/"' in text
    assert all(len(values) == len(PRESETS) for _, values in comparison())


def test_no_such_preset(client: Client) -> None:
    assert client.get("/rules/sichuan/").status_code == 404
    assert client.post("/rules/").status_code == 405


def test_fish_tables_cover_every_tile() -> None:
    for rows in (pond_rows(), bomb_rows(), follow_rows()[0][1]):
        assert sorted(KIND[tile] for row in rows for tile in row.tiles) == list(range(34))
    assert [FOLLOWS[KIND[tile]] for row in pond_rows() for tile in row.tiles] == sorted(FOLLOWS)


def test_only_what_a_preset_has() -> None:
    classic, tiantian = rulebook("classic"), rulebook("tiantian")
    assert not classic["multipliers"]
    assert classic["pond_rows"]
    assert not classic["follow_rows"]
    assert not tiantian["pond_rows"]
    assert not tiantian["brackets"]
    assert {str(row[1]) for row in classic["dealers"][:3]} == {"胡家", "放炮者下家起第一个胡的"}
    assert [str(row[1]) for row in rulebook("baike")["dealers"]] == ["胡家", "放炮者", "放炮者", "连庄"]
