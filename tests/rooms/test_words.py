"""One thing has one name: in the form of a room, on the table, in the calculator, in the rules and on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from liuzhou.rules.presets import OPTION_NAMES, VALUE_NAMES
from rooms.forms import LABELS, VALUES

WORDS = (Path(settings.BASE_DIR) / "static/js/words.js").read_text()


@pytest.mark.parametrize(("option", "value"), list(VALUE_NAMES))
def test_a_value_is_called_alike_everywhere(option: str, value: str) -> None:
    for language, name in zip(("zh-hans", "en"), VALUE_NAMES[option, value], strict=True):
        with translation.override(language):
            assert str(VALUES[option][value]) == name
    assert f'gettext("{VALUE_NAMES[option, value][0]}")' in WORDS


@pytest.mark.parametrize("option", ["concealed", "wild_red", "no_honors", "no_dots", "cap", "base", "players"])
def test_an_option_is_called_alike_in_the_form_and_in_the_rules(option: str) -> None:
    with translation.override("zh-hans"):
        assert str(LABELS[option][0]) == OPTION_NAMES[option][0]
