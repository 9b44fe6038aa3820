"""The fairness desk tried on play whose honesty is known: the rules' bots, and a pair that feeds each other on purpose.

    python bench/fairness.py honest --groups 8 --hands 400     # how many flags does honest play raise? should be none
    python bench/fairness.py feeding --hands 300 --share 1.0   # after how many hands is a colluding pair flagged?
    python bench/fairness.py rates --hands 4000                # what honest bots take per discard (expectation.PRIORS)

Bots play in hundreds of hands what people take months for; nothing here asks a database.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from liuzhou.fairness.facts import Facts, Own, Pair, Tally, facts_of
from liuzhou.rules import bots, engine
from liuzhou.rules.actions import CHOW, DISCARD, KONG, PONG, WIN, Action
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from liuzhou.rules.view import view
from liuzhou.rules.wall import build

GIVES = {WIN: 3, KONG: 2, PONG: 1, CHOW: 1}


def helpful(state: State, seat: int, partner: int, dump: bool, rng: random.Random) -> Action | None:
    """The discard that the partner can do most with: what somebody does who knows the partner's hand. None: there is none.

    Without `dump` a win is not given away: the pair wants the others' points, not each other's."""
    best: list[Action] = []
    most = 0
    for action in engine.legal_actions(state, seat):
        if action.do != DISCARD:
            continue
        after, _ = engine.apply(state, action)
        offers = engine.legal_actions(after, partner) if after.phase == "claim" else ()
        worth = max((GIVES.get(offer.do, 0) for offer in offers if dump or offer.do != WIN), default=0)
        if worth > most:
            best, most = [], worth
        if worth == most and worth:
            best.append(action)
    return rng.choice(best) if best else None


def play(options: Options, names: Sequence[str], dealer: int, rng: random.Random, *, seed: bytes | None = None,
         feeding: Mapping[int, int] | None = None, share: float = 1.0, dump: bool = False) -> tuple[State, list[Action]]:  # fmt: skip
    """One hand of the named bots, and what they did. `feeding`: seat -> the seat it helps, in that share of its turns."""
    state, _ = engine.start(options, dealer, build(seed or rng.randbytes(32), options))
    done: list[Action] = []
    while state.phase != "over":
        seat = engine.deciders(state)[0]
        action = None
        if feeding and state.phase == "turn" and seat in feeding and rng.random() < share:
            action = helpful(state, seat, feeding[seat], dump, rng)
        if action is None:
            action = getattr(bots, names[seat])(view(state, seat), engine.legal_actions(state, seat), rng)
        state, _ = engine.apply(state, action)
        done.append(action)
    return state, done
