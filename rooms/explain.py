"""A settlement told line by line: how each win came to its value, each payment with the rule behind it, the totals. Pure.

Nothing is counted here: values come from `win_value`, lines from `Settlement.payments`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from liuzhou.rules.case import Case
from liuzhou.rules.fish import flip_hits
from liuzhou.rules.melds import ADDED_KONG, CHOW, CONCEALED_KONG, DIRECT_KONG, Meld
from liuzhou.rules.options import Options
from liuzhou.rules.patterns import TYPE_NAMES, win_value
from liuzhou.rules.presets import OPTION_NAMES, VALUE_NAMES, Value
from liuzhou.rules.score import Payment, Settlement, Win, sole_payer
from liuzhou.rules.tiles import NAMES, NAMES_ZH

Text = str | Promise
ORDER = {"win": 0, "sanbi": 1, "kong": 2, "fish": 3}  # as in RULES 5–7
KIND_NAMES: dict[str, Text] = {
    "win": gettext_lazy("胡牌"),
    "sanbi": gettext_lazy("三包"),
    "kong": gettext_lazy("杠分"),
    "fish": gettext_lazy("鱼"),
}
# the rule of RULES.md behind a payment (Payment.rule): its place on the rules page, and in one sentence
RULES: dict[str, tuple[str, Text]] = {
    "5": ("pays", gettext_lazy("点炮由放炮者付；自摸其余各家都付")),
    "6.2": ("sanbi", gettext_lazy("三包：与胡家互包的一家另付一份")),
    "6.3": ("sanbi", gettext_lazy("三包：胡家自摸，互包的一家再付两份，共三份")),
    "6.4": ("sanbi", gettext_lazy("三包：杠上花由一家包付，互包的一家再付同样多")),
    "7.1": ("kongs", gettext_lazy("杠分：明杠由放杠者付 1 分，暗杠其余各家各付 1 分")),
    "7.2": ("fish", gettext_lazy("鱼跟着它的那家一起收、一起付")),
    "7.3": ("fish", gettext_lazy("翻中 N 条鱼，胡牌所得（含三包）乘 N＋1")),
}
SEAT_NAMES: tuple[Text, ...] = (gettext_lazy("东家"), gettext_lazy("南家"), gettext_lazy("西家"), gettext_lazy("北家"))


class Step(NamedTuple):
    """A value on its way up: what was added and what the hand is then worth."""

    name: str
    value: int


class WinTold(NamedTuple):
    """One winner as shown: the hand drawn, the types, how the value grew, the tiles turned and whether they hit."""

    seat: int
    hand: tuple[str, ...]
    melds: tuple[MeldDrawn, ...]
    tile: str
    types: tuple[str, ...]
    steps: tuple[Step, ...]
    value: int
    fish: int
    flipped: tuple[tuple[str, bool], ...]


class TileDrawn(NamedTuple):
    """A tile of a meld: its sprite name, and whether it lies turned towards who fed it."""

    name: str
    turned: bool = False


class MeldDrawn(NamedTuple):
    kind: str
    source: int
    tiles: tuple[TileDrawn, ...]


class Line(NamedTuple):
    """Payments of one kind between two seats for one reason, added up."""

    kind: str
    payer: int
    payee: int
    points: int
    parts: tuple[int, ...]
    rule: str
    why: str

    @property
    def name(self) -> Text:
        return KIND_NAMES[self.kind]

    @property
    def anchor(self) -> str:
        return RULES[self.rule][0]


def english() -> bool:
    return (get_language() or "").startswith("en")


def tell(pair: tuple[str, str]) -> str:
    """Of a Chinese and an English name, the one of the page's language."""
    return pair[english()]


def tile_name(tile: int) -> str:
    return NAMES[tile] if english() else NAMES_ZH[tile]


def option_name(name: str) -> str:
    return tell(OPTION_NAMES[name])


def value_name(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return _("开") if value else _("关")
    pair = VALUE_NAMES.get((name, str(value)))
    return tell(pair) if pair else str(value)


def type_names(win: Win) -> tuple[str, ...]:
    """The big types (基本胡 without any), then the multipliers that are true of the hand."""
    names = [tell(TYPE_NAMES[each]) for each in TYPE_NAMES if each in win.types] or [_("基本胡")]
    names += [_("门清")] if win.concealed else []
    return (*names, *([_("海底捞月")] if win.last_tile else []))


def value_steps(options: Options, win: Win, drawn: bool) -> tuple[Step, ...]:
    """How `win_value` grows: from a basic win over each type to 海底 and 门清. The last step is the win's value."""
    steps = [Step(_("基本胡"), win_value(options, frozenset(), drawn, False, False))]
    types: frozenset[str] = frozenset()
    for each in TYPE_NAMES:
        if each in win.types:
            types |= {each}
            steps.append(Step(tell(TYPE_NAMES[each]), win_value(options, types, drawn, False, False)))
    if win.last_tile:
        steps.append(Step(_("海底捞月"), win_value(options, types, drawn, False, True)))
    if win.concealed and steps[-1].value != win.value:
        steps.append(Step(_("门清"), win_value(options, types, drawn, True, win.last_tile)))
    return tuple(steps)


def explain_wins(case: Case, settlement: Settlement) -> list[WinTold]:
    drawn = case.end.kind == "self_draw"
    return [
        WinTold(
            win.seat,
            tuple(NAMES[tile] for tile in sorted(case.seats[win.seat].hand)),
            tuple(draw_meld(meld, win.seat, case.options.players) for meld in case.seats[win.seat].melds),
            NAMES[case.end.tile],
            type_names(win),
            value_steps(case.options, win, drawn),
            win.value,
            win.fish,
            tuple(
                (NAMES[tile], bool(flip_hits(case.options, win.seat - case.dealer, (tile,)))) for tile in win.flipped
            ),
        )
        for win in settlement.wins
    ]


def draw_meld(meld: Meld, owner: int, players: int) -> MeldDrawn:
    """The meld as it lies: one tile turned on the side of its feeder; of a concealed kong the outer two face down."""
    names = [NAMES[tile] for tile in meld.tiles]
    if meld.kind == CONCEALED_KONG:
        return MeldDrawn(meld.kind, -1, tuple(TileDrawn(name) for name in ("back", *names[1:3], "back")))
    offset = (meld.source - owner) % players
    at = 0 if offset == players - 1 and players > 2 else len(names) - 1 if offset == 1 and players > 2 else 1
    if meld.kind == CHOW:
        at = 0
    return MeldDrawn(meld.kind, meld.source, tuple(TileDrawn(name, i == at) for i, name in enumerate(names)))


def explain_lines(case: Case, settlement: Settlement) -> list[Line]:
    """The payments in the order of the rules, equal ones added up."""
    sums: dict[tuple[str, int, int, str], list[int]] = {}
    for payment in settlement.payments:
        sums.setdefault((payment.kind, payment.payer, payment.payee, payment.rule), []).append(payment.points)
    lines = [
        Line(
            kind,
            payer,
            payee,
            sum(parts),
            tuple(parts),
            rule,
            why(case, settlement, Payment(payer, payee, kind, 0, rule)),
        )
        for (kind, payer, payee, rule), parts in sums.items()
    ]
    return sorted(lines, key=lambda line: ORDER[line.kind])


def why(case: Case, settlement: Settlement, payment: Payment) -> str:
    """The rule behind a payment; of rules with clauses, the one that applies."""
    if payment.rule == "5":
        return _why_win(case, payment.payee)
    if payment.rule == "7.1":
        return _why_kong(case, payment)
    if payment.rule == "7.3":
        hits = next(win.fish for win in settlement.wins if win.seat == payment.payee)
        return _("翻中 %(hits)d 条鱼：胡牌所得（含三包）乘 %(times)d") % {"hits": hits, "times": hits + 1}
    return str(RULES[payment.rule][1])


def _why_win(case: Case, winner: int) -> str:
    end, players = case.end, case.options.players
    if end.kind == "discard":
        return _("点炮：放炮者付")
    if end.kind == "robbed_kong":
        return _("抢杠胡：补杠者付，按点炮算")
    if sole_payer(case.options, case.seats, end, winner) is not None:
        return _("杠上花：放杠者一家包付 %(n)d 份") % {"n": players - 1}
    return _("自摸：每家付")


def _why_kong(case: Case, payment: Payment) -> str:
    """Which kongs of the payee this payer owes for."""
    names = []
    for meld in case.seats[payment.payee].melds:
        if meld.kind == CONCEALED_KONG:
            names.append(_("暗杠%(tile)s：各家付 1 分") % {"tile": tile_name(meld.tiles[0])})
        elif meld.source == payment.payer and meld.kind == DIRECT_KONG:
            names.append(_("点杠%(tile)s：放杠者付 1 分") % {"tile": tile_name(meld.tiles[0])})
        elif meld.source == payment.payer and meld.kind == ADDED_KONG:
            names.append(_("碰杠%(tile)s：放碰者付 1 分") % {"tile": tile_name(meld.tiles[0])})
    return _("；").join(names)


def summed(lines: Sequence[Line], players: int) -> tuple[int, ...]:
    """What the lines come to for each seat."""
    points = [0] * players
    for line in lines:
        points[line.payer] -= line.points
        points[line.payee] += line.points
    return tuple(points)
