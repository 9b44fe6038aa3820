"""The options of a hand: a preset with its house rules, parsed strictly (RULES 10) and frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from liuzhou.rules.errors import OptionError
from liuzhou.rules.presets import COIN_BASES, PRESETS, Choice, Preset, Value
from liuzhou.rules.tiles import COPIES, KINDS, RED

SCHEMA: Mapping[str, Mapping[str, Choice]] = {name: preset.choices for name, preset in PRESETS.items()}
HAND_SIZE = 13
FLIP_COUNTED = ("159", "follow")  # the flip fishing that turns `fish_count` tiles


@dataclass(frozen=True, slots=True)
class Options:
    """What is played: build it with `parse`, which refuses what RULES 10 does not list."""

    preset: str
    players: int = 4
    base: int = 1
    fish: str = "none"
    fish_count: int = 2
    cap: int | None = None
    concealed: bool = False
    wild_red: bool = False
    no_honors: bool = False
    no_dots: bool = False

    @classmethod
    def parse(cls, preset: object, mapping: object = None, *, bracket: int | None = None) -> "Options":
        """Options from JSON-like values; `bracket` is the coin lobby's base. Every refusal is an OptionError."""
        if not isinstance(preset, str) or preset not in PRESETS:
            raise OptionError("preset", preset, PRESETS)
        if mapping is None:
            mapping = {}
        if not isinstance(mapping, Mapping):
            raise OptionError("options", mapping, SCHEMA[preset], "option_shape")
        choices = SCHEMA[preset]
        for name, value in mapping.items():
            if name not in choices:
                raise OptionError(name, value, choices, "option_unknown")
        chosen: dict[str, Any] = {name: _choose(name, choice, mapping) for name, choice in choices.items()}
        if bracket is not None:
            chosen["base"] = _bracket(preset, mapping, bracket)
        cap = chosen.pop("cap", "none")
        options = cls(preset, cap=None if cap == "none" else int(cap), **chosen)
        if options.tile_count - HAND_SIZE * options.players - 1 - options.reserve < 1:
            room = options.tile_count - HAND_SIZE * options.players - 2
            raise OptionError("fish_count", options.fish_count, range(1, room + 1))
        return options

    def as_json(self) -> dict[str, Value]:
        """The preset's own options as JSON; `parse(preset, as_json())` gives the same options."""
        told: dict[str, Value] = {name: getattr(self, name) for name in SCHEMA[self.preset] if name != "cap"}
        if "cap" in SCHEMA[self.preset]:
            told["cap"] = "none" if self.cap is None else str(self.cap)
        return told

    @property
    def rules(self) -> Preset:
        return PRESETS[self.preset]

    @property
    def kinds(self) -> tuple[int, ...]:
        """The tile kinds in play, ascending (RULES 2.1–2.2)."""
        return kinds_in_play(self.no_dots, self.no_honors, self.wild_red)

    @property
    def kinds_mask(self) -> int:
        """The kinds in play as a bitmask."""
        return mask_in_play(self.no_dots, self.no_honors, self.wild_red)

    @property
    def tile_count(self) -> int:
        return COPIES * len(self.kinds)

    @property
    def reserve(self) -> int:
        """留牌: tiles at the end of the wall that are never counted as drawable (RULES 2.7)."""
        if self.fish in FLIP_COUNTED:
            return self.fish_count
        return 1 if self.fish == "bomb" else 0

    @property
    def flips(self) -> int:
        """Tiles turned for each winner by flip fishing (RULES 7.3)."""
        return self.reserve

    @property
    def wild(self) -> int:
        """The wild kind, or −1."""
        return RED if self.wild_red else -1


def _choose(name: str, choice: Choice, mapping: Mapping[str, object]) -> Value:
    if name not in mapping:
        return choice.default
    given = mapping[name]
    for value in choice.values:
        # bool is an int in Python: 1 must not pass for true, nor true for one player
        if type(given) is type(value) and given == value:
            return value
        if name in ("cap", "fish") and type(given) is int and str(given) == value:
            return value
    raise OptionError(name, given, choice.values)


def _bracket(preset: str, mapping: Mapping[str, object], bracket: int) -> int:
    if COIN_BASES[0] not in SCHEMA[preset]["base"].values or preset == "tiantian" or bracket not in COIN_BASES:
        raise OptionError("bracket", bracket, COIN_BASES if preset != "tiantian" else ())
    if mapping.get("base", bracket) != bracket:
        raise OptionError("base", mapping["base"], (bracket,))
    return bracket


@lru_cache(maxsize=8)
def kinds_in_play(no_dots: bool, no_honors: bool, wild_red: bool) -> tuple[int, ...]:
    """Kinds left after the options took suits away; a wild 7z stays when the honours go (RULES 2.2)."""
    return tuple(
        kind
        for kind in range(KINDS)
        if not (no_dots and 9 <= kind < 18) and not (no_honors and kind >= 27 and not (wild_red and kind == RED))
    )


@lru_cache(maxsize=8)
def mask_in_play(no_dots: bool, no_honors: bool, wild_red: bool) -> int:
    return sum(1 << kind for kind in kinds_in_play(no_dots, no_honors, wild_red))
