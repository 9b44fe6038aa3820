"""Permuting the tiles a seat cannot see changes no byte it is sent, while the public actions stay legal (DESIGN 6.6)."""

import json
import random
from collections import Counter

import pytest

from liuzhou.rules import engine
from liuzhou.rules.actions import PASSES
from liuzhou.rules.options import Options
from liuzhou.rules.state import RIVER_TILE
from liuzhou.rules.view import redact, view
from liuzhou.rules.wall import Wall
from tests.rules.playing import hand, opening

TRIES = 40


class Run:
    """The public actions of a hand, and the viewer's own passes, played on some wall.

    Passes of others are not public: where a window opens that was not there before, whoever is asked passes.
    """

    def __init__(self, options, dealer, wall, viewer):
        self.viewer = viewer
        self.drawn = [[] for _ in range(options.players)]  # where in the wall each seat's tiles came from
        self.state, events = engine.start(options, dealer, wall)
        self.at = list(range(len(wall.tiles)))
        self.sent = []
        self.legal = True
        self.note(None, events)

    def play(self, actions):
        for action in actions:
            while action not in engine.legal_actions(self.state, action.seat):
                if not self.let_pass(action.seat):
                    self.legal = False
                    return self
            self.step(action)
        while self.let_pass(-1):
            pass
        return self

    def let_pass(self, last):
        """One of the others passes; `last` only if nobody else can."""
        asked = [seat for seat in engine.deciders(self.state) if seat != self.viewer]
        for seat in sorted(asked, key=lambda seat: seat == last):
            if PASSES[seat] in engine.legal_actions(self.state, seat):
                self.step(PASSES[seat])
                return True
        return False

    def step(self, action):
        before = self.state
        self.state, events = engine.apply(before, action)
        self.note(before, events)

    def note(self, before, events):
        self.sent += [sent for event in events if (sent := redact(event, self.viewer)) is not None]
        after = self.state
        if after.phase == "fish":
            return
        if before is None or before.phase == "fish":
            self.note_deal(after)
        elif after.front != before.front:
            self.drawn[after.turn].append(self.at[before.front])
        elif after.back != before.back:
            self.drawn[after.turn].append(self.at[after.back])

    def note_deal(self, after):
        if after.pond:
            slots = [at for at, owner in zip(self.at[-8:], after.pond, strict=True) if owner < 0]
            self.at = self.at[:-8] + slots
        at = 0
        for take in (4, 4, 4, 1):
            for step in range(len(after.seats)):
                self.drawn[(after.dealer + step) % len(after.seats)] += self.at[at : at + take]
                at += take
        self.drawn[after.dealer].append(self.at[at])

    @property
    def seen(self):
        own = () if self.viewer is None else engine.legal_actions(self.state, self.viewer)
        return json.dumps([self.sent, view(self.state, self.viewer), own], sort_keys=True)

    def hidden(self, wall):
        """The wall positions whose tile the viewer has not seen."""
        known = set(self.drawn[self.viewer]) if self.viewer is not None else set()
        for index, seat in enumerate(self.state.seats):
            shown = Counter(entry & RIVER_TILE for entry in seat.river)
            for meld in seat.melds:
                if meld.kind != "concealed_kong":
                    shown.update(meld.tiles)
                    shown[meld.tile] -= 1  # the claimed one lies in the feeder's river
            for position in self.drawn[index]:
                if shown[wall.tiles[position]] > 0:
                    shown[wall.tiles[position]] -= 1
                    known.add(position)
        return [position for position in range(len(wall.tiles)) if position not in known]


def swapped(wall, one, other):
    tiles = list(wall.tiles)
    tiles[one], tiles[other] = tiles[other], tiles[one]
    return Wall(tuple(tiles), wall.dice, wall.commit)


def permuted(options, dealer, wall, viewer, actions, rng):
    """Swaps hidden tiles one pair after the other, keeping what leaves the actions legal; yields each such run."""
    for _ in range(TRIES):
        one, other = rng.sample(Run(options, dealer, wall, viewer).play(actions).hidden(wall), 2)
        if wall.tiles[one] == wall.tiles[other]:
            continue
        changed = swapped(wall, one, other)
        run = Run(options, dealer, changed, viewer).play(actions)
        if run.legal:
            wall = changed
            yield run


HANDS = [
    ("classic", {}),
    ("baike", {}),
    ("tiantian", {}),
    ("tiantian", {"wild_red": True, "fish": "follow", "players": 3}),
    ("tiantian", {"players": 2, "no_dots": True, "no_honors": True, "wild_red": True}),
]


@pytest.mark.parametrize(("preset", "chosen"), HANDS)
@pytest.mark.parametrize("seed", range(4))
def test_unseen_tiles_change_nothing_a_seat_is_sent(preset, chosen, seed):
    options = Options.parse(preset, chosen)
    rng = random.Random(seed)
    played = [(action, after.phase) for _, action, after, _ in hand(options, seed)]
    dealer, wall = opening(options, seed)
    for viewer in (None, *range(options.players)):
        until = rng.randrange(1, len(played))
        actions = [action for action, phase in played[:until] if phase != "over"]
        public = [action for action in actions if action.do != "pass" or action.seat == viewer]
        original = Run(options, dealer, wall, viewer).play(public)
        assert original.legal
        if original.state.phase == "over":
            continue  # everything lies open
        runs = list(permuted(options, dealer, wall, viewer, public, rng))
        assert len(runs) > 3, "the permutations must really happen"
        for run in runs:
            assert run.state.phase == "over" or run.seen == original.seen
