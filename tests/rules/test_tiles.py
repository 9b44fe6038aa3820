"""Notation: it round-trips, and refuses what it is not."""

import pickle
import random

import pytest

from liuzhou.rules.errors import NotationError, OptionError, RuleError, shown
from liuzhou.rules.tiles import (
    KINDS,
    NAMES,
    NAMES_ZH,
    RED,
    format_tiles,
    format_wall,
    parse_tile,
    parse_tiles,
    parse_wall,
)


def test_names() -> None:
    assert len(NAMES) == len(NAMES_ZH) == KINDS
    assert (NAMES[0], NAMES[8], NAMES[9], NAMES[18], NAMES[27], NAMES[RED]) == ("1m", "9m", "1p", "1s", "1z", "7z")
    assert (NAMES_ZH[0], NAMES_ZH[17], NAMES_ZH[27], NAMES_ZH[31], NAMES_ZH[RED]) == ("一万", "九筒", "东", "白", "中")


def test_written_order_is_kept_and_formatting_sorts() -> None:
    assert parse_tiles("55z321m") == (31, 31, 2, 1, 0)
    assert format_tiles(parse_tiles("55z321m9s")) == "123m9s55z"
    assert format_wall(parse_wall("6m8s5m")) == "6m8s5m"
    assert parse_tiles("") == ()
    assert format_tiles(()) == ""
    assert format_wall(()) == ""
    assert parse_tile("7z") == RED


@pytest.mark.parametrize("seed", range(20))
def test_round_trip(seed: int) -> None:
    tiles = random.Random(seed).choices(range(KINDS), k=seed)
    assert parse_tiles(format_tiles(tiles)) == tuple(sorted(tiles))
    assert parse_wall(format_wall(tiles)) == tuple(tiles)


@pytest.mark.parametrize(
    "text",
    [
        "m",
        "1",
        "0m",
        "8z",
        "9z",
        "1x",
        "12",
        "1m2",
        " 1m",
        "1M",
        "1m 2m",
        "１m",
        "-1m",
        "1mm",
        None,
        5,
        ["1m"],
        True,
        "\ud800",
        "1m\n",
    ],
)
def test_refusals(text: object) -> None:
    with pytest.raises(NotationError) as caught:
        parse_tiles(text)
    assert caught.value.zh
    assert caught.value.en
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["", "12m", "1m1m", None])
def test_exactly_one_tile(text: object) -> None:
    with pytest.raises(NotationError):
        parse_tile(text)


def test_errors_speak_both_languages_and_survive_pickling() -> None:
    error = RuleError("code", "中文", "English")
    assert (error.text("zh-hans"), error.text("en"), str(error)) == ("中文", "English", "中文 / English")
    for each in (error, OptionError("cap", 3, ("2", "4")), NotationError("notation", "甲", "a")):
        assert str(pickle.loads(pickle.dumps(each))) == str(each)


def test_foreign_values_are_shown_short_and_printable() -> None:
    assert len(shown("x" * 1000)) == 60
    assert shown("a\nb") == r"a\nb"
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "<list>"
    assert shown(10**5000) == "<int>"
