"""The players that are programs. Each sees its seat's view and its legal actions, nothing else: `auto`, `greedy`, `strong`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from liuzhou.rules.actions import DISCARD, KONG, PASS, PONG, WIN, Action
from liuzhou.rules.choices import Bot, Chance, after_claim, after_kong, less, obvious
from liuzhou.rules.shape import acceptance, distance
from liuzhou.rules.sight import Sight, look
from liuzhou.rules.strategy import strong

__all__ = ["Bot", "auto", "greedy", "strong"]

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


def _greedy_turn(sight: Sight, legal: Sequence[Action], rng: Chance) -> Action:
    discards = [action for action in legal if action.do == DISCARD]
    lacking = min(distance(*less(sight, action.tile, 1), sight.melds) for action in discards)
    for action in legal:
        if action.do == KONG and distance(*after_kong(sight, action.tile)) <= lacking:
            return action
    return best_discard(sight, discards, sight.melds, rng)


def best_discard(sight: Sight, discards: Sequence[Action], melds: int, rng: Chance) -> Action:
    """The discard that leaves the fewest missing tiles, then the most unseen useful ones."""
    ranked = [(distance(*less(sight, action.tile, 1), melds), action) for action in discards]
    lacking = min(rank for rank, _ in ranked)
    nearest = [action for rank, action in ranked if rank == lacking]
    scored = [(acceptance(*less(sight, action.tile, 1), melds, sight.unseen), action) for action in nearest]
    most = max(score for score, _ in scored)
    return rng.choice([action for score, action in scored if score == most])


def _greedy_claim(sight: Sight, legal: Sequence[Action]) -> Action:
    lacking = distance(sight.suits, sight.wilds, sight.melds)
    best, choice = lacking, legal[-1]
    for action in legal:
        if action.do == KONG and distance(*after_claim(sight, action)) <= lacking:
            return action
        if action.do == PASS:
            choice = action if best == lacking else choice
        elif (after := distance(*after_claim(sight, action))) < best:
            best, choice = after, action
    return choice
