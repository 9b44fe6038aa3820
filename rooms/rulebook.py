"""规则 pages: what the engine's own data and `settle` say about a preset — options, types with example hands and their
values, worked settlements, fish, the next dealer. The prose around it is templates/rules/{zh,en}. Pure.

Every number of an example is that of a case the calculator shows too: the page links it, and a test settles it again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from liuzhou.rules.options import SCHEMA, Options
from liuzhou.rules.patterns import KONG_DISCARD, KONG_FLOWER, ROBBED_KONG, TYPE_NAMES
from liuzhou.rules.presets import PRESETS, Preset
from liuzhou.rules.score import End, next_dealer
from rooms.calculator import Entry, settle_entry
from rooms.explain import SEAT_NAMES, Line, MeldDrawn, Text, explain_lines, explain_wins, option_name, tell, value_name
from rooms.rule_examples import MULTIPLIERS, TYPES, TYPES_TOGETHER, WORKED, Sample
from rooms.rule_fish import bomb_rows, follow_rows, hit_row, pond_rows
from rooms.stakes import BRACKETS

SHOUTING = 3  # the most winners of one discard


class Worth(NamedTuple):
    """A value and the case it was settled from."""

    condition: Text  # under which option, where it matters
    value: int
    query: str


class TypeShown(NamedTuple):
    """A type (or several together) with an example hand and what it is worth."""

    names: tuple[Text, ...]
    note: Text
    hand: tuple[str, ...]
    melds: tuple[MeldDrawn, ...]
    tile: str
    discard_label: Text
    discard: tuple[Worth, ...]
    self_draw: tuple[Worth, ...]


class WorkedShown(NamedTuple):
    """A worked settlement: what happened, its lines and totals."""

    title: Text
    lines: list[Line]
    totals: list[tuple[Text, int]]
    query: str


class OptionShown(NamedTuple):
    name: str
    values: list[tuple[str, bool]]  # the value, and whether it is the default


class Section(NamedTuple):
    anchor: str
    title: Text


def rulebook(preset: str) -> dict[str, Any]:
    """The template context of a preset's page in the current language: settled once, then kept."""
    return dict(_book(preset, get_language() or ""))


@lru_cache(maxsize=8)
def _book(preset: str, language: str) -> dict[str, Any]:
    rules = PRESETS[preset]
    options = Options.parse(preset)
    return {
        "rules": rules,
        "name": tell((rules.zh, rules.en)),
        "options": options,
        "reds": rules.choices.get("wild_red"),
        "sections": sections(rules),
        "types": [shown for sample in TYPES if (shown := show(sample, preset))],
        "together": [shown for sample in TYPES_TOGETHER if (shown := show(sample, preset))],
        "multipliers": [shown for sample in MULTIPLIERS if (shown := show(sample, preset))],
        "worked": worked(preset),
        "option_table": option_table(preset),
        "pond_rows": pond_rows() if "pond" in SCHEMA[preset]["fish"].values else [],
        "hit_row": hit_row() if "159" in SCHEMA[preset]["fish"].values else None,
        "follow_rows": follow_rows() if "follow" in SCHEMA[preset]["fish"].values else [],
        "bomb_rows": bomb_rows() if "bomb" in SCHEMA[preset]["fish"].values else [],
        "dealers": dealer_table(options),
        "brackets": BRACKETS if {each.base for each in BRACKETS} <= set(SCHEMA[preset]["base"].values) else (),
        "presets": PRESETS.values(),
    }


def sections(rules: Preset) -> list[Section]:
    """The contents list; a section that a preset has nothing for is left out."""
    listed = [
        Section("goal", _("目标")),
        Section("tiles", _("牌和牌墙")),
        Section("turn", _("行牌、吃碰胡")),
        Section("kongs", _("杠和杠分")),
        Section("missed", _("漏碰漏胡")),
        Section("types", _("胡牌牌型和分值")),
        Section("pays", _("谁付")),
        Section("sanbi", _("三包")),
        Section("fish", _("钓鱼")),
        Section("dealer", _("下一局庄家")),
        Section("options", _("选项")),
        Section("auto", _("托管、逃跑")),
        Section("proof", _("洗牌可查")),
    ]
    return [each for each in listed if each.anchor != "missed" or rules.missed_pong or rules.missed_win != "none"]


def show(sample: Sample, preset: str) -> TypeShown | None:
    """The sample with the values settled under this preset; None where the preset does not have it."""
    if not sample.is_in(PRESETS[preset]):
        return None
    entry = sample.entry(preset)
    case, settlement = settle_entry(entry)
    win = explain_wins(case, settlement)[0]
    discard = _worths(entry.with_values(end="discard", last=""), preset) if sample.by_discard else ()
    if sample.only_robbed:
        discard = _worths(entry, preset)
    drawn = entry.with_values(end="self_draw", after=sample.after if sample.end == "self_draw" else "")
    self_draw = _worths(drawn, preset) if sample.by_self_draw else ()
    names = tuple(tell(TYPE_NAMES[each]) for each in sample.types) or (_("基本胡"),)
    label = _("补杠者付") if sample.only_robbed else _("点炮")
    return TypeShown(sample.called or names, sample.note, win.hand, win.melds, win.tile, label, discard, self_draw)


def _worths(entry: Entry, preset: str) -> tuple[Worth, ...]:
    """The value under each cap the preset offers, caps of the same value together; without a condition where all agree."""
    if "cap" not in SCHEMA[preset]:
        return (_worth(entry, ""),)
    by_value: dict[int, tuple[list[str], Worth]] = {}
    for cap in SCHEMA[preset]["cap"].values:
        worth = _worth(entry.with_values(cap=str(cap)), "")
        by_value.setdefault(worth.value, ([], worth))[0].append(str(cap))
    if len(by_value) == 1:
        return (_worth(entry, ""),)
    return tuple(worth._replace(condition=_caps(caps)) for caps, worth in by_value.values())


def _worth(entry: Entry, condition: Text) -> Worth:
    _case, settlement = settle_entry(entry)
    return Worth(condition, settlement.wins[0].value, entry.query())


def _caps(caps: list[str]) -> str:
    """封顶 4、6，无限番."""
    numbers = [cap for cap in caps if cap != "none"]
    told = [_("封顶 %(n)s") % {"n": _("、").join(numbers)}] if numbers else []
    return _("，").join([*told, *([value_name("cap", "none")] if "none" in caps else [])])


def worked(preset: str) -> dict[str, list[WorkedShown]]:
    """The worked settlements by the section they stand in."""
    found: dict[str, list[WorkedShown]] = {}
    for sample in WORKED:
        if not sample.is_in(PRESETS[preset]):
            continue
        entry = sample.entry(preset)
        case, settlement = settle_entry(entry)
        totals = [(SEAT_NAMES[seat], points) for seat, points in enumerate(settlement.points)]
        shown = WorkedShown(sample.note, explain_lines(case, settlement), totals, entry.query())
        found.setdefault(sample.section, []).append(shown)
    return found


def option_table(preset: str) -> list[OptionShown]:
    return [
        OptionShown(option_name(name), [(value_name(name, value), value == choice.default) for value in choice.values])
        for name, choice in SCHEMA[preset].items()
    ]


def dealer_table(options: Options) -> list[tuple[Text, Text]]:
    """Who deals next for one, two and three winners and after a draw, asked of the engine."""
    rows: list[tuple[Text, Text]] = []
    for winners, label in ((1, _("一家胡")), (2, _("两家胡")), (3, _("三家胡"))):
        source = SHOUTING
        deals = next_dealer(options, 0, End("discard", 0, source, tuple(range(winners))))
        first = _("胡家") if winners == 1 else _("放炮者下家起第一个胡的")
        rows.append((label, _("放炮者") if deals == source else first))
    stays = next_dealer(options, 1, End("draw")) == 1
    return [*rows, (_("流局"), _("连庄") if stays else _("下家"))]


def comparison() -> list[tuple[Text, list[Text]]]:
    """The three rule sets side by side, from their data."""
    presets = list(PRESETS.values())

    def yes(flag: bool) -> Text:
        return _("有") if flag else "–"

    def words(name: str, preset: Preset) -> Text:
        return _("、").join(value_name(name, value) for value in preset.choices[name].values)

    missed = {"none": "–", "tile": _("同一张"), "all": _("任何一张")}
    doubles = {"always": _("翻倍"), "option": _("可选翻倍"), "never": "–"}
    return [
        (_("人数"), [words("players", each) for each in presets]),
        (_("钓鱼"), [words("fish", each) for each in presets]),
        (_("门清"), [doubles[each.concealed_doubles] for each in presets]),
        (_("自摸封顶"), [words("cap", each) if "cap" in each.choices else str(each.self_cap) for each in presets]),
        (tell(TYPE_NAMES[KONG_FLOWER]), [yes(True) for _each in presets]),
        (tell(TYPE_NAMES[KONG_DISCARD]), [yes(each.kong_discard) for each in presets]),
        (tell(TYPE_NAMES[ROBBED_KONG]), [yes(each.rob_kong) for each in presets]),
        (_("海底捞月"), [yes(each.last_tile_doubles) for each in presets]),
        (_("漏胡不能胡"), [missed[each.missed_win] for each in presets]),
        (_("漏碰不能碰"), [yes(each.missed_pong) for each in presets]),
        (option_name("wild_red"), [yes("wild_red" in each.choices) for each in presets]),
    ]
