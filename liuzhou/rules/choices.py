"""What the bots share: the chance they are given, the moves that need no thought, the hand after a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from liuzhou.rules.actions import CHOW, FISH, KONG, WIN, Action
from liuzhou.rules.hand import Suits
from liuzhou.rules.sight import Sight
from liuzhou.rules.state import adjusted

T = TypeVar("T")


class Chance(Protocol):
    """What a bot needs of a random.Random; the rules have no randomness of their own."""

    def randrange(self, start: int, /) -> int: ...

    def choice(self, seq: Sequence[T], /) -> T: ...


Bot = Callable[[Mapping[str, Any], Sequence[Action], Chance], Action]


def obvious(legal: Sequence[Action], rng: Chance) -> Action | None:
    """What needs no thought: a win, a single choice, and fishing: a fish costs nothing and pays whoever plays well."""
    if len(legal) == 1:
        return legal[0]
    for action in legal:
        if action.do == WIN:
            return action
    slots = [action for action in legal if action.do == FISH]
    return rng.choice(slots) if slots else None


def less(sight: Sight, tile: int, amount: int) -> tuple[Suits, int]:
    """The concealed hand without some of a kind."""
    if tile == sight.options.wild:
        return sight.suits, sight.wilds - amount
    return adjusted(sight.suits, tile, -amount), sight.wilds


def held(sight: Sight, tile: int) -> int:
    """How many of a kind lie concealed."""
    if tile == sight.options.wild:
        return sight.wilds
    return sight.suits[tile // 9] >> 3 * (tile % 9) & 7


def after_kong(sight: Sight, tile: int) -> tuple[Suits, int, int]:
    """The hand before the replacement: four laid down, or one added to a pong."""
    if held(sight, tile) == 4:
        return (*less(sight, tile, 4), sight.melds + 1)
    return (*less(sight, tile, 1), sight.melds)


def after_claim(sight: Sight, action: Action) -> tuple[Suits, int, int]:
    """The hand after laying the claimed set down, before the discard."""
    if action.do == CHOW:
        suits = sight.suits
        for tile in action.tiles:
            suits = adjusted(suits, tile, -1)
        return suits, sight.wilds, sight.melds + 1
    return (*less(sight, sight.pending, 3 if action.do == KONG else 2), sight.melds + 1)
