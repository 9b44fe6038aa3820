"""The tree of all actions, counted: numbers that change only when the rules do.

`python -m tests.rules.test_perft` prints them.
"""

import pytest

from liuzhou.rules import engine
from liuzhou.rules.options import Options
from tests.rules.playing import at_random, hand, opening


def leaves(state: engine.State, depth: int) -> int:
    """Positions after `depth` more actions, every order in which seats may act counted apart."""
    moves = [move for seat in engine.deciders(state) for move in engine.legal_actions(state, seat)]
    if depth == 1 or not moves:
        return len(moves) or 1
    return sum(leaves(engine.apply(state, move)[0], depth - 1) for move in moves)


def position(preset: str, chosen: dict, seed: int, after: int) -> engine.State:
    options = Options.parse(preset, chosen)
    state, _ = engine.start(options, *opening(options, seed))
    for number, (_, _, reached, _) in enumerate(hand(options, seed, at_random)):
        if number >= after:
            break
        state = reached
    return state


# (preset, options, wall seed, actions of the seeded random hand played first, depth)
PLACES = [
    ("classic", {}, 1, 0, 3),
    ("classic", {"fish": "none"}, 1, 0, 4),
    ("baike", {"fish": "none"}, 2, 40, 4),
    ("tiantian", {}, 3, 60, 4),
    ("tiantian", {"wild_red": True, "no_honors": True, "players": 3, "fish": "bomb"}, 4, 20, 4),
    ("tiantian", {"no_dots": True, "no_honors": True, "players": 2, "fish": "follow"}, 5, 30, 4),
    ("tiantian", {"no_dots": True, "no_honors": True}, 6, 30, 5),
]
WANTED = [29112, 14292, 4554, 1260, 2390, 1271, 4668]


@pytest.mark.parametrize(("place", "wanted"), list(zip(PLACES, WANTED, strict=True)), ids=lambda value: str(value))
def test_perft(place, wanted):
    *where, depth = place
    assert leaves(position(*where), depth) == wanted


if __name__ == "__main__":
    print([leaves(position(*where), depth) for *where, depth in PLACES])
