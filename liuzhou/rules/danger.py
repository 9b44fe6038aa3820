"""What a discard may cost: which opponents may be waiting, for what, and how dear their win would be.

The chances were counted over thousands of hands: how often a hand with so many melds and discards waits, and how often a
waiting hand waits for a kind of this sort of which so many are still unseen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from liuzhou.rules.sight import Sight, bonded
from liuzhou.rules.tiles import KIND, KINDS, is_honor, parse_tiles

# [melds][discards // 3]: how often such a hand waits
READY: Final = (
    (0.0, 0.03, 0.11, 0.25, 0.32),
    (0.01, 0.08, 0.24, 0.45, 0.65),
    (0.14, 0.34, 0.46, 0.6, 0.73),
    (0.6, 0.65, 0.84, 0.94, 0.98),
    (1.0, 1.0, 1.0, 1.0, 1.0),
)
# [distance from the suit's edge]: how often a kind is thrown, fresh and when one has been thrown before
HEARD: Final = (1.15, 0.9, 0.68)
HEARD_AGAIN: Final = (1.4, 1.1, 0.95)
HEARD_HONOR: Final = 1.55
LIVE: Final = (0.4, 0.5, 0.8, 1.25, 2.0)  # by unseen tiles of the kind
BY_RANK: Final = (0.042, 0.064, 0.081, 0.081, 0.081, 0.081, 0.081, 0.064, 0.042)
HONOR: Final = 0.008
THROWN: Final = 0.06  # who threw the kind seldom waits for it
SINGLE: Final = 0.05  # four melds wait for one kind, honours as likely as any
SHOWN: Final = 2  # melds of one suit, or pungs, from which on a big type is feared


class Danger(NamedTuple):
    """For each kind of discard: the chance that it is won on, and the points that would cost, weighed by the chance."""

    hit: list[float]
    loss: list[float]


def heard(sight: Sight) -> tuple[float, ...]:
    """For each kind how likely an opponent throws an unseen one in a round, against one's drawing it."""
    thrown = {
        KIND[entry["tile"]]
        for index, seat in enumerate(sight.view["seats"])
        if index != sight.you
        for entry in seat["river"]
    }
    fresh = (HEARD_AGAIN, HEARD)
    return tuple(
        HEARD_HONOR if kind >= 27 else fresh[kind not in thrown][min(kind % 9, 8 - kind % 9, 2)]
        for kind in range(KINDS)
    )


def readiness(seat: Mapping[str, Any]) -> float:
    """How likely an opponent waits for its last tile."""
    return READY[len(seat["melds"])][min(len(seat["river"]) // 3, 4)]


def dangers(sight: Sight) -> Danger:
    """The danger of each discard, opponents added up."""
    danger = Danger([0.0] * KINDS, [0.0] * KINDS)
    for index, seat in enumerate(sight.view["seats"]):
        if index != sight.you:
            _add(danger, sight, seat, 2.0 if bonded(sight, index) else 1.0)
    return danger


def _add(danger: Danger, sight: Sight, seat: Mapping[str, Any], share: float) -> None:
    """Adds one opponent; `share`: a bonded one is paid twice (RULES 6.2)."""
    melds = seat["melds"]
    ready = readiness(seat)
    shown = [parse_tiles(meld["tiles"]) for meld in melds if meld["tiles"]]
    suits = {tiles[0] // 9 for tiles in shown}
    flush = suits.pop() if len(suits) == 1 and len(shown) >= SHOWN else -1
    pungs = len(shown) >= SHOWN and all(tiles[0] == tiles[1] for tiles in shown)
    thrown = {KIND[entry["tile"]] for entry in seat["river"]}
    for kind in sight.options.kinds:
        if len(melds) == 4:
            chance, cost = SINGLE, 3.0
        else:
            chance = HONOR if is_honor(kind) else BY_RANK[kind % 9]
            cost = 2.0 if pungs else 1.0
        chance *= ready * LIVE[sight.unseen[kind]] * (THROWN if kind in thrown else 1.0)
        if flush >= 0:
            chance *= 1.5 if kind // 9 == flush else 0.7
            cost += 1.5 if kind // 9 == flush else 0.0
        danger.hit[kind] += chance
        danger.loss[kind] += chance * cost * share
