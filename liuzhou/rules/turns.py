"""A turn: drawing, what the drawer may do, and the end of the hand in its settlement (RULES 3, 5-8)."""

from __future__ import annotations

from typing import Final, TypeAlias

from liuzhou.rules.actions import DISCARDS, OWN_KONGS, WINS, Action
from liuzhou.rules.events import Drew, Ended, Event, Won
from liuzhou.rules.hand import is_win
from liuzhou.rules.score import End, SeatHand, Settlement, settle
from liuzhou.rules.state import OVER, TURN, Seat, State, hand_of, holding, kong_room, placed, with_tile

Step: TypeAlias = "tuple[State, tuple[Event, ...]]"
Legal: TypeAlias = "tuple[tuple[Action, ...], ...]"

_FOURS: Final = 0o444444444  # the bit of each rank of a packed suit that says "four of it"


def draw(state: State, index: int, kong: int = -1) -> Step:
    """`index` draws: from the front, or from the back for its kong at meld `kong`; no drawable tile left: 流局."""
    front, back = state.front, state.back
    if back - front <= state.reserve:
        return finish(state, End("draw"))
    if kong >= 0:
        back -= 1
        tile = state.wall[back]
    else:
        tile = state.wall[front]
        front += 1
    seat = with_tile(state.seats[index], tile, state.options.wild)
    seats = placed(state.seats, index, seat)
    return take_turn(state._replace(front=front, back=back, seats=seats, kong=kong), index), (
        Drew(index, tile, back - front - state.reserve, kong >= 0),
    )


def take_turn(state: State, index: int) -> State:
    """The state in which `index` is to discard, or declare if it holds a drawn tile."""
    quiet = state._replace(phase=TURN, turn=index, tile=-1, answers=(), legal=())
    legal: list[tuple[Action, ...]] = [()] * len(state.seats)
    legal[index] = turn_actions(quiet, index)
    return quiet._replace(legal=tuple(legal))


def turn_actions(state: State, index: int) -> tuple[Action, ...]:
    """Every discard, kong and self-draw win open to the seat whose turn it is (RULES 3.1)."""
    seat = state.seats[index]
    found = _discards(seat, index, state.options.wild)
    if seat.drawn >= 0:
        if kong_room(state):
            found += _kongs(seat, index, state.options.wild)
        if is_win(seat.suits, seat.wilds, len(seat.melds)):
            found.append(WINS[index])
    return tuple(found)


def _discards(seat: Seat, index: int, wild: int) -> list[Action]:
    table = DISCARDS[index]
    found = []
    tile = 0
    for suit in seat.suits:
        kind = tile
        while suit:
            if suit & 7:
                found.append(table[kind])
            suit >>= 3
            kind += 1
        tile += 9
    if seat.wilds:
        found.append(table[wild])
    return [action for action in found if action.tile not in seat.banned] if seat.banned else found


def _kongs(seat: Seat, index: int, wild: int) -> list[Action]:
    """Concealed kongs of four in hand, added kongs of a ponged tile held (RULES 3.4)."""
    table = OWN_KONGS[index]
    found = [table[meld.tile] for meld in seat.melds if meld.kind == "pong" and holding(seat, meld.tile, wild)]
    for suit, packed in enumerate(seat.suits):
        fours = packed & _FOURS
        while fours:
            low = fours & -fours
            found.append(table[9 * suit + low.bit_length() // 3 - 1])
            fours ^= low
    if seat.wilds == 4:
        found.append(table[wild])
    return found


def finish(state: State, end: End) -> Step:
    """The hand is over: its settlement, and everything laid open."""
    settlement = settled(state, end)
    nobody: Legal = ((),) * len(state.seats)
    over = state._replace(phase=OVER, tile=-1, answers=(), legal=nobody, end=end, settlement=settlement)
    ended = Ended(settlement, state.options, over.seats)
    if not end.winners:
        return over, (ended,)
    return over, (Won(end.winners, end.tile, end.source, end.kind), ended)


def settled(state: State, end: End) -> Settlement:
    """The settlement of the hand as it lies, which `settle` wants without the self-drawn winning tile."""
    hands = [hand_of(seat, state.options.wild) for seat in state.seats]
    if end.kind == "self_draw":
        winner = end.winners[0]
        at = hands[winner].index(end.tile)
        hands[winner] = hands[winner][:at] + hands[winner][at + 1 :]
    seats = tuple(SeatHand(hand, seat.melds, seat.pond) for hand, seat in zip(hands, state.seats, strict=True))
    return settle(state.options, state.dealer, seats, end, state.wall[state.front : state.back])
