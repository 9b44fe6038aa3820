"""What one finished hand says about who gave what to whom. Pure: a final state of the rules in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from liuzhou.rules.melds import CONCEALED_KONG
from liuzhou.rules.score import SANBI_MELDS, fed_melds
from liuzhou.rules.state import State


class Pair(NamedTuple):
    """Seat `taker` seen against seat `feeder`. `next`: the taker plays after the feeder and so may chow."""

    taker: int
    feeder: int


@dataclass(slots=True)
class Tally:
    """Sums over hands of what a taker had of a feeder. `next_…`: in hands where the taker plays right after the feeder.

    `discards`: the feeder's discards, that is the taker's chances. `pongs` count direct kongs too. `wins`: the taker won on
    the feeder's tile. `feeds` count towards 三包, `bonds` hands in which three of them stood. `won`: the taker's wins, on
    whatever tile, with the feeder at the table; `share`: had each hand's wins gone to its players alike. `points`: net from
    feeder to taker, by the settlement's lines. `edge`: what of it the two players' dealings with the others at the table do
    not explain (`edge_of`), at coin tables; `edge_squares` its squares."""

    hands: int = 0
    next_discards: int = 0
    discards: int = 0
    chows: int = 0
    next_pongs: int = 0
    pongs: int = 0
    next_wins: int = 0
    wins: int = 0
    feeds: int = 0
    bonds: int = 0
    won: int = 0
    share: float = 0.0
    points: int = 0
    coin_hands: int = 0
    coins: int = 0
    edge: float = 0.0
    edge_squares: float = 0.0
    same_address: int = 0
    same_device: int = 0

    def add(self, other: Tally) -> None:
        for name in TALLY:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def less(self, other: Tally) -> Tally:
        return Tally(**{name: getattr(self, name) - getattr(other, name) for name in TALLY})

    @property
    def takes(self) -> int:
        """碰吃: melds taken from the feeder's discards."""
        return self.chows + self.next_pongs + self.pongs

    @property
    def all_wins(self) -> int:
        """点炮: wins on the feeder's tile."""
        return self.next_wins + self.wins

    @property
    def all_discards(self) -> int:
        return self.next_discards + self.discards


TALLY = tuple(field.name for field in fields(Tally))


@dataclass(slots=True)
class Own:
    """Sums over hands of one player. `share`: wins that would be theirs if each hand's wins went to its players alike."""

    hands: int = 0
    wins: int = 0
    drawn: int = 0
    dealt_in: int = 0
    share: float = 0.0
    fair: float = 0.0
    discards: int = 0
    points: int = 0
    points_squares: int = 0
    coin_hands: int = 0
    coins: int = 0
    coins_won: int = 0

    def add(self, other: Own) -> None:
        for name in OWN:
            setattr(self, name, getattr(self, name) + getattr(other, name))


OWN = tuple(field.name for field in fields(Own))


class Facts(NamedTuple):
    """One hand: a tally per ordered pair of seats, and each seat's own figures."""

    pairs: dict[Pair, Tally]
    seats: tuple[Own, ...]


def facts_of(state: State, *, stake: int = 0, coins: Sequence[int] | None = None) -> Facts:
    """The facts of a hand that was played to its end. `stake`, `coins`: what a point was worth at a coin table, and what
    each seat really won there (RULES 11.4)."""
    end, settlement = state.end, state.settlement
    if end is None or settlement is None:
        raise ValueError("only a settled hand has facts")
    players = state.options.players
    flows = flows_of(settlement.payments, players)
    paid = coin_flows(flows, stake, coins) if coins is not None else None
    pairs = {}
    for taker in range(players):
        for feeder in range(players):
            if taker != feeder:
                pairs[Pair(taker, feeder)] = _pair(state, taker, feeder, flows, paid)
    return Facts(pairs, tuple(_own(state, seat, coins) for seat in range(players)))


def _pair(state: State, taker: int, feeder: int, flows: list[list[int]], paid: list[list[int]] | None) -> Tally:
    end, players, melds = state.end, state.options.players, state.seats[taker].melds
    follows = (taker - feeder) % players == 1
    taken = [meld for meld in melds if meld.source == feeder and meld.kind != CONCEALED_KONG]
    chows = sum(meld.kind == "chow" for meld in taken)
    pongs = len(taken) - chows
    won = int(end is not None and end.source == feeder and taker in end.winners)
    feeds = fed_melds(state.options, melds, feeder)
    count = len(state.seats[feeder].river)
    tally = Tally(
        hands=1,
        chows=chows,
        feeds=feeds,
        bonds=int(feeds >= SANBI_MELDS),
        won=int(end is not None and taker in end.winners),
        share=len(end.winners) / players if end is not None else 0.0,
        points=flows[feeder][taker],
    )
    if follows:
        tally.next_discards, tally.next_pongs, tally.next_wins = count, pongs, won
    else:
        tally.discards, tally.pongs, tally.wins = count, pongs, won
    if paid is not None:
        tally.coin_hands, tally.coins = 1, paid[feeder][taker]
        tally.edge = edge_of(flows, taker, feeder)
        tally.edge_squares = tally.edge * tally.edge
    return tally


def _own(state: State, seat: int, coins: Sequence[int] | None) -> Own:
    end, settlement, players = state.end, state.settlement, state.options.players
    assert end is not None  # facts_of has seen to it
    assert settlement is not None
    points = settlement.points[seat]
    own = Own(
        hands=1,
        wins=int(seat in end.winners),
        drawn=int(seat in end.winners and end.source < 0),
        dealt_in=int(bool(end.winners) and end.source == seat),
        share=len(end.winners) / players,
        fair=1 / players,
        discards=len(state.seats[seat].river),
        points=points,
        points_squares=points * points,
    )
    if coins is not None:
        own.coin_hands, own.coins, own.coins_won = 1, coins[seat], max(0, coins[seat])
    return own


def flows_of(payments: Sequence[Any], players: int) -> list[list[int]]:
    """[from][to]: the net points that went from one seat to the other (so [to][from] is the same below zero)."""
    flows = [[0] * players for _ in range(players)]
    for payment in payments:
        flows[payment.payer][payment.payee] += payment.points
        flows[payment.payee][payment.payer] -= payment.points
    return flows


def coin_flows(flows: list[list[int]], stake: int, coins: Sequence[int]) -> list[list[int]]:
    """The same in coins. Who could not pay in full paid everybody in proportion."""
    players = len(flows)
    moved = [[0] * players for _ in range(players)]
    for payer in range(players):
        owed, lost = stake * sum(flows[payer]), -coins[payer]
        for payee in range(players):
            if flows[payer][payee] > 0:
                due = stake * flows[payer][payee]
                moved[payer][payee] = due if owed <= lost or owed <= 0 else due * max(0, lost) // owed
                moved[payee][payer] = -moved[payer][payee]
    return moved


def edge_of(flows: list[list[int]], taker: int, feeder: int) -> float:
    """Points from feeder to taker beyond what the hand's other dealings of the two explain.

    Where a player's strength is a number and a pair's flow the difference of the two, this is zero on average for any two
    players, however unequal: the taker's gain from the others and the feeder's loss to the others are subtracted."""
    others = [seat for seat in range(len(flows)) if seat not in (taker, feeder)]
    if not others:
        return 0.0
    explained = sum(flows[seat][taker] + flows[feeder][seat] for seat in others) / len(others)
    return flows[feeder][taker] - explained
