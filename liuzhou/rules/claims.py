"""The claim window: who may claim a tile, what a refusal costs, and when the answers decide (RULES 3)."""

from __future__ import annotations

from typing import TypeAlias

from liuzhou.rules.actions import CHOWS, CLAIM_KONGS, KONG, PASSES, PONG, PONGS, WIN, WINS, Action
from liuzhou.rules.hand import is_win
from liuzhou.rules.state import ANY_TILE, Seat, State, adjusted, holding, kong_room

Legal: TypeAlias = "tuple[tuple[Action, ...], ...]"


def discard_offers(state: State) -> Legal:
    """What every other seat may do about the discard `state.tile` of `state.turn`."""
    players = len(state.seats)
    last = state.drawable <= 0  # the last discard can only be won (RULES 3.3)
    following = (state.turn + 1) % players
    offers: list[tuple[Action, ...]] = [()] * players
    for index, seat in enumerate(state.seats):
        if index == state.turn:
            continue
        found = [WINS[index]] if may_win_on(seat, state.tile) else []
        if not last:
            found += _set_claims(state, index, seat)
            if index == following and state.tile < 27:
                found += _chows(state, index, seat)
        if found:
            found.append(PASSES[index])
            offers[index] = tuple(found)
    return tuple(offers)


def robbing_offers(state: State) -> Legal:
    """Who may win on the tile with which `state.turn` adds to its pong (RULES 3.9)."""
    return tuple(
        (WINS[index], PASSES[index]) if index != state.turn and may_win_on(seat, state.tile) else ()
        for index, seat in enumerate(state.seats)
    )


def may_win_on(seat: Seat, tile: int) -> bool:
    """Whether another's tile completes the hand and no missed win stands in the way.

    Another's 7z is the tile 中, never wild (RULES 3.11).
    """
    if seat.no_win and (seat.no_win == ANY_TILE or tile in seat.no_win):
        return False
    return is_win(adjusted(seat.suits, tile, 1), seat.wilds, len(seat.melds))


def _set_claims(state: State, index: int, seat: Seat) -> list[Action]:
    tile, wild = state.tile, state.options.wild
    own = holding(seat, tile, wild)
    if own < 2:
        return []
    found = []
    if tile not in seat.no_pong and _discardable(state, seat, (tile, tile), (tile,)):
        found.append(PONGS[index])
    if own == 3 and kong_room(state):
        found.append(CLAIM_KONGS[index])
    return found


def _chows(state: State, index: int, seat: Seat) -> list[Action]:
    tile, wild = state.tile, state.options.wild
    found = []
    for chow in CHOWS[index][tile]:
        low, high = chow.tiles
        if (
            holding(seat, low, wild)
            and holding(seat, high, wild)
            and _discardable(state, seat, chow.tiles, swap_ban(tile, chow.tiles))
        ):
            found.append(chow)
    return found


def swap_ban(tile: int, own: tuple[int, ...]) -> tuple[int, ...]:
    """What may not be discarded after chowing `tile` with `own`: it, and the tile at the other edge (RULES 3.6)."""
    low, high = own
    if tile < low and high % 9 < 8:
        return (tile, high + 1)
    if tile > high and low % 9 > 0:
        return (tile, low - 1)
    return (tile,)


def _discardable(state: State, seat: Seat, used: tuple[int, ...], ban: tuple[int, ...]) -> bool:
    """Whether a legal discard is left once `used` lie in the meld (RULES 3.6)."""
    if not state.options.rules.swap_ban:
        return True
    wild = state.options.wild
    left = 13 - 3 * len(seat.melds) - len(used)
    return left > sum(holding(seat, tile, wild) - used.count(tile) for tile in ban)


def missed(state: State, action: Action) -> Seat:
    """The answering seat with the locks its answer brings: what it could have claimed and did not (RULES 3.7, 3.8)."""
    index, rules, tile = action.seat, state.options.rules, state.tile
    seat = state.seats[index]
    if action.do == WIN:
        return seat
    legal = state.legal[index]
    if rules.missed_win != "none" and WINS[index] in legal:
        seat = seat._replace(no_win=ANY_TILE if rules.missed_win == "all" else _with(seat.no_win, tile))
    could_pong = PONGS[index] in legal or CLAIM_KONGS[index] in legal
    if rules.missed_pong and could_pong and action.do not in (PONG, KONG):
        seat = seat._replace(no_pong=_with(seat.no_pong, tile))
    return seat


def _with(tiles: tuple[int, ...], tile: int) -> tuple[int, ...]:
    return tuple(sorted({*tiles, tile}))


def verdict(state: State) -> tuple[Action, ...] | None:
    """What the answers come to: the wins in order of play, or one meld claim, or () for nobody; None while open.

    An open answer matters only if it could still outrank what is claimed. Whoever has answered has no legal action.
    """
    players = len(state.seats)
    open_seats = [index for index in range(players) if state.legal[index]]
    if any(WINS[index] in state.legal[index] for index in open_seats):
        return None
    order = [state.answers[(state.turn + step) % players] for step in range(1, players)]
    claimed = [action for action in order if action is not None]
    wins = tuple(action for action in claimed if action.do == WIN)
    if wins:
        return wins
    melds = tuple(action for action in claimed if action.do in (PONG, KONG))
    if melds:
        return melds
    if any(PONGS[index] in state.legal[index] or CLAIM_KONGS[index] in state.legal[index] for index in open_seats):
        return None
    chows = tuple(action for action in claimed if action.tiles)
    return chows if chows or not open_seats else None
