"""Kongs on one's own turn, and the robbing of an added one (RULES 3.4, 3.9)."""

from __future__ import annotations

from liuzhou.rules.actions import Action
from liuzhou.rules.claims import robbing_offers
from liuzhou.rules.events import Event, KongDeclared, Melded, Robbed
from liuzhou.rules.melds import Meld
from liuzhou.rules.score import End
from liuzhou.rules.state import ROB, State, holding, placed, without
from liuzhou.rules.turns import Step, draw, finish


def declare(state: State, action: Action) -> Step:
    """An own-turn kong of `action.tile`: concealed if four lie in hand, else added to the pong."""
    index, tile = action.seat, action.tile
    seat = state.seats[index]
    if holding(seat, tile, state.options.wild) == 4:
        meld = Meld("concealed_kong", (tile,) * 4, -1, -1)
        rest = without(seat, tile, 4, state.options.wild)
        return replaced(state, index, (*rest.melds, meld), len(rest.melds), 4, tile)
    if not state.options.rules.rob_kong:
        return stand(state, index, tile)
    return _may_be_robbed(state, index, tile)


def _may_be_robbed(state: State, index: int, tile: int) -> Step:
    asking = state._replace(phase=ROB, turn=index, tile=tile, answers=(None,) * len(state.seats))
    asking = asking._replace(legal=robbing_offers(asking))
    declared: tuple[Event, ...] = (KongDeclared(index, tile),)
    if any(asking.legal):
        return asking, declared
    state, events = stand(asking, index, tile)
    return state, declared + events


def stand(state: State, index: int, tile: int) -> Step:
    """The added kong is made, nobody having robbed it, and the replacement drawn."""
    melds = state.seats[index].melds
    at = next(i for i, meld in enumerate(melds) if meld.kind == "pong" and meld.tile == tile)
    kong = Meld("added_kong", (tile,) * 4, melds[at].source, tile)
    return replaced(state, index, (*melds[:at], kong, *melds[at + 1 :]), at, 1, tile)


def replaced(state: State, index: int, melds: tuple[Meld, ...], at: int, own: int, tile: int) -> Step:
    """`own` tiles leave the hand for the kong `melds[at]`, and its replacement is drawn."""
    seat = without(state.seats[index], tile, own, state.options.wild)._replace(melds=melds)
    state, events = draw(state._replace(seats=placed(state.seats, index, seat)), index, at)
    return state, (Melded(index, melds[at], ()), *events)


def rob(state: State, winners: tuple[int, ...]) -> Step:
    """The kong is void: its tile leaves the declarer's hand and the pong stays a pong."""
    index, tile = state.turn, state.tile
    seat = without(state.seats[index], tile, 1, state.options.wild)
    end = End("robbed_kong", tile, index, winners)
    state, events = finish(state._replace(seats=placed(state.seats, index, seat)), end)
    return state, (Robbed(index, tile, winners), *events)
