"""What a player prefers at the table: the values there are, their defaults, and how they reach the page."""

from collections.abc import Mapping
from typing import Any, Final

from liuzhou.accounts.errors import BadPreference

# Name: the values, the default first.
SCHEMA: Final[dict[str, tuple[Any, ...]]] = {
    "sounds": (True, False),
    "speech": (False, True),  # calls spoken: UX has it off by default
    "tiles": ("normal", "large"),
    "marks": (False, True),  # suits told apart by marks as well, for colour-blind eyes
    "auto_pass": (False, True),  # what the auto-pass switch is at the start of each hand
    "language": ("", "zh-hans", "en"),  # empty: whatever the browser asks for
}


def complete(stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """Every preference, with its default where nothing, or nothing that is still allowed, is stored."""
    found = stored if isinstance(stored, Mapping) else {}
    return {name: found[name] if _allowed(name, found.get(name)) else values[0] for name, values in SCHEMA.items()}


def checked(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The preferences if each is known and allowed. BadPreference names what is not."""
    for name, value in wanted.items():
        if not _allowed(name, value):
            allowed = " / ".join(map(str, SCHEMA.get(name, ())))
            raise BadPreference(name=str(name)[:20], value=str(value)[:20], allowed=allowed or "–")
    return dict(wanted)


def _allowed(name: str, value: Any) -> bool:
    """True is not 1: the stored JSON keeps its types."""
    return any(type(value) is type(one) and value == one for one in SCHEMA.get(name, ()))


def attributes(stored: Mapping[str, Any] | None) -> dict[str, str]:
    """For the page: `data-pref-<name>`, "1" and "" for switches."""
    return {
        name.replace("_", "-"): ("1" if value else "") if isinstance(value, bool) else str(value)
        for name, value in complete(stored).items()
    }
