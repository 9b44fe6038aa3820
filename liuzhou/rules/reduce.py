"""`reduce(view, event)`: the next view from what a seat was sent. static/js/reduce.js does the same in the browser.

Works on JSON forms alone, so that whatever a seat can conclude follows from what it was told and nothing else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

from liuzhou.rules.presets import PRESETS
from liuzhou.rules.tiles import format_tiles, parse_tiles

View = dict[str, Any]  # JSON as decoded: its shape is view()'s


def reduce(view: Mapping[str, object], event: Mapping[str, Any]) -> View:
    """The view after one redacted event; the given view is left as it is. An unknown kind changes nothing."""
    after = copy.deepcopy(dict(view))
    change = _CHANGES.get(event["kind"])
    if change is not None:
        change(after, event)
    return after


def _fish_opened(view: View, event: Mapping[str, Any]) -> None:
    view.update(phase="fish", drawable=event["drawable"], pond=[None] * event["slots"])


def _fished(view: View, event: Mapping[str, Any]) -> None:
    view["pond"][event["slot"] - 1] = event["seat"]
    view["seats"][event["seat"]]["fish"] += 1
    view["drawable"] = event["drawable"]


def _fish_ended(view: View, event: Mapping[str, Any]) -> None:
    view["seats"][event["seat"]]["fishing"] = False


def _dealt(view: View, event: Mapping[str, Any]) -> None:
    view.update(
        phase="turn", turn=event["dealer"], dealer=event["dealer"], dice=event["dice"], drawable=event["drawable"]
    )
    for index, seat in enumerate(view["seats"]):
        seat.update(hand=event["hand"] if index == view["you"] else None, count=13, drawn=None, has_drawn=False)


def _drew(view: View, event: Mapping[str, Any]) -> None:
    seat = view["seats"][event["seat"]]
    seat.update(count=seat["count"] + 1, drawn=event["tile"], has_drawn=True)
    view.update(phase="turn", turn=event["seat"], drawable=event["drawable"], pending=None)
    if event["seat"] == view["you"]:
        view.update(locks={"pong": [], "win": None}, banned=[])


def _discarded(view: View, event: Mapping[str, Any]) -> None:
    index, tile = event["seat"], event["tile"]
    seat = view["seats"][index]
    _drop(seat, [tile])
    seat["river"].append({"tile": tile, "drawn": event["drawn"], "taken": False})
    view.update(phase="claim", turn=index, pending={"seat": index, "tile": tile})


def _melded(view: View, event: Mapping[str, Any]) -> None:
    index, meld = event["seat"], copy.deepcopy(event["meld"])
    seat, kind = view["seats"][index], meld["kind"]
    tiles = _apart(meld["tiles"]) if meld["tiles"] else ["?"] * 4
    if kind == "added_kong":
        _drop(seat, [meld["tile"]])
        pong = next(old for old in seat["melds"] if old["kind"] == "pong" and old["tile"] == meld["tile"])
        pong.update(meld)
        return
    if kind != "concealed_kong":
        tiles.remove(meld["tile"])
        view["seats"][meld["from"]]["river"][-1]["taken"] = True
        view.update(phase="turn", turn=index, pending=None)
        if kind in PRESETS[view["preset"]].sanbi_melds:
            view["feeds"][index][meld["from"]] += 1
    _drop(seat, tiles)
    seat["melds"].append(meld)
    if index == view["you"]:
        view["banned"] = list(event["banned"])


def _kong_declared(view: View, event: Mapping[str, Any]) -> None:
    view.update(phase="rob", turn=event["seat"], pending={"seat": event["seat"], "tile": event["tile"]})


def _robbed(view: View, event: Mapping[str, Any]) -> None:
    _drop(view["seats"][event["seat"]], [event["tile"]])


def _passed(view: View, event: Mapping[str, Any]) -> None:
    view["locks"] = copy.deepcopy(event["locks"])


def _ended(view: View, event: Mapping[str, Any]) -> None:
    view.update(phase="over", pending=None, result=copy.deepcopy(event["result"]))
    for seat, shown in zip(view["seats"], event["seats"], strict=True):
        seat.update(copy.deepcopy(shown))


def _drop(seat: View, tiles: list[str]) -> None:
    """Tiles leave the concealed hand; what is left of it counts as not drawn."""
    seat["count"] -= len(tiles)
    if seat["hand"] is not None:
        held = _apart(seat["hand"]) + ([seat["drawn"]] if seat["drawn"] else [])
        for tile in tiles:
            held.remove(tile)
        seat["hand"] = format_tiles(parse_tiles("".join(held)))
    seat.update(drawn=None, has_drawn=False)


def _apart(text: str) -> list[str]:
    return [format_tiles((tile,)) for tile in parse_tiles(text)]


_CHANGES: Final[Mapping[str, Callable[[View, Mapping[str, Any]], None]]] = {
    "fish_opened": _fish_opened,
    "fished": _fished,
    "fish_ended": _fish_ended,
    "dealt": _dealt,
    "drew": _drew,
    "discarded": _discarded,
    "melded": _melded,
    "kong_declared": _kong_declared,
    "robbed": _robbed,
    "passed": _passed,
    "ended": _ended,
}
