"""Whether a win on a discard is better left for a self-draw, which everybody pays (RULES 5)."""

from __future__ import annotations

from typing import Final

from liuzhou.rules.danger import readiness
from liuzhou.rules.hand import unpack
from liuzhou.rules.melds import Meld
from liuzhou.rules.patterns import How, evaluate
from liuzhou.rules.shape import distance, useful
from liuzhou.rules.sight import Sight
from liuzhou.rules.tiles import parse_tiles

BASE: Final = 0.02  # chance per round that somebody else ends the hand, and how it grows with who is ready
GROWTH: Final = 0.2
LOSS: Final = 0.7  # what somebody else's win costs on average
SURE: Final = 1.1  # how much better waiting must look than the points in hand
ROUNDS: Final = 4  # with fewer rounds left nobody waits


def patient(sight: Sight) -> bool:
    """Whether to pass a win on the discard in question and wait for a self-draw."""
    options, view = sight.options, sight.view
    if view["drawable"] < ROUNDS * options.players or distance(sight.suits, sight.wilds, sight.melds) != 1:
        return False
    tiles = [*unpack(sight.suits), *[options.wild] * sight.wilds]
    melds = [_meld(meld) for meld in view["seats"][sight.you]["melds"]]
    given = evaluate(options, tiles, melds, sight.pending, How("discard"))
    if given is None:
        return False
    seen = max(1, sum(sight.unseen))
    chance = gain = 0.0
    for kind in {*useful(sight.suits, sight.wilds, sight.melds), *([options.wild] if options.wild >= 0 else [])}:
        drawn = evaluate(options, tiles, melds, kind, How("self_draw")) if sight.unseen[kind] else None
        if drawn is not None:
            chance += sight.unseen[kind] / seen
            gain += sight.unseen[kind] / seen * drawn.value * (options.players - 1)
    others = [seat for index, seat in enumerate(view["seats"]) if index != sight.you]
    hazard = BASE + GROWTH * sum(map(readiness, others))
    return (gain - LOSS * hazard) / (chance + hazard) > SURE * given.value


def _meld(meld: dict[str, str]) -> Meld:
    return Meld(meld["kind"], parse_tiles(meld["tiles"]))
