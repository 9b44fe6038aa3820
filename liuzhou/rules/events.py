"""What happened, for whom: the typed events of a hand and `redact`, the one place that decides what a seat is told."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.score import Settlement
from liuzhou.rules.state import Seat, hand_of
from liuzhou.rules.tiles import format_tiles

Json: TypeAlias = "dict[str, object]"


class FishOpened(NamedTuple):
    """钓鱼 begins: `slots` backs lie open to everybody (RULES 7.2)."""

    slots: int
    drawable: int


class Fished(NamedTuple):
    """A seat took a slot; the tile stays unseen, for its owner too."""

    seat: int
    slot: int
    drawable: int


class FishEnded(NamedTuple):
    """A seat fishes no more."""

    seat: int


class Dealt(NamedTuple):
    """Thirteen tiles each; the dealer's fourteenth follows as a draw."""

    dealer: int
    dice: tuple[int, int]
    drawable: int
    hands: tuple[tuple[int, ...], ...]


class Drew(NamedTuple):
    """A seat drew; only it sees the tile."""

    seat: int
    tile: int
    drawable: int
    replacement: bool


class Discarded(NamedTuple):
    """A discard. Whether it is the `drawn` tile is told to the discarder alone: it would show others a hidden tile."""

    seat: int
    tile: int
    drawn: bool


class Melded(NamedTuple):
    """A chow, pong or kong lies on the table, an added kong once nobody has robbed it. `banned`: see Seat."""

    seat: int
    meld: Meld
    banned: tuple[int, ...]


class KongDeclared(NamedTuple):
    """An added kong that may be robbed (RULES 3.9)."""

    seat: int
    tile: int


class Robbed(NamedTuple):
    """The declared kong is void: its tile went to the winners."""

    seat: int
    tile: int
    by: tuple[int, ...]


class Passed(NamedTuple):
    """For its own seat alone: what it answered (`do`) and the locks it now has.

    Sent for every pass, and for a claim that gives up a better one.
    """

    seat: int
    do: str
    no_pong: tuple[int, ...]
    no_win: tuple[int, ...]


class Won(NamedTuple):
    """Who won on which tile; `source` is who gave it, -1 for a self-draw."""

    seats: tuple[int, ...]
    tile: int
    source: int
    how: str


class Ended(NamedTuple):
    """The hand is over and everything lies open."""

    settlement: Settlement
    options: Options
    seats: tuple[Seat, ...]


Event: TypeAlias = (
    FishOpened | Fished | FishEnded | Dealt | Drew | Discarded | Melded | KongDeclared | Robbed | Passed | Won | Ended
)


def audience(event: Event) -> int | None:
    """The only seat that hears of this event, None for everybody (who may still see different parts of it)."""
    return event.seat if isinstance(event, Passed) else None


def redact(event: Event, seat: int | None) -> Json | None:
    """What `seat` (None: a spectator) is sent for this event; None when it is sent nothing."""
    match event:
        case Drew():
            return {
                "kind": "drew",
                "seat": event.seat,
                "tile": tile_json(event.tile) if seat == event.seat else None,
                "drawable": event.drawable,
                "replacement": event.replacement,
            }
        case Discarded():
            drawn = event.drawn and seat == event.seat
            return {"kind": "discarded", "seat": event.seat, "tile": tile_json(event.tile), "drawn": drawn}
        case Passed():
            if seat != event.seat:
                return None
            return {"kind": "passed", "seat": seat, "do": event.do, "locks": locks_json(event.no_pong, event.no_win)}
        case Melded():
            return _melded(event, seat)
        case Dealt():
            return {
                "kind": "dealt",
                "dealer": event.dealer,
                "dice": dice_json(event.dice),
                "drawable": event.drawable,
                "hand": None if seat is None else format_tiles(event.hands[seat]),
            }
        case FishOpened():
            return {"kind": "fish_opened", "slots": event.slots, "drawable": event.drawable}
        case Fished():
            return {"kind": "fished", "seat": event.seat, "slot": event.slot, "drawable": event.drawable}
        case FishEnded():
            return {"kind": "fish_ended", "seat": event.seat}
        case KongDeclared():
            return {"kind": "kong_declared", "seat": event.seat, "tile": tile_json(event.tile)}
        case Robbed():
            return {"kind": "robbed", "seat": event.seat, "tile": tile_json(event.tile), "by": list(event.by)}
        case Won():
            source = None if event.source < 0 else event.source
            return {
                "kind": "won",
                "seats": list(event.seats),
                "tile": tile_json(event.tile),
                "from": source,
                "how": event.how,
            }
        case Ended():
            seats = [revealed_json(each, event.options.wild) for each in event.seats]
            return {"kind": "ended", "result": event.settlement.as_json(), "seats": seats}


def _melded(event: Melded, seat: int | None) -> Json:
    own = seat == event.seat
    answer: Json = {"kind": "melded", "seat": event.seat, "meld": meld_json(event.meld, own)}
    if own:
        answer["banned"] = tiles_json(event.banned)
    return answer


def tile_json(tile: int) -> str:
    """One tile: `"5m"`."""
    return _NAMES[tile]


def tiles_json(tiles: tuple[int, ...]) -> list[str]:
    """Tiles one by one: `["5m", "6m"]`."""
    return [_NAMES[tile] for tile in tiles]


_NAMES = tuple(format_tiles((tile,)) for tile in range(34))


def dice_json(dice: tuple[int, int]) -> list[int] | None:
    """The dice, None for a record that has none."""
    return list(dice) if dice[0] else None


def meld_json(meld: Meld, seen: bool) -> Json:
    """A meld; a concealed kong that is not to be seen is four unknown tiles (RULES 3.10)."""
    shown = seen or meld.kind != "concealed_kong"
    return {
        "kind": meld.kind,
        "tiles": format_tiles(meld.tiles) if shown else None,
        "from": None if meld.source < 0 else meld.source,
        "tile": None if meld.tile < 0 else tile_json(meld.tile),
    }


def locks_json(no_pong: tuple[int, ...], no_win: tuple[int, ...]) -> Json:
    """漏碰 and 漏胡: the kinds, or "all" for a win on any tile."""
    win: object = "all" if no_win == (-1,) else tiles_json(no_win) or None
    return {"pong": tiles_json(no_pong), "win": win}


def hand_text(seat: Seat, wild: int) -> tuple[str, str | None]:
    """The concealed tiles without the drawn one, sorted, and the drawn one."""
    tiles = list(hand_of(seat, wild))
    if seat.drawn < 0:
        return format_tiles(tiles), None
    tiles.remove(seat.drawn)
    return format_tiles(tiles), tile_json(seat.drawn)


def revealed_json(seat: Seat, wild: int) -> Json:
    """One seat with everything on the table."""
    hand, drawn = hand_text(seat, wild)
    return {
        "hand": hand,
        "drawn": drawn,
        "melds": [meld_json(meld, True) for meld in seat.melds],
        "pond": tiles_json(seat.pond),
    }
