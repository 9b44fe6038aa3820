"""What a live process does for one action besides waiting for the database: fold it, and write every seat's frames.

    python bench/fold.py [--hands 40] [--rounds 5] [--json]

Each step of hands played at random is timed on its own by this process's CPU; the fastest of its rounds counts."""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from liuzhou.rules import engine  # noqa: E402 - only now can it be found
from liuzhou.rules.bench_cli import Latency, latency  # noqa: E402
from liuzhou.rules.options import Options  # noqa: E402
from rooms import fold as folds  # noqa: E402
from rooms.fold import PLAYER, Fold, Row, Setup  # noqa: E402

START = 1_800_000_000_000  # ms
SECOND = 1_000
PLAYERS = 4


def played(seed: int) -> list[tuple[Fold, Row]]:
    """A hand of four people at random, an action a second: each fold and the row that came next."""
    draw, at = random.Random(seed), START
    options = Options.parse("classic")
    nobody = ("",) * PLAYERS
    fold = folds.begin(Setup(1, 1, options, 0, seed.to_bytes(32, "big"), nobody, (False,) * PLAYERS, "normal", START))
    found = []
    while fold.running:
        at += SECOND
        seat = draw.choice(engine.deciders(fold.state))
        action = draw.choice(engine.legal_actions(fold.state, seat))
        row = Row(fold.seq + 1, seat, folds.body_of(action), PLAYER, str(at), at)
        found.append((fold, row))
        fold, _ = folds.step(fold, row)
    return found


def stepping(steps: list[tuple[Fold, Row]]) -> list[Callable[[], object]]:
    return [lambda fold=fold, row=row: folds.step(fold, row) for fold, row in steps]


def framing(steps: list[tuple[Fold, Row]]) -> list[Callable[[], object]]:
    """The frames of four seats and the spectators, as `rooms.live` writes them."""
    from rooms.frames import frames
    from rooms.protocol import encode

    def call(after: Fold, outgoing: dict[int, folds.Outgoing]) -> Callable[[], object]:
        return lambda: [
            encode(frame).decode() for seat, sent in outgoing.items() for frame in frames(after, seat, sent, START)
        ]

    return [call(*folds.step(fold, row)) for fold, row in steps]


def syncing(steps: list[tuple[Fold, Row]]) -> list[Callable[[], object]]:
    return [lambda fold=fold, seat=row.seat: fold.view(seat) for fold, row in steps]


def without_servers() -> None:
    """Django, for the import of `rooms.live` alone: nothing here asks a database or Valkey."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "liuzhou.settings")
    os.environ.update(DATABASE_URL="postgres://nobody@127.0.0.1:1/none", REDIS_URL="redis://127.0.0.1:1/0")
    django.setup()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    without_servers()
    steps = [step for seed in range(arguments.hands) for step in played(seed)]
    measured: dict[str, Latency] = {
        "rooms.fold.step": latency(stepping(steps), arguments.rounds),
        "frames of five audiences, encoded": latency(framing(steps), arguments.rounds),
        "view at sync": latency(syncing(steps), arguments.rounds),
    }
    if arguments.json:
        print(json.dumps({name: times._asdict() for name, times in measured.items()}))
        return 0
    print(f"{len(steps):,} steps of {arguments.hands} hands, best of {arguments.rounds} rounds, CPU time")
    for name, times in measured.items():
        print(
            f"  {name:<36}{times.p50:>9.1f} µs p50{times.p99:>9.1f} µs p99   p99 of the slowest round {times.worst_p99:.1f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
