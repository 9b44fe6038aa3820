"""What a player may do: the `Action` value, the shared instances the engine hands out, and their JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from liuzhou.rules.errors import IllegalAction
from liuzhou.rules.tiles import format_tiles, parse_tiles

SEATS: Final = 4
KINDS: Final = 34
SLOTS: Final = 8

FISH: Final = "fish"
FISH_DONE: Final = "fish_done"
DISCARD: Final = "discard"
CHOW: Final = "chow"
PONG: Final = "pong"
KONG: Final = "kong"
WIN: Final = "win"
PASS: Final = "pass"  # noqa: S105 - the move, no password


class Action(NamedTuple):
    """One choice of one seat.

    `tile` for discards and own kongs, `tiles` (ascending) for a chow's two own tiles, `slot` 1-8 for fishing.
    """

    seat: int
    do: str
    tile: int = -1
    tiles: tuple[int, ...] = ()
    slot: int = 0


def _each(do: str) -> tuple[Action, ...]:
    return tuple(Action(seat, do) for seat in range(SEATS))


def _each_tile(do: str) -> tuple[tuple[Action, ...], ...]:
    return tuple(tuple(Action(seat, do, tile) for tile in range(KINDS)) for seat in range(SEATS))


# Legal sets are built thousands of times a second from these, so every action exists once: [seat] or [seat][tile].
WINS: Final = _each(WIN)
PASSES: Final = _each(PASS)
PONGS: Final = _each(PONG)
CLAIM_KONGS: Final = _each(KONG)
FISH_DONES: Final = _each(FISH_DONE)
DISCARDS: Final = _each_tile(DISCARD)
OWN_KONGS: Final = _each_tile(KONG)
FISHES: Final = tuple(tuple(Action(seat, FISH, slot=slot) for slot in range(1, SLOTS + 1)) for seat in range(SEATS))


def _chows_of(seat: int, tile: int) -> tuple[Action, ...]:
    """The up to three ways to chow `tile`, the claimed tile being the highest, middle or lowest; none for honours."""
    rank = tile % 9
    if tile >= 27:
        return ()
    ways = ((-2, -1), (-1, 1), (1, 2))
    return tuple(Action(seat, CHOW, tiles=(tile + a, tile + b)) for a, b in ways if rank + a >= 0 and rank + b <= 8)


CHOWS: Final = tuple(tuple(_chows_of(seat, tile) for tile in range(KINDS)) for seat in range(SEATS))  # [seat][claimed]

# do -> the field it may carry, None for none. `kong` carries its tile on one's own turn and nothing as a claim.
_FIELDS: Final[Mapping[str, tuple[str | None, ...]]] = {
    FISH: ("slot",),
    FISH_DONE: (None,),
    DISCARD: ("tile",),
    CHOW: ("tiles",),
    PONG: (None,),
    KONG: ("tile", None),
    WIN: (None,),
    PASS: (None,),
}


def action_json(action: Action) -> dict[str, object]:
    """The action without its seat, as it stands in logs, frames and records (DESIGN 7)."""
    answer: dict[str, object] = {"do": action.do}
    if action.tile >= 0:
        answer["tile"] = format_tiles((action.tile,))
    if action.tiles:
        answer["tiles"] = format_tiles(action.tiles)
    if action.slot:
        answer["slot"] = action.slot
    return answer


def parse_action(seat: int, mapping: object) -> Action:
    """Reads `action_json` strictly: IllegalAction for a wrong field or value, NotationError for bad tiles."""
    if not isinstance(mapping, Mapping):
        raise _malformed()
    do = mapping.get("do")
    if not isinstance(do, str) or do not in _FIELDS:
        raise _malformed()
    extra = sorted(key if isinstance(key, str) else "?" for key in mapping if key != "do")
    field = extra[0] if extra else None
    if len(extra) > 1 or field not in _FIELDS[do]:
        raise _malformed()
    if field == "slot":
        return Action(seat, do, slot=_slot(mapping["slot"]))
    if field == "tile":
        return Action(seat, do, tile=_tiles(mapping["tile"], 1)[0])
    if field == "tiles":
        return Action(seat, do, tiles=tuple(sorted(_tiles(mapping["tiles"], 2))))
    return Action(seat, do)


def _malformed() -> IllegalAction:
    return IllegalAction("malformed_action", "看不懂这个操作", "This action is not understood")


def _slot(value: object) -> int:
    if type(value) is not int or not 1 <= value <= SLOTS:
        raise _malformed()
    return value


def _tiles(value: object, wanted: int) -> tuple[int, ...]:
    if not isinstance(value, str) or len(value) > 2 * wanted:
        raise _malformed()
    tiles = parse_tiles(value)
    if len(tiles) != wanted:
        raise _malformed()
    return tiles
