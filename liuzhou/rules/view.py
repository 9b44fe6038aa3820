"""What one seat may know of a state, ready for JSON. Fold `reduce` over `redact`ed events and the view stays right."""

from __future__ import annotations

from liuzhou.rules.events import Json, dice_json, hand_text, locks_json, meld_json, redact, tile_json, tiles_json
from liuzhou.rules.reduce import reduce
from liuzhou.rules.state import CLAIM, FISHING, OVER, RIVER_DRAWN, RIVER_TAKEN, RIVER_TILE, ROB, Seat, State

__all__ = ["Json", "redact", "reduce", "view"]


def view(state: State, seat: int | None) -> Json:
    """The hand as `seat` sees it; None is a spectator, who sees what lies on the table."""
    own = None if seat is None else state.seats[seat]
    asking = state.phase in (CLAIM, ROB)
    return {
        "preset": state.options.preset,
        "options": state.options.as_json(),
        "you": seat,
        "dealer": state.dealer,
        "dice": None if state.phase == FISHING else dice_json(state.dice),
        "phase": state.phase,
        "turn": state.turn,
        "drawable": state.drawable,
        "seats": [_seat(state, index, seat) for index in range(len(state.seats))],
        "pond": [None if owner < 0 else owner for owner in state.pond],
        "pending": {"seat": state.turn, "tile": tile_json(state.tile)} if asking else None,
        "feeds": _feeds(state),
        "locks": locks_json(own.no_pong, own.no_win) if own else {},
        "banned": tiles_json(own.banned) if own else [],
        "result": state.settlement.as_json() if state.settlement else None,
    }


def _seat(state: State, index: int, viewer: int | None) -> Json:
    seat = state.seats[index]
    over, own = state.phase == OVER, index == viewer
    hand, drawn = hand_text(seat, state.options.wild) if over or own else (None, None)
    return {
        "hand": hand,
        "count": concealed(seat),
        "drawn": drawn,
        "has_drawn": seat.drawn >= 0,
        "melds": [meld_json(meld, over or own) for meld in seat.melds],
        "river": [_river(entry, own) for entry in seat.river],
        "fish": state.pond.count(index),
        "fishing": seat.fishing,
        "pond": tiles_json(seat.pond) if over else None,
    }


def concealed(seat: Seat) -> int:
    """How many tiles the seat holds concealed."""
    count = seat.wilds
    for suit in seat.suits:
        while suit:
            count += suit & 7
            suit >>= 3
    return count


def _river(entry: int, own: bool) -> Json:
    """Whether a discard came straight from the draw is its owner's to know: it would show a tile others cannot see."""
    return {
        "tile": tile_json(entry & RIVER_TILE),
        "drawn": own and bool(entry & RIVER_DRAWN),
        "taken": bool(entry & RIVER_TAKEN),
    }


def _feeds(state: State) -> list[list[int]]:
    """[a][b]: melds a took from b that count towards 三包 (RULES 6.1)."""
    feeds = [[0] * len(state.seats) for _ in state.seats]
    for taker, seat in enumerate(state.seats):
        for meld in seat.melds:
            if meld.kind in state.options.rules.sanbi_melds:
                feeds[taker][meld.source] += 1
    return feeds
