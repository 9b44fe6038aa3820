"""What a hand costs and brings in coins (RULES 11.2-11.4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

POOREST: Final = 128


class Bracket(NamedTuple):
    """Who holds from `low` to below `high` coins (None: no limit) plays for `base` 底注 a point."""

    low: int
    high: int | None
    base: int


BRACKETS: Final = (
    Bracket(128, 1_280, 10),
    Bracket(1_280, 12_800, 100),
    Bracket(12_800, 128_000, 1_000),
    Bracket(128_000, None, 10_000),
)


def bracket_of(coins: int) -> Bracket | None:
    """The bracket for `coins` when sitting down; None below 128: no seat (RULES 11.2)."""
    return next((b for b in BRACKETS if coins >= b.low and (b.high is None or coins < b.high)), None)


def bracket_at(base: int) -> Bracket:
    """The bracket of a 底注. ValueError for a base that is none."""
    for bracket in BRACKETS:
        if bracket.base == base:
            return bracket
    raise ValueError(f"no bracket has base {base}")


def offer(stake: int, coins: int | None) -> int | None:
    """The 底注 that a player with so many coins at a table of `stake` would be offered to move to; 0: none is low
    enough; None: stay."""
    if not stake or coins is None:
        return None
    right = bracket_of(coins)
    base = right.base if right else 0
    return None if base == stake else base


def moved(nets: Sequence[int], held: Sequence[int]) -> list[int]:
    """What each seat really pays or gets, from the hand's net coins and what each holds (RULES 11.4).

    Whoever cannot pay their net loss pays what they have; what is paid in all goes to the seats with a net gain pro rata
    (largest remainder; ties to the winner nearest after the first seat that could not pay). Sums to zero; nobody is
    taken more than they hold. ValueError if `nets` do not sum to zero or somebody holds less than nothing.
    """
    if sum(nets) or min(held, default=0) < 0 or len(nets) != len(held):
        raise ValueError("nets must sum to zero, and nobody holds less than nothing")
    short = [seat for seat, net in enumerate(nets) if held[seat] + net < 0]
    if not short:
        return list(nets)
    result = [max(net, -held[seat]) if net < 0 else 0 for seat, net in enumerate(nets)]
    paid, gains = -sum(result), sum(net for net in nets if net > 0)
    for seat, net in enumerate(nets):
        if net > 0:
            result[seat] = paid * net // gains
    for seat in _by_remainder(nets, paid, gains, short[0])[: -sum(result)]:
        result[seat] += 1
    return result


def _by_remainder(nets: Sequence[int], paid: int, gains: int, payer: int) -> list[int]:
    """The winners by what the division left them, largest first, then by their distance after the payer."""
    winners = [seat for seat, net in enumerate(nets) if net > 0]
    return sorted(winners, key=lambda seat: (-(paid * nets[seat] % gains), (seat - payer) % len(nets)))
