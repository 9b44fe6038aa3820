"""The bot `strong`: efficiency times value, mindful of what its discards may cost (RULES 5-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from liuzhou.rules.actions import DISCARD, KONG, PASS, WIN, Action
from liuzhou.rules.choices import Chance, after_claim, after_kong, held, less, obvious
from liuzhou.rules.danger import Danger, dangers, heard, readiness
from liuzhou.rules.hand import Suits
from liuzhou.rules.patience import patient
from liuzhou.rules.plans import Form, Outlook, worth
from liuzhou.rules.shape import distance
from liuzhou.rules.sight import Sight, bonded, look
from liuzhou.rules.tiles import parse_tiles

MARGIN: Final = 0.02  # a claim must be better than waiting by so much: it tells the others something


def strong(view: Mapping[str, Any], legal: Sequence[Action], rng: Chance) -> Action:
    """Weighs what the hand may become against what each discard may cost."""
    quick = obvious(legal, rng)
    if quick is not None and not (quick.do == WIN and view["phase"] == "claim"):
        return quick
    sight = look(view)
    if quick is not None:
        return next(action for action in legal if action.do == PASS) if patient(sight) else quick
    thought = Thought(sight)
    if view["phase"] == "turn":
        return thought.turn(legal, rng)
    return thought.claim(legal)


class Thought:
    """One decision of one seat."""

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.outlook = outlook(sight)
        self.melds = [(meld["kind"], parse_tiles(meld["tiles"])) for meld in sight.view["seats"][sight.you]["melds"]]
        self.danger: Danger = dangers(sight)

    def turn(self, legal: Sequence[Action], rng: Chance) -> Action:
        """Never steps back from a win: among the discards that keep the hand nearest, the one worth most."""
        ranked = [(self._lacking(action.tile), action) for action in legal if action.do == DISCARD]
        nearest = min(lacking for lacking, _ in ranked)
        for action in legal:
            if action.do == KONG and distance(*after_kong(self.sight, action.tile)) <= nearest:
                return action
        near = [action for lacking, action in ranked if lacking == nearest]
        scored = [(self._discard(*less(self.sight, each.tile, 1), each.tile, self.melds), each) for each in near]
        best = max(score for score, _ in scored)
        return rng.choice([action for score, action in scored if score == best])

    def _lacking(self, tile: int) -> int:
        return distance(*less(self.sight, tile, 1), self.sight.melds)

    def claim(self, legal: Sequence[Action]) -> Action:
        sight = self.sight
        waiting = worth(self.outlook, self._form(sight.suits, sight.wilds, self.melds))
        best = waiting + MARGIN
        choice = next(action for action in legal if action.do == PASS)
        for action in legal:
            if action.do != PASS and (score := self._claimed(action)) > best:
                best, choice = score, action
        return choice

    def _discard(self, suits: Suits, wilds: int, tile: int, melds: list[tuple[str, tuple[int, ...]]]) -> float:
        gain = worth(self.outlook, self._form(suits, wilds, melds))
        return gain * (1 - self.danger.hit[tile]) - self.danger.loss[tile]

    def _claimed(self, action: Action) -> float:
        suits, wilds, _ = after_claim(self.sight, action)
        pending = self.sight.pending
        if action.do == KONG:
            return 1 + worth(self.outlook, self._form(suits, wilds, [*self.melds, ("direct_kong", (pending,) * 4)]))
        tiles = tuple(sorted((pending, *action.tiles))) if action.tiles else (pending,) * 3
        melds = [*self.melds, ("chow" if action.tiles else "pong", tiles)]
        after = self.sight._replace(suits=suits, wilds=wilds)
        return max(
            self._discard(*less(after, tile, 1), tile, melds)
            for tile in self.sight.options.kinds
            if held(after, tile) and (tile != pending or not self.sight.options.rules.swap_ban)
        )

    def _form(self, suits: Suits, wilds: int, melds: list[tuple[str, tuple[int, ...]]]) -> Form:
        kinds = {tiles[0] // 9 for _, tiles in melds}
        suit = -2 if not kinds else kinds.pop() if len(kinds) == 1 else -1
        kinds_of_meld = {kind for kind, _ in melds}
        concealed = not kinds_of_meld - {"concealed_kong"}
        return Form(suits, wilds, len(melds), "chow" not in kinds_of_meld, suit, concealed)


def outlook(sight: Sight) -> Outlook:
    """The values of wins under these rules, and how soon somebody else may end the hand."""
    options, view = sight.options, sight.view
    opponents = options.players - 1
    others = [seat for index, seat in enumerate(view["seats"]) if index != sight.you]
    ready = sum(map(readiness, others))
    plain, big, double = (_value(sight, types) for types in range(3))
    quiet = plain + QUIET_SHARE * opponents if pays_concealed(sight) else plain
    return Outlook(sight, opponents, sum(sight.unseen), heard(sight), ready, plain, quiet, big, double)


def pays_concealed(sight: Sight) -> bool:
    """Whether 门清 doubles a self-draw here."""
    doubles = sight.options.rules.concealed_doubles
    return doubles == "always" or (doubles == "option" and sight.options.concealed)


QUIET_SHARE: Final = 0.1  # of a concealed hand's wins, those by self-draw that stay concealed to the end
SELF_SHARE: Final = 0.3  # of one's wins, those by self-draw


def _value(sight: Sight, types: int) -> float:
    options, rules, opponents = sight.options, sight.options.rules, sight.options.players - 1
    drawn = 1.0 if not types else 2.0
    if rules.self_growth == "double" and types:
        drawn = 2.0 * 2 ** (types - 1)
        if options.cap is not None:
            drawn = min(drawn, options.cap)
    given = 1.0 if not types else 3.0
    if types == 2:
        given = {"flat": 3.0, "linear": 6.0, "double": 6.0}[rules.discard_growth]
    partners = sum(bonded(sight, seat) for seat in range(options.players) if seat != sight.you)
    payers = opponents + 2 * partners  # a partner pays a self-draw threefold, a discard once more (RULES 6)
    if rules.sanbi_shields and partners:
        payers = 3 * partners
    return (1 - SELF_SHARE) * given * (1 + partners) + SELF_SHARE * drawn * payers
