"""The settlement of a hand: wins, sanbi, kong points, fish, totals, the next dealer (RULES 5–8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from liuzhou.rules import fish
from liuzhou.rules.errors import CaseError
from liuzhou.rules.melds import ADDED_KONG, CONCEALED_KONG, DIRECT_KONG, Meld
from liuzhou.rules.options import Options
from liuzhou.rules.patterns import Hand, How, evaluate
from liuzhou.rules.tiles import NAMES

SANBI_MELDS = 3


@dataclass(frozen=True, slots=True)
class SeatHand:
    """A seat when the hand ended: concealed tiles without the winning one, melds, and the fish it owns."""

    hand: tuple[int, ...]
    melds: tuple[Meld, ...] = ()
    pond: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    """How the hand ended.

    `kind`: discard, self_draw, robbed_kong or draw. `source`: the discarder, or who declared the robbed kong.
    `after_kong`: for a discard whether it follows a kong; for a self-draw the index of that kong among the winner's melds.
    """

    kind: str
    tile: int = -1
    source: int = -1
    winners: tuple[int, ...] = ()
    after_kong: bool | int | None = None
    last_tile: bool = False


class Payment(NamedTuple):
    """One line of the settlement, in points, and the rule of RULES.md behind it."""

    payer: int
    payee: int
    kind: str  # win, sanbi, kong, fish
    points: int
    rule: str

    def as_json(self) -> dict[str, Any]:
        return {"from": self.payer, "to": self.payee, "kind": self.kind, "points": self.points}


class Win(NamedTuple):
    """One winner: the best reading of the hand, and what flip fishing turned."""

    seat: int
    types: tuple[str, ...]
    concealed: bool
    last_tile: bool
    value: int
    fish: int = 0
    flipped: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "types": list(self.types),
            "concealed": self.concealed,
            "last_tile": self.last_tile,
            "value": self.value,
            "fish": self.fish,
            "flipped": [NAMES[tile] for tile in self.flipped],
        }


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a hand comes to: `points` before base, `score` after it."""

    wins: tuple[Win, ...]
    payments: tuple[Payment, ...]
    points: tuple[int, ...]
    score: tuple[int, ...]
    next_dealer: int

    def as_json(self) -> dict[str, Any]:
        """The answer of the CLI's `settle`."""
        return {
            "wins": [win.as_json() for win in self.wins],
            "payments": [payment.as_json() for payment in self.payments],
            "points": list(self.points),
            "score": list(self.score),
            "next_dealer": self.next_dealer,
        }


def settle(options: Options, dealer: int, seats: Sequence[SeatHand], end: End, wall: Sequence[int] = ()) -> Settlement:
    """Settle a hand. `wall`: the tiles next to be turned, in order. CaseError if a winner's hand does not win."""
    wins: list[Win] = []
    payments: list[Payment] = []
    turned = 0
    for seat in order_of_play(end, options.players):
        hand = winning_hand(options, seats[seat], end, seat)
        flipped = tuple(wall[turned : turned + options.flips])
        turned += len(flipped)
        hits = fish.flip_hits(options, (seat - dealer) % options.players, flipped)
        wins.append(Win(seat, *hand, hits, flipped))
        paid = win_payments(options, seats, end, seat, hand.value)
        payments += paid
        if hits:
            payments += [Payment(p.payer, p.payee, "fish", p.points * hits, "7.3") for p in paid]
    payments += kong_payments(seats)
    if options.fish == "pond":
        payments += [
            Payment(payer, payee, "fish", points, "7.2")
            for payer, payee, points in fish.pond_payments(
                [(p.payer, p.payee, p.points) for p in payments], [seat.pond for seat in seats], dealer
            )
        ]
    points = [0] * options.players
    for payment in payments:
        points[payment.payer] -= payment.points
        points[payment.payee] += payment.points
    return Settlement(
        tuple(wins),
        tuple(payments),
        tuple(points),
        tuple(options.base * p for p in points),
        next_dealer(options, dealer, end),
    )


def order_of_play(end: End, players: int) -> list[int]:
    """The winners, the first counter-clockwise from the discarder first."""
    return sorted(end.winners, key=lambda seat: (seat - end.source) % players)


def winning_hand(options: Options, seat_hand: SeatHand, end: End, seat: int) -> Hand:
    """The winner's best reading; CaseError when the tiles do not win."""
    after_kong = end.after_kong is not None if end.kind == "self_draw" else bool(end.after_kong)
    hand = evaluate(options, seat_hand.hand, seat_hand.melds, end.tile, How(end.kind, after_kong, end.last_tile))
    if hand is None:
        raise CaseError(
            "no_win",
            f"{seat} 号位的牌胡不了 {NAMES[end.tile]}",
            f"seat {seat} does not win on {NAMES[end.tile]}",
            "end.winners",
        )
    return hand


def win_payments(options: Options, seats: Sequence[SeatHand], end: End, seat: int, value: int) -> list[Payment]:
    """What the winner is paid for the win, sanbi included, before flip fishing (RULES 5, 6)."""
    partners = bonded(options, seats, seat)
    feeder = sole_payer(options, seats, end, seat)
    others = [(seat + i) % options.players for i in range(1, options.players)]
    if feeder is not None:
        amount = value * (options.players - 1 if end.kind == "self_draw" else 1)
        rule = "6.4" if end.kind == "self_draw" else "6.2"
        return [
            Payment(feeder, seat, "win", amount, "5"),
            *(Payment(partner, seat, "sanbi", amount, rule) for partner in others if partner in partners),
        ]
    payers = [other for other in others if other in partners or not (partners and options.rules.sanbi_shields)]
    return [
        *(Payment(payer, seat, "win", value, "5") for payer in payers),
        *(Payment(payer, seat, "sanbi", 2 * value, "6.3") for payer in payers if payer in partners),
    ]


def sole_payer(options: Options, seats: Sequence[SeatHand], end: End, seat: int) -> int | None:
    """The one who pays for everybody: the discarder, or who fed the kong that bloomed; None for a plain self-draw."""
    if end.kind != "self_draw":
        return end.source
    if end.after_kong is None:
        return None
    kong = seats[seat].melds[end.after_kong]
    if kong.kind == DIRECT_KONG or (kong.kind == ADDED_KONG and options.rules.added_flower_feeder_pays):
        return kong.source
    return None


def fed_melds(options: Options, melds: Sequence[Meld], feeder: int) -> int:
    """How many melds of these the feeder fed that count for sanbi (RULES 6.1)."""
    return sum(meld.source == feeder and meld.kind in options.rules.sanbi_melds for meld in melds)


def bonded(options: Options, seats: Sequence[SeatHand], seat: int) -> frozenset[int]:
    """三包: the seats bonded to this one, whoever fed whom."""
    return frozenset(
        other
        for other in range(options.players)
        if other != seat
        and (
            fed_melds(options, seats[seat].melds, other) >= SANBI_MELDS
            or fed_melds(options, seats[other].melds, seat) >= SANBI_MELDS
        )
    )


def kong_payments(seats: Sequence[SeatHand]) -> list[Payment]:
    """杠分: one point from the feeder, or from everybody for a concealed kong; in a drawn hand too (RULES 7.1)."""
    payments = []
    for seat, holder in enumerate(seats):
        for meld in holder.melds:
            if meld.kind == CONCEALED_KONG:
                payments += [Payment(other, seat, "kong", 1, "7.1") for other in range(len(seats)) if other != seat]
            elif meld.is_kong:
                payments.append(Payment(meld.source, seat, "kong", 1, "7.1"))
    return payments


def next_dealer(options: Options, dealer: int, end: End) -> int:
    """Who deals the next hand (RULES 8)."""
    if not end.winners:
        return dealer
    if len(end.winners) >= options.rules.discarder_deals_from:
        return end.source
    return order_of_play(end, options.players)[0]
