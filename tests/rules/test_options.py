"""Options: RULES 10's table as it is, and every refusal naming the option, the value and what is allowed."""

import pytest

from liuzhou.rules.errors import OptionError
from liuzhou.rules.options import SCHEMA, Options
from liuzhou.rules.presets import OPTION_NAMES, PRESETS
from liuzhou.rules.tiles import RED


def test_defaults() -> None:
    for preset in ("classic", "baike"):
        assert Options.parse(preset) == Options(preset, 4, 1, "pond")
    assert Options.parse("tiantian", {}) == Options("tiantian", 4, 1, "none", 2, 2, False, False, False, False)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_listed_value_is_taken_and_round_trips(preset: str) -> None:
    for name, choice in SCHEMA[preset].items():
        assert choice.default in choice.values
        assert name in OPTION_NAMES
        for value in choice.values:
            options = Options.parse(preset, {name: value})
            assert options.as_json()[name] == value
            assert Options.parse(preset, options.as_json()) == options


def test_cap_and_fish_also_as_integers() -> None:
    assert Options.parse("tiantian", {"cap": 4}).cap == 4
    assert Options.parse("tiantian", {"cap": "none"}).cap is None
    assert Options.parse("tiantian", {"fish": 159}).fish == "159"


ROOM_REFUSALS: list[tuple[str, object]] = [
    ("fish", "pond"),
    ("players", 5),
    ("players", "4"),
    ("players", True),
    ("base", 3),
    ("base", True),
    ("base", 1.0),
    ("fish_count", 0),
    ("fish_count", 11),
    ("cap", None),
    ("cap", 3),
    ("cap", ["2"]),
    ("concealed", 1),
    ("fish", {}),
    ("no_dots", "on"),
    ("colour", "red"),
]


@pytest.mark.parametrize(
    ("preset", "given", "named"),
    [
        *(("tiantian", {name: value}, name) for name, value in ROOM_REFUSALS),
        ("classic", {"cap": "2"}, "cap"),
        ("baike", {"concealed": True}, "concealed"),
        ("classic", {"fish": "159"}, "fish"),
        ("classic", {"wild_red": False}, "wild_red"),
        ("classic", {"players": 3}, "players"),
        ("classic", {"base": 2}, "base"),
        ("classic", [], "options"),
        ("classic", "x", "options"),
        ("nowhere", {}, "preset"),
        (None, {}, "preset"),
        (["classic"], {}, "preset"),
    ],
)
def test_refusals(preset: object, given: object, named: str) -> None:
    with pytest.raises(OptionError) as caught:
        Options.parse(preset, given)
    error = caught.value
    assert error.option == named
    assert named in error.zh
    assert named in error.en
    for allowed in error.allowed[:3]:
        told = {True: "true", False: "false"}.get(allowed, allowed) if isinstance(allowed, bool) else allowed
        assert str(told) in error.zh
        assert str(told) in error.en


def test_brackets_of_the_coin_lobby() -> None:
    assert Options.parse("classic", {}, bracket=1000).base == 1000
    assert Options.parse("baike", {"base": 10}, bracket=10).base == 10
    for preset, given, bracket in (("tiantian", {}, 10), ("classic", {}, 1), ("classic", {"base": 10}, 100)):
        with pytest.raises(OptionError):
            Options.parse(preset, given, bracket=bracket)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({}, 136),
        ({"no_dots": True}, 100),
        ({"no_honors": True}, 108),
        ({"no_honors": True, "wild_red": True}, 112),
        ({"no_honors": True, "no_dots": True}, 72),
        ({"no_honors": True, "no_dots": True, "wild_red": True}, 76),
        ({"wild_red": True}, 136),
    ],
)
def test_tiles_in_play(given: dict[str, object], count: int) -> None:
    options = Options.parse("tiantian", given)
    assert options.tile_count == count == 4 * options.kinds_mask.bit_count()
    assert (RED in options.kinds) == ("wild_red" in given or "no_honors" not in given)
    assert options.wild == (RED if "wild_red" in given else -1)


def test_reserve() -> None:
    for fish, reserve in (("none", 0), ("159", 7), ("follow", 7), ("bomb", 1)):
        assert Options.parse("tiantian", {"fish": fish, "fish_count": 7}).reserve == reserve
    assert Options.parse("classic").reserve == 0


def test_the_smallest_wall_is_legal_with_the_most_fish() -> None:
    options = Options.parse("tiantian", {"no_dots": True, "no_honors": True, "fish": "159", "fish_count": 10})
    assert options.tile_count - 53 - options.reserve == 9


def test_fish_must_leave_a_drawable_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    # no combination of RULES 10 gets there, so the hands are made larger for the check to be seen
    monkeypatch.setattr("liuzhou.rules.options.HAND_SIZE", 16)
    given = {"no_dots": True, "no_honors": True, "fish": "159", "fish_count": 6}
    assert Options.parse("tiantian", given).fish_count == 6
    with pytest.raises(OptionError) as caught:
        Options.parse("tiantian", {**given, "fish_count": 7})
    assert caught.value.option == "fish_count"
    assert caught.value.allowed == (1, 2, 3, 4, 5, 6)
