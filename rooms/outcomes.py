"""What a settled hand was for one seat: won or not, by one's own draw or not, dealt in, fish. Read off the settlement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.cache import cache

from liuzhou.rules.options import Options
from liuzhou.rules.patterns import win_value
from rooms.fold import SPECTATOR
from rooms.history import replay
from rooms.models import Hand

DAY = 24 * 3600
BY_DISCARD = frozenset({"kong_discard", "robbed_kong"})
BY_DRAW = frozenset({"kong_flower"})


class Outcome(NamedTuple):
    """`value` and `types` are the seat's win's; `drawn` and `dealt_in` are None where the settlement leaves it open."""

    won: bool
    value: int
    types: tuple[str, ...]
    drawn: bool | None
    dealt_in: bool | None
    fish: int
    points: int


def outcome(result: Mapping[str, Any], seat: int, options: Options) -> Outcome:
    """The hand for that seat. `fish` is the net of all fish lines in points."""
    mine = next((win for win in result["wins"] if win["seat"] == seat), None)
    drawn = by_own_draw(result, options)
    fish = sum(
        line["points"] * ((line["to"] == seat) - (line["from"] == seat))
        for line in result["payments"]
        if line["kind"] == "fish"
    )
    dealt_in: bool | None = False
    if result["wins"] and mine is None and drawn is not True:
        fed = any(line["kind"] == "win" and line["from"] == seat for line in result["payments"])
        dealt_in = fed if drawn is False else (None if fed else False)
    return Outcome(
        won=mine is not None,
        value=mine["value"] if mine else 0,
        types=tuple(mine["types"]) or ("basic",) if mine else (),
        drawn=drawn if mine else False,
        dealt_in=dealt_in,
        fish=fish,
        points=result["points"][seat],
    )


def by_own_draw(result: Mapping[str, Any], options: Options) -> bool | None:
    """Whether the hand ended by 自摸; None if the settlement alone cannot tell (a plain win of two players).

    Several winners, and one that a single seat pays, won by discard: unless it is 杠上花, or the payer is bonded and pays
    twice the value on top, as partners do for a self-draw only (RULES 5 and 6)."""
    wins, payments = result["wins"], result["payments"]
    if len(wins) != 1:
        return False
    win = wins[0]
    types = frozenset(win["types"])
    paid = [line for line in payments if line["to"] == win["seat"] and line["kind"] == "win"]
    if types & BY_DRAW or len(paid) > 1:
        return True
    if types & BY_DISCARD:
        return False
    bond = [line["points"] for line in payments if line["to"] == win["seat"] and line["kind"] == "sanbi"]
    if bond:
        return bool(bond[0] == 2 * paid[0]["points"])
    return False if options.players > 2 else _by_value(win, types, options)


def _by_value(win: Mapping[str, Any], types: frozenset[str], options: Options) -> bool | None:
    """Between two players the value may tell: a win by draw and one by discard are not always worth the same."""
    worth = [win_value(options, types, drawn, win["concealed"], win["last_tile"]) for drawn in (False, True)]
    return None if worth[0] == worth[1] else bool(win["value"] == worth[1])


def looked_up(hand_id: int) -> bool:
    """What the log says where the settlement could not: whether the winner drew the tile. Kept, as it never changes."""
    key = f"hand-drawn:{hand_id}"
    drawn: bool | None = cache.get(key)
    if drawn is None:
        steps = replay(Hand.objects.get(pk=hand_id), SPECTATOR)["steps"]
        won = [event for step in steps for event in step["events"] if event["kind"] == "won"]
        drawn = bool(won) and won[-1]["from"] is None
        cache.set(key, drawn, 30 * DAY)
    return drawn


def settled_by_log(found: Outcome, hand_id: int) -> Outcome:
    """The outcome with what the settlement left open looked up in the hand's log."""
    if found.drawn is not None and found.dealt_in is not None:
        return found
    drawn = looked_up(hand_id)
    return found._replace(
        drawn=drawn if found.drawn is None else found.drawn,
        dealt_in=not drawn if found.dealt_in is None else found.dealt_in,
    )
