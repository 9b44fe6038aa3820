"""One bot of a kind against three of another, on the same walls from every seat.

    python bench/duel.py strong greedy --hands 2000 --preset classic

Each wall is played once from each seat, the single bot moving on (duplicate play, as at bridge): what a seat was dealt then
counts for nothing, and the interval says how the players differ. Printed: total points of the single bot, points a hand and
their 99 % interval over the walls.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from liuzhou.rules import bots, engine
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from liuzhou.rules.view import view
from liuzhou.rules.wall import build

Z99 = 2.576


def play(options: Options, names: list[str], dealer: int, seed: bytes) -> State:
    """One hand among the named bots; each seat has its own luck with ties, so that the same play stays the same."""
    chances = [random.Random(seed + bytes([seat])) for seat in range(options.players)]
    state, _ = engine.start(options, dealer, build(seed, options))
    while state.phase != "over":
        seat = engine.deciders(state)[0]
        choose = getattr(bots, names[seat])
        state, _ = engine.apply(state, choose(view(state, seat), engine.legal_actions(state, seat), chances[seat]))
    return state


def wall_points(job: tuple[Options, str, str, int]) -> list[int]:
    """The single bot's points from each seat of one wall."""
    options, hero, foe, number = job
    seed = random.Random(number).randbytes(32)
    points = []
    for seat in range(options.players):
        names = [foe] * options.players
        names[seat] = hero
        settlement = play(options, names, number % options.players, seed).settlement
        assert settlement is not None
        points.append(settlement.points[seat])
    return points


def duel(options: Options, hero: str, foe: str, hands: int, jobs: int, first: int = 0) -> str:
    walls = -(-hands // options.players)
    work = [(options, hero, foe, first + number) for number in range(walls)]
    if jobs == 1:
        results = [wall_points(job) for job in work]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(wall_points, work, chunksize=4))
    means = [sum(points) / len(points) for points in results]
    mean = sum(means) / walls
    spread = math.sqrt(sum((each - mean) ** 2 for each in means) / (walls - 1))
    half = Z99 * spread / math.sqrt(walls)
    total = sum(map(sum, results))
    return (
        f"{options.preset}: {hero} against {options.players - 1} {foe}, {walls * options.players} hands: "
        f"{total:+d} points, {mean:+.3f} a hand, 99 % [{mean - half:+.3f}, {mean + half:+.3f}]"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hero", choices=["auto", "greedy", "strong"])
    parser.add_argument("foe", choices=["auto", "greedy", "strong"])
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--preset", default="classic")
    parser.add_argument("--options", default="{}", help="JSON")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="number of the first wall")
    given = parser.parse_args()
    options = Options.parse(given.preset, json.loads(given.options))
    print(duel(options, given.hero, given.foe, given.hands, given.jobs, given.first))


if __name__ == "__main__":
    main()
