"""Reading JSON strictly: every field named, typed and in range, every refusal a CaseError that says where."""

from collections.abc import Iterable, Mapping
from typing import Any

from liuzhou.rules.errors import CaseError, NotationError, OptionError, shown
from liuzhou.rules.options import Options
from liuzhou.rules.tiles import format_wall, parse_tiles


def refuse(field: str, zh: str, en: str, code: str = "case") -> CaseError:
    return CaseError(code, zh, en, field)


def mapping(value: object, field: str, required: Iterable[str], optional: Iterable[str] = ()) -> Mapping[str, Any]:
    """A JSON object with all required keys and no others than the optional ones."""
    if not isinstance(value, Mapping):
        raise refuse(field, f"应是一个对象，得到 {shown(value)}", f"an object expected, got {shown(value)}")
    required = tuple(required)
    known = (*required, *optional)
    for key in required:
        if key not in value:
            raise refuse(field, f"缺少 {key}", f"{key} is missing")
    for key in value:
        if key not in known:
            raise refuse(field, f"不认识的字段 {shown(key)}", f"unknown field {shown(key)} (known: {', '.join(known)})")
    return value


def array(value: object, field: str, most: int) -> list[Any]:
    """A JSON array of at most so many items."""
    if not isinstance(value, list | tuple):
        raise refuse(field, f"应是一个列表，得到 {shown(value)}", f"a list expected, got {shown(value)}")
    if len(value) > most:
        raise refuse(field, f"最多 {most} 项，得到 {len(value)} 项", f"at most {most} items, got {len(value)}")
    return list(value)


def whole(value: object, field: str, below: int) -> int:
    """An integer 0 … below−1 (true and 1.0 are none)."""
    if type(value) is not int or not 0 <= value < below:
        raise refuse(
            field,
            f"应是 0 到 {below - 1} 的整数，得到 {shown(value)}",
            f"an integer from 0 to {below - 1} expected, got {shown(value)}",
        )
    return value


def flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise refuse(field, f"应是 true 或 false，得到 {shown(value)}", f"true or false expected, got {shown(value)}")
    return value


def word(value: object, field: str, allowed: Iterable[str]) -> str:
    """One of a few words."""
    allowed = tuple(allowed)
    if not isinstance(value, str) or value not in allowed:
        told = ", ".join(allowed)
        raise refuse(field, f"应是 {told} 之一，得到 {shown(value)}", f"one of {told} expected, got {shown(value)}")
    return value


def tiles(value: object, field: str, options: Options) -> tuple[int, ...]:
    """Tiles in notation, all in play."""
    try:
        read = parse_tiles(value)
    except NotationError as error:
        raise refuse(field, error.zh, error.en, error.code) from None
    stray = sorted(set(read) - set(options.kinds))
    if stray:
        raise refuse(
            field,
            f"{format_wall(stray)} 不在本局的牌里",
            f"{format_wall(stray)} not in play with these options",
            "not_in_play",
        )
    return read


def tile(value: object, field: str, options: Options) -> int:
    """Exactly one tile in play."""
    read = tiles(value, field, options)
    if len(read) != 1:
        raise refuse(field, f"这里应是一张牌，得到 {shown(value)}", f"one tile expected, got {shown(value)}")
    return read[0]


def options(record: Mapping[str, Any]) -> Options:
    """The options of a record from its `preset` and `options`."""
    try:
        return Options.parse(record["preset"], record.get("options"))
    except OptionError as error:
        field = "preset" if error.option == "preset" else "options"
        raise refuse(field, error.zh, error.en, error.code) from None
