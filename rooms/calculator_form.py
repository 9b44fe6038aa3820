"""算分器's form as what its template draws: fields from the engine's own option table, values as they were entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from liuzhou.rules.options import FLIP_COUNTED, SCHEMA
from liuzhou.rules.presets import PRESETS
from rooms.calculator import ENDS, SEATS, Entry, choice_text
from rooms.explain import SEAT_NAMES, Text, option_name, tell, value_name


class Option(NamedTuple):
    """One choice of a field."""

    value: str
    label: Text
    chosen: bool


class Field(NamedTuple):
    name: str
    label: Text
    choices: tuple[Option, ...]
    error: str = ""


class SeatField(NamedTuple):
    """A seat's three lines of text. `off`: there is no such seat with so few players."""

    number: int
    name: Text
    hand: str
    melds: str
    fish: str
    hand_error: str
    melds_error: str
    fish_error: str
    off: bool
    wins: bool
    feeds: bool


def schema_name(entry: Entry) -> str:
    """The preset whose options the form shows; the first where the entry names none that exists."""
    return entry.get("preset") if entry.get("preset") in SCHEMA else next(iter(SCHEMA))


def preset_tabs(entry: Entry) -> list[Option]:
    return [Option(p.name, tell((p.zh, p.en)), p.name == schema_name(entry)) for p in PRESETS.values()]


def chosen_text(entry: Entry, name: str) -> str:
    """An option as it stands: what was entered, else the default."""
    return entry.get(name) or choice_text(SCHEMA[schema_name(entry)][name].default)


def option_fields(entry: Entry, errors: Mapping[str, str]) -> list[Field]:
    """A field for each option that leaves a choice, from the options' SCHEMA."""
    return [
        Field(
            name,
            option_name(name),
            tuple(
                Option(choice_text(value), value_name(name, value), choice_text(value) == chosen_text(entry, name))
                for value in choice.values
            ),
            errors.get(name, ""),
        )
        for name, choice in SCHEMA[schema_name(entry)].items()
        if len(choice.values) > 1
    ]


def ending_fields(entry: Entry) -> list[Option]:
    names = {"discard": _("点炮"), "self_draw": _("自摸"), "robbed_kong": _("抢杠胡"), "draw": _("流局")}
    allowed = [kind for kind in ENDS if kind != "robbed_kong" or PRESETS[schema_name(entry)].rob_kong]
    return [Option(kind, names[kind], kind == entry.get("end")) for kind in allowed]


def player_count(entry: Entry) -> int:
    text = chosen_text(entry, "players")
    return int(text) if text in ("2", "3") else SEATS


def seat_fields(entry: Entry, errors: Mapping[str, str]) -> list[SeatField]:
    return [
        SeatField(
            number,
            SEAT_NAMES[number - 1],
            entry.get(f"h{number}"),
            entry.get(f"m{number}"),
            entry.get(f"f{number}"),
            errors.get(f"h{number}", ""),
            errors.get(f"m{number}", ""),
            errors.get(f"f{number}", ""),
            number > player_count(entry) and not any(entry.get(f"{letter}{number}") for letter in "hmf"),
            str(number) in entry.winners,
            str(number) == entry.get("from"),
        )
        for number in range(1, SEATS + 1)
    ]


def text_fields(entry: Entry, errors: Mapping[str, str]) -> dict[str, object]:
    """The rest: the winning tile, the kong before it, the turned tiles, and which of them this game has."""
    preset, fish = PRESETS[schema_name(entry)], chosen_text(entry, "fish")
    return {
        **{name: entry.get(name) for name in ("tile", "after", "last", "wall")},
        "meld_numbers": [
            Option(str(n), _("第 %(n)d 副") % {"n": n}, str(n) == entry.get("after")) for n in range(1, 5)
        ],
        "has_pond": fish == "pond",
        "has_wall": fish in (*FLIP_COUNTED, "bomb") or bool(entry.get("wall")),
        "has_last": preset.last_tile_doubles,
        "general_error": errors.get("", ""),
    }
