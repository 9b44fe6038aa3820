"""Settlement cases as JSON (the CLI's `settle`, the calculator): read strictly, then settled (DESIGN 7)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from liuzhou.rules import fields
from liuzhou.rules.fields import refuse
from liuzhou.rules.melds import CHOW, CONCEALED_KONG, MELD_KINDS, Meld, well_formed
from liuzhou.rules.options import HAND_SIZE, Options
from liuzhou.rules.score import End, SeatHand, Settlement, settle
from liuzhou.rules.tiles import COPIES, NAMES

MOST_MELDS = 4
FISH_PER_SEAT = 2
END_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "discard": (("kind", "tile", "from", "winners"), ("after_kong",)),
    "self_draw": (("kind", "tile", "winners"), ("after_kong", "last_tile")),
    "robbed_kong": (("kind", "tile", "from", "winners"), ()),
    "draw": (("kind",), ()),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A finished hand, ready to be settled."""

    options: Options
    dealer: int
    seats: tuple[SeatHand, ...]
    end: End
    wall: tuple[int, ...]

    def settle(self) -> Settlement:
        return settle(self.options, self.dealer, self.seats, self.end, self.wall)


def settle_case(record: object) -> dict[str, Any]:
    """The CLI's answer to one case; RuleError for anything that is no possible end of a hand."""
    return parse_case(record).settle().as_json()


def parse_case(record: object) -> Case:
    """Read a case. CaseError with the field where something is malformed, out of play or impossible."""
    case = fields.mapping(record, "", ("preset", "dealer", "seats", "end"), ("options", "wall"))
    options = fields.options(case)
    dealer = fields.whole(case["dealer"], "dealer", options.players)
    listed = fields.array(case["seats"], "seats", options.players)
    if len(listed) != options.players:
        raise refuse(
            "seats",
            f"应有 {options.players} 个座位，得到 {len(listed)} 个",
            f"{options.players} seats expected, got {len(listed)}",
        )
    seats = tuple(_seat(each, f"seats[{i}]", i, options) for i, each in enumerate(listed))
    end = _end(case["end"], seats, options)
    wall = fields.tiles(case.get("wall", ""), "wall", options)
    _check_copies(seats, end, wall)
    return Case(options, dealer, seats, end, wall)


def _seat(record: object, field: str, seat: int, options: Options) -> SeatHand:
    told = fields.mapping(record, field, ("hand",), ("melds", "pond"))
    melds = parse_melds(told.get("melds", []), f"{field}.melds", seat, options)
    hand = fields.tiles(told["hand"], f"{field}.hand", options)
    expected = HAND_SIZE - 3 * len(melds)
    if len(hand) != expected:
        raise refuse(
            f"{field}.hand",
            f"{len(melds)} 副吃碰杠时手里应有 {expected} 张（不含所胡的牌），得到 {len(hand)} 张",
            f"{expected} tiles expected in hand beside {len(melds)} melds (without the winning tile), got {len(hand)}",
            "hand_size",
        )
    return SeatHand(hand, melds, _pond(told.get("pond", []), f"{field}.pond", options))


def _pond(record: object, field: str, options: Options) -> tuple[int, ...]:
    pond = fields.array(record, field, FISH_PER_SEAT)
    if pond and options.fish != "pond":
        raise refuse(field, "没有池塘钓鱼就没有鱼", "no fish without pond fishing", "no_pond")
    return tuple(fields.tile(each, f"{field}[{i}]", options) for i, each in enumerate(pond))


def parse_melds(record: object, field: str, seat: int, options: Options) -> tuple[Meld, ...]:
    """The melds of a seat, each with the seat that fed it."""
    listed = fields.array(record, field, MOST_MELDS)
    return tuple(_meld(each, f"{field}[{i}]", seat, options) for i, each in enumerate(listed))


def _meld(record: object, field: str, seat: int, options: Options) -> Meld:
    told = fields.mapping(record, field, ("kind", "tiles"), ("from",))
    kind = fields.word(told["kind"], f"{field}.kind", MELD_KINDS)
    tiles = tuple(sorted(fields.tiles(told["tiles"], f"{field}.tiles", options)))
    if not well_formed(kind, tiles):
        raise refuse(f"{field}.tiles", f"这些牌组不成 {kind}", f"these tiles do not make a {kind}", "meld")
    if kind == CONCEALED_KONG:
        if told.get("from") is not None:
            raise refuse(f"{field}.from", "暗杠没有来源", "nobody feeds a concealed kong", "meld_from")
        return Meld(kind, tiles)
    if "from" not in told:
        raise refuse(field, "缺少 from", "from is missing", "meld_from")
    source = fields.whole(told["from"], f"{field}.from", options.players)
    if source == seat:
        raise refuse(f"{field}.from", "不能是自己打出的牌", "a meld is not fed by its own seat", "meld_from")
    if kind == CHOW and source != (seat - 1) % options.players:
        raise refuse(f"{field}.from", "只能吃上家的牌", "a chow is fed by the previous player", "meld_from")
    return Meld(kind, tiles, source, -1 if kind == CHOW else tiles[0])


def _end(record: object, seats: Sequence[SeatHand], options: Options) -> End:
    kinds = [kind for kind in END_FIELDS if kind != "robbed_kong" or options.rules.rob_kong]
    kind = fields.word(record.get("kind") if isinstance(record, Mapping) else None, "end.kind", kinds)
    told = fields.mapping(record, "end", *END_FIELDS[kind])
    if kind == "draw":
        return End(kind)
    winners = _winners(told["winners"], options)
    tile = fields.tile(told["tile"], "end.tile", options)
    if kind == "self_draw":
        return _self_draw(told, tile, winners, seats)
    source = fields.whole(told["from"], "end.from", options.players)
    if source in winners:
        raise refuse("end.winners", "放炮者不能胡自己的牌", "nobody wins on their own tile", "winners")
    after_kong = fields.flag(told.get("after_kong", False), "end.after_kong")
    if after_kong and not any(meld.is_kong for meld in seats[source].melds):
        raise refuse("end.after_kong", "打出者没有杠", "the discarder has no kong", "after_kong")
    return End(kind, tile, source, winners, after_kong if kind == "discard" else None)


def _winners(record: object, options: Options) -> tuple[int, ...]:
    listed = fields.array(record, "end.winners", options.players - 1)
    winners = tuple(fields.whole(each, f"end.winners[{i}]", options.players) for i, each in enumerate(listed))
    if not winners:
        raise refuse("end.winners", "至少一人胡", "at least one winner expected", "winners")
    if len(set(winners)) < len(winners):
        raise refuse("end.winners", "同一人只能胡一次", "a winner is named twice", "winners")
    return winners


def _self_draw(told: Mapping[str, Any], tile: int, winners: tuple[int, ...], seats: Sequence[SeatHand]) -> End:
    if len(winners) != 1:
        raise refuse("end.winners", "自摸只有一人", "a self-draw has one winner", "winners")
    last_tile = fields.flag(told.get("last_tile", False), "end.last_tile")
    after_kong = told.get("after_kong")
    if after_kong is not None:
        melds = seats[winners[0]].melds
        if not melds:
            raise refuse("end.after_kong", "胡者没有杠", "the winner has no kong", "after_kong")
        after_kong = fields.whole(after_kong, "end.after_kong", len(melds))
        if not melds[after_kong].is_kong:
            raise refuse("end.after_kong", f"第 {after_kong} 副不是杠", f"meld {after_kong} is no kong", "after_kong")
    return End("self_draw", tile, winners=winners, after_kong=after_kong, last_tile=last_tile)


def _check_copies(seats: Iterable[SeatHand], end: End, wall: Iterable[int]) -> None:
    """No tile may be seen more than four times on the whole table."""
    held: Counter[int] = Counter(wall)
    for seat in seats:
        held.update(seat.hand)
        held.update(seat.pond)
        for meld in seat.melds:
            held.update(meld.tiles)
    if end.tile >= 0:
        held[end.tile] += 1
    for kind, copies in sorted(held.items()):
        if copies > COPIES:
            raise refuse("", f"{NAMES[kind]} 出现了 {copies} 张", f"{NAMES[kind]} appears {copies} times", "copies")
