"""The state of one hand: frozen, made of tuples and ints, and the small questions everybody asks of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from liuzhou.rules.actions import Action
from liuzhou.rules.hand import SHIFT, SUIT, Suits
from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.score import End, Settlement

FISHING: Final = "fish"
TURN: Final = "turn"
CLAIM: Final = "claim"
ROB: Final = "rob"
OVER: Final = "over"

ANY_TILE: Final = (-1,)  # `no_win` of a seat that may win on nobody's tile (tiantian's 过手胡)

# A river entry is a tile with two flags: thrown straight from the draw, taken into somebody's meld.
RIVER_TILE: Final = 63
RIVER_DRAWN: Final = 64
RIVER_TAKEN: Final = 128


class Seat(NamedTuple):
    """One player. `suits` holds the concealed tiles, the drawn one too, without wilds, which `wilds` counts."""

    suits: Suits = (0, 0, 0, 0)
    wilds: int = 0
    drawn: int = -1  # the tile just drawn; -1 when the seat holds none (and so may neither kong nor win itself)
    melds: tuple[Meld, ...] = ()
    river: tuple[int, ...] = ()
    no_pong: tuple[int, ...] = ()  # 漏碰: kinds not to be ponged until the next draw
    no_win: tuple[int, ...] = ()  # 漏胡: kinds not to be won on until the next draw, or ANY_TILE
    banned: tuple[int, ...] = ()  # kinds not to be discarded until the next draw (swap-calling)
    pond: tuple[int, ...] = ()  # its fish: the tiles, which nobody sees before the end
    fishing: bool = False


class State(NamedTuple):
    """A hand at one moment. `wall[front:back]` is what is left of the wall."""

    options: Options
    dealer: int
    dice: tuple[int, int]
    wall: tuple[int, ...]
    front: int
    back: int
    reserve: int
    phase: str
    turn: int  # turn: whose; claim: who discarded; rob: who declares; fish: the dealer
    tile: int  # the tile in question in claim and rob, else -1
    kong: (
        int  # the meld for which the seat in turn drew its replacement, else -1; kept while its discard is asked about
    )
    seats: tuple[Seat, ...]
    pond: tuple[int, ...]  # owner of each slot or -1; empty without pond fishing
    answers: tuple[Action | None, ...]  # what the asked seats have answered so far; empty outside claim and rob
    legal: tuple[tuple[Action, ...], ...]
    end: End | None = None
    settlement: Settlement | None = None

    @property
    def drawable(self) -> int:
        """Tiles that may still be drawn (RULES 2.7)."""
        return self.back - self.front - self.reserve


def holding(seat: Seat, tile: int, wild: int) -> int:
    """How many of `tile` lie concealed in the hand."""
    if tile == wild:
        return seat.wilds
    return seat.suits[SUIT[tile]] >> SHIFT[tile] & 7


def adjusted(suits: Suits, tile: int, amount: int) -> Suits:
    """The packed hand with `amount` more (or fewer) of `tile`."""
    change = amount << SHIFT[tile]
    m, p, s, z = suits
    if tile < 9:
        return (m + change, p, s, z)
    if tile < 18:
        return (m, p + change, s, z)
    if tile < 27:
        return (m, p, s + change, z)
    return (m, p, s, z + change)


def with_tile(seat: Seat, tile: int, wild: int) -> Seat:
    """The seat after drawing `tile`: a draw also lifts its locks and bans (RULES 3.6-3.8)."""
    suits, wilds = (seat.suits, seat.wilds + 1) if tile == wild else (adjusted(seat.suits, tile, 1), seat.wilds)
    return Seat(suits, wilds, tile, seat.melds, seat.river, (), (), (), seat.pond, False)


def without(seat: Seat, tile: int, amount: int, wild: int) -> Seat:
    """The seat with `amount` of `tile` taken out of the hand; what is left counts as not drawn."""
    if tile == wild:
        return seat._replace(wilds=seat.wilds - amount, drawn=-1)
    return seat._replace(suits=adjusted(seat.suits, tile, -amount), drawn=-1)


def placed(seats: tuple[Seat, ...], index: int, seat: Seat) -> tuple[Seat, ...]:
    """The seats with one replaced."""
    return (*seats[:index], seat, *seats[index + 1 :])


def hand_of(seat: Seat, wild: int) -> tuple[int, ...]:
    """All concealed tiles in ascending order, the drawn one and wilds included."""
    tiles: list[int] = []
    for index, suit in enumerate(seat.suits):
        rank = 9 * index
        while suit:
            tiles += [rank] * (suit & 7)
            suit >>= 3
            rank += 1
    return tuple(tiles + [wild] * seat.wilds)


def kong_room(state: State) -> bool:
    """Whether a kong would find its replacement (RULES 3.5)."""
    least = 1 if state.reserve else state.options.rules.kong_spare
    return state.back - state.front - state.reserve >= least
