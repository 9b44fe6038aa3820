"""算分器: what a form says becomes the case that is settled; links, explanations, refusals at their field, variants."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from django.test import Client
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from liuzhou.rules.case import parse_case, settle_case
from liuzhou.rules.errors import CaseError
from liuzhou.rules.options import SCHEMA
from liuzhou.rules.presets import PRESETS
from liuzhou.rules.score import Settlement
from rooms.answer import answer_of
from rooms.calculator import ENDS, FIELDS, Entry, choice_text, entry_of, settle_entry
from rooms.calculator_form import option_fields, preset_tabs, seat_fields
from rooms.explain import RULES, explain_lines, explain_wins, summed

CASES = Path(__file__).parent.parent / "rules" / "cases" / "settle.jsonl"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "settle.jsonl"


def records() -> list[dict[str, Any]]:
    """The golden cases in the tree, and those lying beside it where there are any."""
    files = [path for path in (CASES, SHARED) if path.exists()]
    return [json.loads(line)["case"] for path in files for line in path.read_text().splitlines()]


RECORDS = records()


def reread(entry: Entry) -> Entry:
    return Entry.read(parse_qs(entry.query()))


def rotated(points: tuple[int, ...], dealer: int) -> list[int]:
    """By seat number of the original, from points whose first is the dealer's."""
    return [points[(seat - dealer) % len(points)] for seat in range(len(points))]


@pytest.mark.parametrize("record", RECORDS)
def test_a_link_gives_the_same_settlement(record: dict[str, Any]) -> None:
    entry = entry_of(record)
    case, settlement = settle_entry(reread(entry))
    assert reread(entry).query() == entry.query()
    assert rotated(settlement.points, record["dealer"]) == settle_case(record)["points"]
    explained(entry, settlement)
    assert case.options == parse_case(record).options


def explained(entry: Entry, settlement: Settlement) -> None:
    """The lines add up to the points, the steps end at the value, every line has its rule."""
    case, _ = settle_entry(entry)
    lines = explain_lines(case, settlement)
    assert summed(lines, case.options.players) == settlement.points
    assert all(line.rule in RULES and line.why for line in lines)
    assert [win.steps[-1].value for win in explain_wins(case, settlement)] == [win.value for win in settlement.wins]
    answer = answer_of(entry, case, settlement)
    for variant in answer.changed:
        _, other = settle_entry(Entry.read(parse_qs(variant.query)))
        assert other.score == variant.score
        assert [new - old for new, old in zip(other.score, settlement.score, strict=True)] == list(variant.difference)


def random_entry(rng: random.Random) -> Entry:
    """A win put together at random: sets and a pair for 东家, melds and fish for everybody, under any options."""
    preset = rng.choice(sorted(SCHEMA))
    values = {name: choice_text(rng.choice(choice.values)) for name, choice in SCHEMA[preset].items()}
    players = int(values["players"])
    suits = [suit for suit in "mps" if suit != "p" or values.get("no_dots") != "1"]
    melds: dict[int, list[str]] = {seat: [] for seat in range(1, players + 1)}
    hand: list[str] = []
    for number in range(4):
        low, suit = rng.randrange(1, 8), suits[0] if rng.random() < 0.5 else rng.choice(suits)
        feeder = rng.choice([seat for seat in melds if seat != 1])
        run, same = f"{low}{low + 1}{low + 2}{suit}", str(low + 2) * 3 + suit
        where = rng.random()
        if where < 0.5:
            hand.append(run if rng.random() < 0.5 else same)
        elif where < 0.7:
            melds[1].append(f"c{run}" if rng.random() < 0.4 else f"p{same}{feeder}")
        else:
            kind = rng.choice("dak")
            melds[1].append(f"{kind}{same[0] * 4}{suit}{'' if kind == 'k' else feeder}")
        if number < 2 and rng.random() < 0.4:
            seat = rng.choice(list(melds)[1:])
            melds[seat].append(f"p{rng.choice('123456789') * 3}{rng.choice(suits)}1")
    pair = f"{rng.randrange(1, 10)}{rng.choice(suits)}"
    end = rng.choice([end for end in ENDS if end != "robbed_kong" or PRESETS[preset].rob_kong])
    values |= {"preset": preset, "end": end, "from": str(rng.randrange(2, players + 1)), "last": rng.choice(["", "1"])}
    values |= {"h1": "".join(hand) + pair, "tile": pair, "wall": "1m5s9s3s" if "cap" in values else ""}
    values |= {f"m{seat}": ".".join(own) for seat, own in melds.items()}
    if values["fish"] == "pond":
        values |= {f"f{seat}": rng.choice(["", "1z", "5z6z", "9s"]) for seat in melds}
    kongs = [str(at + 1) for at, meld in enumerate(melds[1]) if meld[0] in "dak"]
    values["after"] = rng.choice(kongs) if kongs and end == "self_draw" and rng.random() < 0.5 else ""
    return Entry(values)


def test_random_hands_are_explained_too() -> None:
    rng, settled, refused = random.Random(20), 0, Counter[str]()
    for _ in range(1500):
        entry = random_entry(rng)
        try:
            _, settlement = settle_entry(entry)
        except CaseError as error:
            refused[error.code] += 1
            continue
        assert settle_entry(reread(entry))[1] == settlement
        explained(entry, settlement)
        settled += 1
    assert settled > 400
    assert set(refused) <= {"copies", "not_in_play", "option_value", "too_many"}


FLUSH = {"preset": "tiantian", "end": "self_draw", "tile": "5m", "h1": "1112223334445m", "win": "1", "cap": "none"}
BASIC = {"preset": "classic", "end": "discard", "from": "3", "tile": "1s", "h1": "123456m789p23s55z", "win": "1"}


def test_losers_hands_are_dealt_from_what_is_left() -> None:
    _, settlement = settle_entry(Entry.read({name: [text] for name, text in FLUSH.items()}))
    assert settlement.points == (12, -4, -4, -4)


def labels(fields: dict[str, str]) -> dict[str, tuple[int, ...]]:
    entry = Entry.read({name: [text] for name, text in fields.items()})
    answer = answer_of(entry, *settle_entry(entry))
    return {variant.label: variant.score for variant in answer.changed}


def test_what_would_have_changed() -> None:
    changed = labels({**FLUSH, "fish": "159", "wall": "2m8s"})
    assert changed["自摸封顶：2"] == (6, -2, -2, -2)
    assert changed["门清翻倍：开"] == (24, -8, -8, -8)
    assert changed["多中一条鱼"] == (24, -8, -8, -8)
    assert changed["南家点炮"] == (6, -6, 0, 0)
    assert labels(BASIC)["东家多一条跟自己的鱼"] == (2, 0, -2, 0)
    assert labels(BASIC)["自摸"] == (3, -1, -1, -1)
    baike = {**BASIC, "preset": "baike", "end": "self_draw", "h1": "456m789p23s55z", "m1": "c123m", "fish": "none"}
    assert labels(baike)["海底捞月"] == (6, -2, -2, -2)


BAD = [
    ({**BASIC, "preset": "sichuan"}, "preset"),
    ({**BASIC, "cap": "2"}, "preset"),
    ({**BASIC, "base": "3"}, "base"),
    ({**BASIC, "fish": "159"}, "fish"),
    ({**FLUSH, "players": "5"}, "players"),
    ({**FLUSH, "players": "3", "m4": "p777z1"}, "players"),
    ({**FLUSH, "fish": "159", "fish_count": "11"}, "fish_count"),
    ({**BASIC, "end": "robbed_kong"}, "end"),
    ({**BASIC, "end": "none"}, "end"),
    ({**BASIC, "tile": ""}, "tile"),
    ({**BASIC, "tile": "12s"}, "tile"),
    ({**BASIC, "tile": "8z"}, "tile"),
    ({**BASIC, "from": ""}, "from"),
    ({**BASIC, "from": "7"}, "from"),
    ({**BASIC, "from": "1"}, "win"),
    ({**BASIC, "win": "²"}, "win"),
    ({**BASIC, "after": "1", "preset": "baike"}, "after"),
    ({**FLUSH, "after": "1"}, "after"),
    ({**BASIC, "h1": "123456m789p23s5z"}, "h1"),
    ({**BASIC, "h1": "123456m789p23s55x"}, "h1"),
    ({**BASIC, "h1": "147m258p369s1234z"}, "h1"),
    ({**BASIC, "h2": "1m"}, "h2"),
    ({**BASIC, "m2": "p555m"}, "m2"),
    ({**BASIC, "m2": "q555m1"}, "m2"),
    ({**BASIC, "m2": "p556m1"}, "m2"),
    ({**BASIC, "m2": "p777m2"}, "m2"),
    ({**BASIC, "m2": "c789s4"}, "m2"),
    ({**BASIC, "m2": "k7777m1"}, "m2"),
    ({**BASIC, "m2": "p888m1.p999m1.p111p1.p222p1.p333p1"}, "m2"),
    ({**BASIC, "m2": "k5555z"}, "m2"),
    ({**BASIC, "f2": "123z"}, "f2"),
    ({**BASIC, "fish": "none", "f2": "1z"}, "f2"),
    ({**FLUSH, "fish": "159", "wall": "5555m"}, "wall"),
    ({**FLUSH, "no_dots": "1", "fish": "159", "wall": "1p"}, "wall"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("fields", "place"), BAD)
@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_a_refusal_stands_at_its_field_and_nothing_is_lost(
    client: Client, fields: dict[str, str], place: str, language: str
) -> None:
    response = client.get("/calculator/", fields, headers={"accept-language": language})
    errors = response.context["errors"]
    assert (response.status_code, list(errors)) == (400, [place])
    page = response.content.decode()
    assert page.count('class="error"') == 1
    assert f'id="at-{place}"' in page
    for name in (name for name in fields if name[0] in "hmf" and name[1:].isdigit()):
        assert f'name="{name}" value="{fields[name]}"' in page


@pytest.mark.django_db
def test_pages_answer_and_shorten(client: Client) -> None:
    assert client.get("/calculator/").status_code == 200
    sent = client.get("/calculator/", {**BASIC, "go": "1", "h2": "", "base": "1"})
    assert sent.status_code == 302
    assert sent["Location"].endswith("#answer")
    answered = client.get(sent["Location"].partition("#")[0])
    assert answered.status_code == 200
    assert answered.context["answer"].totals[0].points == 1
    assert answered.context["link"] in answered.content.decode().replace("&amp;", "&")
    assert client.post("/calculator/").status_code == 405
    empty = client.get("/calculator/", {"go": "1"})
    assert (empty.status_code, list(empty.context["errors"])) == (400, ["tile"])


@pytest.mark.django_db
def test_another_rule_set_keeps_the_tiles(client: Client) -> None:
    sent = client.get("/calculator/", {**BASIC, "fish": "pond", "to": "tiantian"})
    assert parse_qs(sent["Location"].partition("?")[2]) == {
        name: [text] for name, text in {**BASIC, "preset": "tiantian", "edit": "1"}.items()
    }
    unfinished = client.get("/calculator/", {"h1": "12m", "edit": "1"})
    assert (unfinished.status_code, unfinished.context["errors"], unfinished.context["answer"]) == (200, {}, None)


text = st.one_of(
    st.sampled_from(
        ["", "1", "2", "3", "4", "0", "none", "159", "pond", "self_draw", "discard", "robbed_kong", "draw"]
    ),
    st.sampled_from(["classic", "baike", "tiantian", "123456m789p23s55z", "1s", "p555m2", "k7777z.c123m", "11112222m"]),
    st.text(max_size=12),
    st.text("123456789mpszcdak.，碰东 ", max_size=24),
)


@given(st.dictionaries(st.sampled_from([*FIELDS, "win", "to?"]), st.lists(text, min_size=1, max_size=3), max_size=12))
@settings(max_examples=300, deadline=None)
def test_any_query_is_settled_or_refused_at_a_field(query: dict[str, list[str]]) -> None:
    entry = Entry.read(query)
    again = Entry.read(parse_qs(entry.query(), keep_blank_values=True))
    assert again.query() == entry.query() or not entry.query()
    with translation.override("en"):
        errors = {}
        try:
            case, settlement = settle_entry(entry)
        except CaseError as error:
            errors[error.field] = error.text("en")
        else:
            answer_of(entry, case, settlement)
        assert set(errors) <= {*FIELDS, "win", ""}
        assert preset_tabs(entry)
        assert option_fields(entry, errors)
        assert seat_fields(entry, errors)


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_odd_queries_never_break_the_page(client: Client, language: str) -> None:
    rng = random.Random(3)
    pool = ["1", "²", "\x00", "a" * 300, "5" * 400, "<script>", "p555m2", "１", "東", "9z", "none", "🀄"]
    for _ in range(60):
        query = urlencode([(rng.choice([*FIELDS, "win", "go"]), rng.choice(pool)) for _ in range(rng.randrange(1, 7))])
        response = client.get(f"/calculator/?{query}", headers={"accept-language": language}, follow=True)
        assert response.status_code in (200, 400)
        assert b'<script>"' not in response.content
    assert client.get("/calculator/?h1=%ff%fe&win=%80&tile=%00").status_code == 400
