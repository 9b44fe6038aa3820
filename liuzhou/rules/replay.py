"""A recorded hand played again: the generator the audit uses, and the answer of `python3 -m liuzhou.rules play`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from liuzhou.rules.actions import Action, action_json, parse_action
from liuzhou.rules.engine import apply, deciders, start
from liuzhou.rules.errors import CaseError, RuleError, shown
from liuzhou.rules.events import Event, Json
from liuzhou.rules.options import Options
from liuzhou.rules.state import RIVER_TAKEN, RIVER_TILE, Seat, State, hand_of
from liuzhou.rules.tiles import format_tiles, format_wall, parse_wall
from liuzhou.rules.wall import Wall, build

FIELDS = frozenset({"preset", "options", "dealer", "wall", "seed", "actions"})


def replay(
    options: Options, dealer: int, wall: Wall, actions: Iterable[Action]
) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """The opening, then the state and events after each action. IllegalAction where the record breaks the rules."""
    state, events = start(options, dealer, wall)
    yield state, events
    for action in actions:
        state, events = apply(state, action)
        yield state, events


def play_record(record: object) -> Json:
    """Plays one record of DESIGN 7: an illegal action is answered with its index, a malformed record raises RuleError."""
    fields = _fields(record)
    options = _options(fields)
    dealer = _dealer(fields, options)
    actions = _actions(fields)
    state, _ = start(options, dealer, _wall(fields, options))
    for index, (seat, written) in enumerate(actions):
        try:
            state, _ = apply(state, parse_action(seat, written))
        except RuleError as error:
            return {"error": {"index": index, "seat": seat, "message": str(error)}}
    return _answer(state)


def _bad(zh: str, en: str) -> CaseError:
    return CaseError("record", zh, en)


def _fields(record: object) -> Mapping[str, Any]:
    if not isinstance(record, Mapping):
        raise _bad("记录必须是一个对象", "A record must be an object")
    for key in record:
        if key not in FIELDS:
            raise _bad(f"记录里有未知的字段：{shown(key)}", f"Unknown field in the record: {shown(key)}")
    return record


def _options(fields: Mapping[str, Any]) -> Options:
    preset, options = fields.get("preset"), fields.get("options")
    if not isinstance(preset, str):
        raise _bad("记录缺少 preset", "The record has no preset")
    if options is not None and not isinstance(options, Mapping):
        raise _bad("options 必须是一个对象", "options must be an object")
    return Options.parse(preset, options)


def _dealer(fields: Mapping[str, Any], options: Options) -> int:
    dealer = fields.get("dealer")
    if type(dealer) is not int or not 0 <= dealer < options.players:
        last = options.players - 1
        raise _bad(f"dealer 必须是 0 到 {last} 的座位号", f"dealer must be a seat from 0 to {last}")
    return dealer


def _actions(fields: Mapping[str, Any]) -> list[tuple[int, Json]]:
    """The seat and the action proper of each entry."""
    actions = fields.get("actions", [])
    if not isinstance(actions, Sequence) or isinstance(actions, str):
        raise _bad("actions 必须是一个列表", "actions must be a list")
    pairs = []
    for index, action in enumerate(actions):
        seat = action.get("seat") if isinstance(action, Mapping) else None
        if type(seat) is not int:
            raise _bad(f"第 {index} 个操作没有座位号", f"Action {index} names no seat")
        pairs.append((seat, {key: value for key, value in action.items() if key != "seat"}))
    return pairs


def _wall(fields: Mapping[str, Any], options: Options) -> Wall:
    seed, text = fields.get("seed"), fields.get("wall")
    if seed is None and text is None:
        raise _bad("记录既没有 wall 也没有 seed", "The record has neither wall nor seed")
    built = None if seed is None else build(_seed(seed), options)
    if text is None and built is not None:
        return built
    if not isinstance(text, str):
        raise _bad("wall 必须是文本", "wall must be text")
    tiles = parse_wall(text)
    if sorted(tiles) != sorted(kind for kind in options.kinds for _ in range(4)):
        raise _bad("牌墙与规则的用牌不符", "The wall does not hold the tiles of these rules")
    if built is not None and built.tiles != tiles:
        raise _bad("wall 与 seed 不符", "wall and seed disagree")
    return built or Wall(tiles, (0, 0), "")


def _seed(text: object) -> bytes:
    try:
        seed = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise _bad("seed 必须是 64 位十六进制", "seed must be 64 hexadecimal digits")
    return seed


def _answer(state: State) -> Json:
    wild = state.options.wild
    return {
        "phase": state.phase,
        "turn": state.turn,
        "legal": {str(seat): [action_json(action) for action in state.legal[seat]] for seat in deciders(state)},
        "drawable": state.drawable,
        "hands": [format_tiles(hand_of(seat, wild)) for seat in state.seats],
        "melds": [_melds(seat) for seat in state.seats],
        "discards": [_discards(seat) for seat in state.seats],
        "result": state.settlement.as_json() if state.settlement else None,
    }


def _melds(seat: Seat) -> list[Json]:
    """As `settle` takes them, so that an answer can be made into a case."""
    return [
        {"kind": meld.kind, "tiles": format_tiles(meld.tiles), "from": None if meld.source < 0 else meld.source}
        for meld in seat.melds
    ]


def _discards(seat: Seat) -> str:
    """What still lies in the river, in order: taken tiles are in the melds."""
    return format_wall(tuple(entry & RIVER_TILE for entry in seat.river if not entry & RIVER_TAKEN))
