"""The players that are programs. Each sees its seat's view and its legal actions, nothing else: `auto`, `greedy`, `strong`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from liuzhou.rules.actions import CHOW, DISCARD, FISH, KONG, PASS, PONG, WIN, Action
from liuzhou.rules.hand import Suits
from liuzhou.rules.shape import acceptance, distance
from liuzhou.rules.sight import Sight, look
from liuzhou.rules.state import adjusted

T = TypeVar("T")


class Chance(Protocol):
    """What a bot needs of a random.Random; the rules have no randomness of their own."""

    def randrange(self, start: int, /) -> int: ...

    def choice(self, seq: Sequence[T], /) -> T: ...


Bot = Callable[[Mapping[str, Any], Sequence[Action], Chance], Action]

AUTO_ORDER: Final = (WIN, KONG, PONG)


def auto(view: Mapping[str, Any], legal: Sequence[Action], rng: Chance) -> Action:
    """托管 (RULES 11.1): wins, kongs or pongs whenever it can, never chows, discards a random legal tile, fishes nothing."""
    for do in AUTO_ORDER:
        for action in legal:
            if action.do == do:
                return action
    discards = [action for action in legal if action.do == DISCARD]
    return rng.choice(discards) if discards else legal[-1]


def greedy(view: Mapping[str, Any], legal: Sequence[Action], rng: Chance) -> Action:
    """The shortest way to any win: discards for the fewest missing and the most useful tiles, claims what brings it nearer."""
    if (quick := obvious(legal, rng)) is not None:
        return quick
    sight = look(view)
    if view["phase"] == "turn":
        return _greedy_turn(sight, legal, rng)
    return _greedy_claim(sight, legal)


def obvious(legal: Sequence[Action], rng: Chance) -> Action | None:
    """What needs no thought: a win, a single choice, and fishing: a fish costs nothing and pays whoever plays well."""
    if len(legal) == 1:
        return legal[0]
    for action in legal:
        if action.do == WIN:
            return action
    slots = [action for action in legal if action.do == FISH]
    return rng.choice(slots) if slots else None


def _greedy_turn(sight: Sight, legal: Sequence[Action], rng: Chance) -> Action:
    discards = [action for action in legal if action.do == DISCARD]
    lacking = min(distance(*_less(sight, action.tile, 1), sight.melds) for action in discards)
    for action in legal:
        if action.do == KONG and distance(*_after_kong(sight, action.tile)) <= lacking:
            return action
    return best_discard(sight, discards, sight.melds, rng)


def best_discard(sight: Sight, discards: Sequence[Action], melds: int, rng: Chance) -> Action:
    """The discard that leaves the fewest missing tiles, then the most unseen useful ones."""
    ranked = [(distance(*_less(sight, action.tile, 1), melds), action) for action in discards]
    lacking = min(rank for rank, _ in ranked)
    nearest = [action for rank, action in ranked if rank == lacking]
    scored = [(acceptance(*_less(sight, action.tile, 1), melds, sight.unseen), action) for action in nearest]
    most = max(score for score, _ in scored)
    return rng.choice([action for score, action in scored if score == most])


def _greedy_claim(sight: Sight, legal: Sequence[Action]) -> Action:
    lacking = distance(sight.suits, sight.wilds, sight.melds)
    best, choice = lacking, legal[-1]
    for action in legal:
        if action.do == KONG and distance(*_after_claim(sight, action)) <= lacking:
            return action
        if action.do == PASS:
            choice = action if best == lacking else choice
        elif (after := distance(*_after_claim(sight, action))) < best:
            best, choice = after, action
    return choice


def _less(sight: Sight, tile: int, amount: int) -> tuple[Suits, int]:
    """The concealed hand without some of a kind."""
    if tile == sight.options.wild:
        return sight.suits, sight.wilds - amount
    return adjusted(sight.suits, tile, -amount), sight.wilds


def _after_kong(sight: Sight, tile: int) -> tuple[Suits, int, int]:
    """The hand before the replacement: four laid down, or one added to a pong."""
    held = sight.suits[tile // 9] >> 3 * (tile % 9) & 7 if tile != sight.options.wild else sight.wilds
    if held == 4:
        return (*_less(sight, tile, 4), sight.melds + 1)
    return (*_less(sight, tile, 1), sight.melds)


def _after_claim(sight: Sight, action: Action) -> tuple[Suits, int, int]:
    """The hand after laying the claimed set down, before the discard."""
    if action.do == CHOW:
        suits = sight.suits
        for tile in action.tiles:
            suits = adjusted(suits, tile, -1)
        return suits, sight.wilds, sight.melds + 1
    return (*_less(sight, sight.pending, 3 if action.do == KONG else 2), sight.melds + 1)


strong: Bot = greedy
