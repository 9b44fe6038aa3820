"""算分器's answer as its template draws it: wins, lines, totals, the next dealer, and what would have changed. Pure."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from liuzhou.rules.case import Case
from liuzhou.rules.score import Settlement
from rooms.calculator import Entry
from rooms.explain import SEAT_NAMES, Line, Text, WinTold, explain_lines, explain_wins
from rooms.variants import Variant, variants


class Total(NamedTuple):
    seat: int
    name: Text
    dealer: bool
    points: int
    score: int


class Answer(NamedTuple):
    wins: list[WinTold]
    lines: list[Line]
    totals: list[Total]
    base: int
    next_dealer: Text
    stays: bool
    changed: list[Variant]
    same: list[str]
    notes: list[str]


def answer_of(entry: Entry, case: Case, settlement: Settlement) -> Answer:
    changed, same = variants(entry, case, settlement)
    totals = [
        Total(seat, SEAT_NAMES[seat], seat == case.dealer, settlement.points[seat], settlement.score[seat])
        for seat in range(case.options.players)
    ]
    return Answer(
        explain_wins(case, settlement),
        explain_lines(case, settlement),
        totals,
        case.options.base,
        SEAT_NAMES[settlement.next_dealer],
        settlement.next_dealer == case.dealer,
        changed,
        same,
        _notes(case, settlement),
    )


def _notes(case: Case, settlement: Settlement) -> list[str]:
    """What the settlement silently took for granted."""
    notes = []
    wanted = case.options.flips * len(settlement.wins)
    turned = sum(len(win.flipped) for win in settlement.wins)
    if turned < wanted:
        notes.append(
            _("该翻 %(wanted)d 张鱼，只填了 %(turned)d 张；没填的不算。") % {"wanted": wanted, "turned": turned}
        )
    if settlement.wins and case.options.fish == "pond" and not any(seat.pond for seat in case.seats):
        notes.append(_("没有填鱼，按没人钓鱼算。"))
    return notes
