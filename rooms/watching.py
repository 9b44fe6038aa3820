"""What staff may see of a room: what every onlooker could while a hand runs, its whole log when it is over. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from liuzhou.rules.tiles import NAMES, parse_tiles
from rooms import fold as folds
from rooms import records, snapshot
from rooms.fold import SPECTATOR, Fold
from rooms.models import Action, Hand, Room
from rooms.protocol import RoomInfo


class Step(NamedTuple):
    """One row of a hand's log, or one public event of it."""

    seq: int
    at: Any
    seat: int
    what: str
    detail: str
    origin: str


class Watched(NamedTuple):
    """A room's public state and the spectators' view of its running hand."""

    info: RoomInfo
    seats: list[dict[str, Any]]
    view: dict[str, Any] | None
    hand: int | None


def watch(room: Room) -> Watched:
    """The room now. The view is made by the same function as every onlooker's: no hidden tile is in it."""
    frame = snapshot.read(room.pk).frame.room
    running = room.hands.filter(state=Hand.State.RUNNING).values_list("pk", flat=True).first()
    view = _spectators_view(records.load(running)) if running else None
    return Watched(frame, [_seat(frame, view, index) for index in range(len(frame.seats))], view, running)


def _spectators_view(fold: Fold) -> dict[str, Any]:
    return fold.view(SPECTATOR)


def _seat(info: RoomInfo, view: dict[str, Any] | None, index: int) -> dict[str, Any]:
    """One seat for the page: who sits there, and what lies open before them."""
    shown = view["seats"][index] if view else None
    return {
        "index": index,
        "info": info.seats[index],
        "turn": view is not None and view["turn"] == index,
        "dealer": view is not None and view["dealer"] == index,
        "count": shown["count"] if shown else 0,
        "melds": [_drawn(meld["tiles"]) for meld in shown["melds"]] if shown else [],
        "river": shown["river"] if shown else [],
    }


def _drawn(tiles: str | None) -> list[str]:
    return [NAMES[kind] for kind in parse_tiles(tiles)] if tiles else ["back"] * 4


def public_log(hand: Hand) -> Iterator[Step]:
    """What onlookers were sent, in order; a hidden pass is not among it."""
    if hand.started_at is None:
        return
    fold = folds.begin(records.setup_of(hand))
    number = 0
    for row in records.log_of(hand.pk):
        fold, outgoing = folds.step(fold, row)
        for _, event in outgoing[SPECTATOR].events if SPECTATOR in outgoing else ():
            number += 1
            told = {key: value for key, value in event.items() if key not in ("kind", "seat") and value is not None}
            yield Step(number, records.moment(row.at), event.get("seat", -1), event["kind"], _text(told), "")


def whole_log(hand: Hand) -> Iterator[Step]:
    """Every row of a hand that is over; ValueError while it runs."""
    if hand.ended_at is None:
        raise ValueError(f"hand {hand.pk} is not over")
    origins = dict(Action.Origin.choices)
    for row in records.log_of(hand.pk):
        body = msgspec.json.decode(row.body)
        yield Step(
            row.seq, records.moment(row.at), row.seat, body.pop("do"), _text(body), str(origins.get(row.origin, ""))
        )


def _text(body: dict[str, Any]) -> str:
    return " ".join(
        f"{key}={msgspec.json.encode(value).decode() if not isinstance(value, str) else value}"
        for key, value in body.items()
    )[:400]
