"""Nicknames: what is kept of them, and how wide they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liuzhou.accounts import names


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  螺蛳粉  ", "螺蛳粉"),
        ("Ｄｏｎｇ", "Dong"),
        ("a\u200bb\ufeffc", "abc"),
        ("\u202eabc\u2066", "abc"),
        ("tab\there\nthere", "tab here there"),
        ("\u3000全角　空格\u3000", "全角 空格"),
        ("\u3164\u2800\u115f", ""),
        ("\x00\x07", ""),
        ("Z\u0300\u0301\u0302\u0303algo", "Z\u0300algo"),
        ("\u0301", ""),
        ("é", "é"),
        ("🀄红中", "🀄红中"),
        ("", ""),
    ],
)
def test_what_is_left_of_a_nickname(typed: str, kept: str) -> None:
    assert names.clean_nickname(typed) == kept


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("红中", 4), ("a红", 3), ("🀄", 2), ("e\u0301", 1)])
def test_chinese_counts_two(text: str, width: int) -> None:
    assert names.display_width(text) == width


def test_eight_characters_or_sixteen_letters_fit() -> None:
    assert not names.too_long("一二三四五六七八")
    assert names.too_long("一二三四五六七八九")
    assert not names.too_long("a" * 16)
    assert names.too_long("a" * 17)
    assert names.fit("一二三四五六七八九十") == "一二三四五六七八"
    assert names.fit("a一二三四五六七八九十") == "a一二三四五六七"


@given(st.text(max_size=60))
def test_cleaning_is_stable_and_fitting_fits(text: str) -> None:
    cleaned = names.clean_nickname(text)
    assert names.clean_nickname(cleaned) == cleaned
    assert not names.too_long(names.fit(cleaned))
    assert cleaned == cleaned.strip()
