"""A state as compact JSON text and back. What follows from the rest (legal sets, settlement) is recomputed."""

from __future__ import annotations

import json
from typing import Any, Final

from liuzhou.rules.actions import Action
from liuzhou.rules.claims import discard_offers, robbing_offers
from liuzhou.rules.errors import RuleError
from liuzhou.rules.fishing import fishing_legal
from liuzhou.rules.hand import pack
from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.score import End
from liuzhou.rules.state import CLAIM, FISHING, OVER, ROB, TURN, Seat, State, hand_of
from liuzhou.rules.tiles import format_wall, parse_wall
from liuzhou.rules.turns import settled, turn_actions

VERSION: Final = 1


def dump(state: State) -> str:
    """The whole state, hidden tiles included: for caches and tests, never for a player."""
    wild = state.options.wild
    end = state.end
    document = {
        "v": VERSION,
        "preset": state.options.preset,
        "options": state.options.as_json(),
        "dealer": state.dealer,
        "dice": state.dice,
        "wall": format_wall(state.wall),
        "at": [state.front, state.back],
        "phase": state.phase,
        "turn": state.turn,
        "tile": state.tile,
        "kong": state.kong,
        "seats": [_seat(seat, wild) for seat in state.seats],
        "pond": state.pond,
        "answers": state.answers,
        "end": end and [end.kind, end.tile, end.source, end.winners, end.after_kong, end.last_tile],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _seat(seat: Seat, wild: int) -> list[object]:
    return [hand_of(seat, wild), *seat[2:]]


def load(text: str) -> State:
    """The state `dump` wrote. RuleError for anything else."""
    try:
        document = json.loads(text)
        if document["v"] != VERSION:
            raise _unreadable()
        return _derived(_stored(document))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise error if isinstance(error, RuleError) else _unreadable() from error


def _unreadable() -> RuleError:
    return RuleError("unreadable_state", "无法读取牌局状态", "This is not a stored state of a hand")


def _stored(document: dict[str, Any]) -> State:
    options = Options.parse(document["preset"], document["options"])
    front, back = document["at"]
    return State(
        options=options,
        dealer=document["dealer"],
        dice=(document["dice"][0], document["dice"][1]),
        wall=parse_wall(document["wall"]),
        front=front,
        back=back,
        reserve=options.reserve,
        phase=document["phase"],
        turn=document["turn"],
        tile=document["tile"],
        kong=document["kong"],
        seats=tuple(_loaded_seat(fields, options.wild) for fields in document["seats"]),
        pond=tuple(document["pond"]),
        answers=tuple(_loaded_action(fields) for fields in document["answers"]),
        legal=(),
        end=_loaded_end(document["end"]),
    )


def _loaded_seat(fields: list[Any], wild: int) -> Seat:
    tiles, drawn, melds, river, no_pong, no_win, banned, pond, fishing = fields
    suits, wilds = pack(tiles, wild)
    return Seat(
        suits,
        wilds,
        drawn,
        tuple(Meld(kind, tuple(of), source, tile) for kind, of, source, tile in melds),
        tuple(river),
        tuple(no_pong),
        tuple(no_win),
        tuple(banned),
        tuple(pond),
        fishing,
    )


def _loaded_action(fields: list[Any] | None) -> Action | None:
    if fields is None:
        return None
    seat, do, tile, tiles, slot = fields
    return Action(seat, do, tile, tuple(tiles), slot)


def _loaded_end(fields: list[Any] | None) -> End | None:
    if fields is None:
        return None
    kind, tile, source, winners, after_kong, last_tile = fields
    return End(kind, tile, source, tuple(winners), after_kong, last_tile)


def _derived(state: State) -> State:
    """The state with its legal sets and settlement."""
    nobody: tuple[tuple[Action, ...], ...] = ((),) * len(state.seats)
    if state.phase == FISHING:
        return state._replace(legal=fishing_legal(state))
    if state.phase == TURN:
        legal = list(nobody)
        legal[state.turn] = turn_actions(state, state.turn)
        return state._replace(legal=tuple(legal))
    if state.phase in (CLAIM, ROB):
        offers = discard_offers(state) if state.phase == CLAIM else robbing_offers(state)
        pairs = zip(offers, state.answers, strict=True)
        return state._replace(legal=tuple(() if answer else offer for offer, answer in pairs))
    if state.phase == OVER and state.end is not None:
        return state._replace(legal=nobody, settlement=settled(state, state.end))
    raise _unreadable()
