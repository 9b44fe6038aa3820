"""The cast for settlement tests: seats 东 南 西 北 are 0–3, written tersely."""

from liuzhou.rules.melds import CHOW, CONCEALED_KONG, Meld
from liuzhou.rules.options import Options
from liuzhou.rules.score import End, SeatHand, Settlement, settle
from liuzhou.rules.tiles import parse_tile, parse_tiles

DULL = "147m258p369s1234z"  # a hand that is far from anything
KIND_OF = {"c": "chow", "p": "pong", "d": "direct_kong", "a": "added_kong", "k": "concealed_kong"}


def meld(text: str) -> Meld:
    """`p555m1`: a pong of 5m fed by seat 1; `k1111z`: a concealed kong."""
    kind = KIND_OF[text[0]]
    if kind == CONCEALED_KONG:
        return Meld(kind, parse_tiles(text[1:]))
    tiles = parse_tiles(text[1:-1])
    return Meld(kind, tiles, int(text[-1]), -1 if kind == CHOW else tiles[0])


def seat(hand: str = DULL, *melds: str, pond: str = "") -> SeatHand:
    """A seat; for a dull one with melds the hand's length does not matter to the settlement."""
    return SeatHand(parse_tiles(hand), tuple(meld(each) for each in melds), parse_tiles(pond))


def discard(tile: str, source: int, *winners: int, after_kong: bool = False) -> End:
    return End("discard", parse_tile(tile), source, winners, after_kong)


def robbed(tile: str, source: int, *winners: int) -> End:
    return End("robbed_kong", parse_tile(tile), source, winners)


def self_draw(tile: str, winner: int, after_kong: int | None = None, last_tile: bool = False) -> End:
    return End("self_draw", parse_tile(tile), winners=(winner,), after_kong=after_kong, last_tile=last_tile)


DRAW = End("draw")


def settled(options: Options, end: End, *seats: SeatHand, dealer: int = 0, wall: str = "") -> Settlement:
    """Settle; seats not given are dull."""
    filled = [*seats, *(seat() for _ in range(options.players - len(seats)))]
    return settle(options, dealer, filled, end, parse_tiles(wall))
