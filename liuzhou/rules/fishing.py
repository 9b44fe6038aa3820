"""Pond fishing 钓鱼 before the deal, and the deal itself (RULES 2.5, 7.2)."""

from __future__ import annotations

from liuzhou.rules.actions import FISH, FISH_DONES, FISHES, SLOTS, Action
from liuzhou.rules.events import Dealt, Event, Fished, FishEnded
from liuzhou.rules.hand import pack
from liuzhou.rules.state import State, placed
from liuzhou.rules.turns import Step, draw

MOST = 2  # slots a seat may take
TAKES = (4, 4, 4, 1)  # tiles taken at a time, from the dealer on


def fishing_legal(state: State) -> tuple[tuple[Action, ...], ...]:
    """Every seat that still fishes may take any free slot or stop, independently of the others."""
    free = [slot for slot, owner in enumerate(state.pond) if owner < 0]
    return tuple(
        (*(FISHES[index][slot] for slot in free), FISH_DONES[index]) if seat.fishing else ()
        for index, seat in enumerate(state.seats)
    )


def fish(state: State, action: Action) -> Step:
    """A seat takes a slot or stops; the second slot stops it too, and the last one to stop starts the deal."""
    index, events = action.seat, list[Event]()
    if action.do == FISH:
        at = action.slot - 1
        # Only the count matters while fishing: the tiles leave the wall when the fishing is over.
        state = state._replace(pond=(*state.pond[:at], index, *state.pond[at + 1 :]), back=state.back - 1)
        events.append(Fished(index, action.slot, state.drawable))
    if action.do != FISH or state.pond.count(index) == MOST:
        seat = state.seats[index]._replace(fishing=False)
        state = state._replace(seats=placed(state.seats, index, seat))
        events.append(FishEnded(index))
    if any(seat.fishing for seat in state.seats):
        return state._replace(legal=fishing_legal(state)), tuple(events)
    state, dealt = deal(_out_of_the_wall(state))
    return state, (*events, *dealt)


def _out_of_the_wall(state: State) -> State:
    """The taken tiles go to their owners; the slots nobody took stay at the wall's back."""
    ahead, slots = state.wall[:-SLOTS], state.wall[-SLOTS:]
    wall = ahead + tuple(tile for tile, owner in zip(slots, state.pond, strict=True) if owner < 0)
    seats = tuple(
        seat._replace(pond=tuple(tile for tile, owner in zip(slots, state.pond, strict=True) if owner == index))
        for index, seat in enumerate(state.seats)
    )
    return state._replace(wall=wall, front=0, back=len(wall), seats=seats)


def deal(state: State) -> Step:
    """Four, four, four and one to each from the dealer on; then the dealer draws."""
    players, wild = len(state.seats), state.options.wild
    hands: list[list[int]] = [[] for _ in range(players)]
    front = 0
    for take in TAKES:
        for step in range(players):
            hands[(state.dealer + step) % players] += state.wall[front : front + take]
            front += take
    seats = []
    for seat, hand in zip(state.seats, hands, strict=True):
        suits, wilds = pack(hand, wild)
        seats.append(seat._replace(suits=suits, wilds=wilds, fishing=False))
    state = state._replace(seats=tuple(seats), front=front)
    dealt = Dealt(state.dealer, state.dice, state.drawable, tuple(tuple(sorted(hand)) for hand in hands))
    state, events = draw(state, state.dealer)
    return state, (dealt, *events)
