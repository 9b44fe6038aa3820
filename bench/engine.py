"""The rules beside their PyPI peers, `mahjong` (win check, shanten) and `rlcard` (random playouts), in the same run.

    python bench/engine.py [--seconds 1] [--rounds 5] [--json] [--check]

The peers are installed once, from requirements-bench.txt, in var/bench-engine, and this starts itself again there.
Rows run in turn in one process, round after round, timed by its CPU; the fastest round of each counts."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from liuzhou.rules import bench_cli  # noqa: E402 - only now can it be found
from liuzhou.rules.bench_cli import STEP, Batch, Latency, Rate, Tiles  # noqa: E402
from liuzhou.rules.hand import is_win, pack  # noqa: E402
from liuzhou.rules.options import Options  # noqa: E402
from liuzhou.rules.shape import distance  # noqa: E402
from liuzhou.rules.tiles import KINDS  # noqa: E402

REQUIREMENTS = ROOT / "requirements-bench.txt"
ENVIRONMENT = ROOT / "var" / "bench-engine"
P99_GOAL = 150.0  # µs
AGARI, SHANTEN = "mahjong agari", "mahjong shanten"
RLCARD, RLCARD_BARE = "rlcard env.run", "rlcard bare game"


class Comparison(NamedTuple):
    """One of our rates over one of a peer's; `least` is the goal, None where there is none."""

    ours: str
    peer: str
    least: float | None = None


# The goals stand on hands that mostly win, as the figure in MEASURED does; the mixed set is there to be honest:
# the peer leaves early when a suit's count rules a win out, our look-ups cost nearly the same for any hand.
COMPARISONS = (
    Comparison("win checks, winning hands", f"{AGARI}, winning hands", 12),
    Comparison("two wilds, winning hands", f"{AGARI}, winning hands", 7),
    Comparison("hands at random", RLCARD, 8),
    Comparison("win checks, mixed hands", f"{AGARI}, mixed hands"),
    Comparison("two wilds, mixed hands", f"{AGARI}, mixed hands"),
    Comparison("distance, mixed hands", f"{SHANTEN}, mixed hands"),
    Comparison("hands at random", RLCARD_BARE),
)


def counts(tiles: Tiles) -> list[int]:
    """A hand as `mahjong` takes it."""
    return [tiles.count(kind) for kind in range(KINDS)]


def each(check: Callable[[list[int]], object], hands: Sequence[list[int]]) -> Batch:
    def batch() -> int:
        for hand in hands:
            check(hand)
        return len(hands)

    return batch


def mahjong_rows(winning: Sequence[Tiles], mixed: Sequence[Tiles]) -> dict[str, Batch]:
    """Its checks on the same hands, counted beforehand as ours are packed beforehand."""
    from mahjong.agari import Agari
    from mahjong.shanten import Shanten

    few = [counts(tiles) for tiles in mixed[: len(mixed) // 10]]
    return {
        f"{AGARI}, winning hands": each(Agari.is_agari, [counts(tiles) for tiles in winning]),
        f"{AGARI}, mixed hands": each(Agari.is_agari, [counts(tiles) for tiles in mixed]),
        # without the thirteen orphans, which we do not have
        f"{SHANTEN}, mixed hands": each(lambda hand: Shanten.calculate_shanten(hand, use_kokushi=False), few),
    }


def disagreements(hands: Sequence[Tiles]) -> int:
    """Hands on which the two win checks differ: none but pairs of four equal tiles and thirteen orphans may."""
    from mahjong.agari import Agari

    return sum(is_win(*pack(tiles), 0) != Agari.is_agari(counts(tiles)) for tiles in hands)


def distances(hands: Sequence[Tiles]) -> Batch:
    """Tiles missing to a win, which is shanten and one."""
    packed = [pack(tiles)[0] for tiles in hands]

    def batch() -> int:
        for suits in packed:
            distance(suits, 0, 0)
        return len(packed)

    return batch


def rlcard_rows() -> dict[str, Batch]:
    """Random playouts as rlcard offers them, observations for its agents included, and of its game class alone."""
    import rlcard
    from numpy.random import RandomState
    from rlcard.agents import RandomAgent
    from rlcard.games.mahjong import Game

    env = rlcard.make("mahjong", config={"seed": bench_cli.SEED})
    env.set_agents([RandomAgent(env.num_actions)] * env.num_players)
    game, draw = Game(), random.Random(bench_cli.SEED)
    game.np_random = RandomState(bench_cli.SEED)

    def run() -> int:
        env.run(is_training=False)
        return 1

    def bare() -> int:
        state, _ = game.init_game()
        while not game.is_over():
            state, _ = game.step(draw.choice(game.get_legal_actions(state)))
        return 1

    return {RLCARD: run, RLCARD_BARE: bare}


def compare(measured: dict[str, Rate]) -> list[tuple[Comparison, float]]:
    return [(one, measured[one.ours].best / measured[one.peer].best) for one in COMPARISONS]


def report(measured: dict[str, Rate], single: dict[str, Latency], ratios: list[tuple[Comparison, float]]) -> None:
    for line in bench_cli.lines(measured, single):
        print(line)
    for one, ratio in ratios:
        mark = " " if one.least is None else "✓" if ratio >= one.least else "✗"
        goal = "" if one.least is None else f"   goal {one.least:g}"
        print(f"{mark} {f'{one.ours} ÷ {one.peer}':<64}{ratio:7.1f}{goal}")
    p99 = single[STEP].p99
    print(f"{'✓' if p99 <= P99_GOAL else '✗'} {f'{STEP}, p99':<64}{p99:4.0f} µs   goal {P99_GOAL:g}")


def in_own_environment() -> None:
    """Go on in var/bench-engine, made first if need be, when the peers are not here."""
    if find_spec("mahjong") and find_spec("rlcard"):
        return
    python = ENVIRONMENT / "bin" / "python"
    if os.environ.get("LIUZHOU_BENCH_ENGINE"):
        raise SystemExit(f"{ENVIRONMENT} lacks the peers: remove it and run this again")
    if (
        subprocess.call([python, "-c", "import mahjong, rlcard"], stderr=subprocess.DEVNULL)
        if python.exists()
        else True
    ):
        print("installing mahjong and rlcard …", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", REQUIREMENTS], check=True)
    os.environ["LIUZHOU_BENCH_ENGINE"] = "1"
    os.execv(python, [str(python), *sys.orig_argv[1:]])  # this program itself, in the other environment


def main() -> int:
    in_own_environment()
    parser = bench_cli.parser("The rules beside their peers")
    parser.prog = "bench/engine.py"
    parser.set_defaults(rounds=5)
    parser.add_argument("--check", action="store_true", help="exit 1 when a goal is missed")
    arguments = parser.parse_args()
    options = Options.parse(arguments.preset, arguments.options)
    winning, mixed = bench_cli.winning_hands(arguments.hands), bench_cli.mixed_hands(arguments.hands)
    rows = {
        **bench_cli.rule_rows(options, arguments.hands, arguments.playouts),
        "distance, mixed hands": distances(mixed),
        **mahjong_rows(winning, mixed),
        **rlcard_rows(),
    }
    differing = disagreements([*winning, *mixed])
    measured = bench_cli.rates(rows, arguments.seconds, arguments.rounds)
    single = bench_cli.latencies(arguments, options)
    ratios = compare(measured)
    if arguments.json:
        named = {f"{one.ours} / {one.peer}": {"ratio": ratio, "goal": one.least} for one, ratio in ratios}
        print(json.dumps({**bench_cli.as_json(measured, single), "ratios": named, "disagreements": differing}))
    else:
        print(f"{arguments.preset}, best of {arguments.rounds} × {arguments.seconds:g} s of CPU, one core, tables warm")
        print(f"both win checks agree on {2 * arguments.hands - differing:,} of {2 * arguments.hands:,} hands")
        report(measured, single, ratios)
    missed = single[STEP].p99 > P99_GOAL or any(one.least and ratio < one.least for one, ratio in ratios)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
