"""`python3 -m liuzhou.rules bench`: how fast the rules are here. bench/engine.py sets the same figures beside the peers'.

Times are of this process's CPU, so that others on the machine disturb them little; rows run in turn, round after round,
and the fastest counts. The spread says how much slower the slowest was. Every table is warm.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from time import process_time, process_time_ns
from typing import Any, NamedTuple

from liuzhou.rules import bots, engine
from liuzhou.rules.actions import Action
from liuzhou.rules.errors import OptionError
from liuzhou.rules.events import Event
from liuzhou.rules.hand import Suits, is_win, pack
from liuzhou.rules.options import Options
from liuzhou.rules.presets import PRESETS
from liuzhou.rules.score import End, SeatHand, settle
from liuzhou.rules.state import OVER, State, hand_of
from liuzhou.rules.tiles import KINDS
from liuzhou.rules.view import redact, reduce, view
from liuzhou.rules.wall import build

SEED = 20_240_229
HAND = 14
SUIT_LENGTH = 9
SHARE_OF_PAIRS = 0.05
WILDS = 2
STEP = "apply + all legal actions"  # the figure that has a goal

Tiles = tuple[int, ...]
Policy = Callable[[State, int, Random], Action]
Step = tuple[State, Action, State, tuple[Event, ...]]
Batch = Callable[[], int]  # does some work and says how many times


class Rate(NamedTuple):
    """A figure per CPU-second: of the fastest round and of the slowest."""

    best: float
    worst: float

    @property
    def spread(self) -> float:
        """How much slower the slowest round was, as a share."""
        return 1 - self.worst / self.best


class Latency(NamedTuple):
    """CPU-microseconds of single calls: quantiles of each call's fastest round, and the highest p99 of any one round."""

    p50: float
    p99: float
    worst_p99: float


# -- what is measured -----------------------------------------------------------------------------------------------


def winning_hands(amount: int) -> list[Tiles]:
    """Fourteen tiles that win: four sets, seven in ten of them runs, and a pair; one hand in twenty is seven pairs."""
    draw = Random(SEED)
    hands: list[Tiles] = []
    while len(hands) < amount:
        tiles = _pairs(draw) if draw.random() < SHARE_OF_PAIRS else _sets(draw)
        if all(tiles.count(kind) <= 4 for kind in tiles):
            hands.append(tuple(sorted(tiles)))
    return hands


def _pairs(draw: Random) -> list[int]:
    return [kind for kind in draw.sample(range(KINDS), 7) for _ in range(2)]


def _sets(draw: Random) -> list[int]:
    tiles = [draw.randrange(KINDS)] * 2
    for _ in range(4):
        if draw.random() < 0.7:
            low = SUIT_LENGTH * draw.randrange(3) + draw.randrange(SUIT_LENGTH - 2)
            tiles += [low, low + 1, low + 2]
        else:
            tiles += [draw.randrange(KINDS)] * 3
    return tiles


def mixed_hands(amount: int) -> list[Tiles]:
    """A third wins, a third has one tile of a winning hand exchanged for another, a third is fourteen tiles at random."""
    draw = Random(SEED + 1)
    hands = []
    for at, tiles in enumerate(winning_hands(amount)):
        if at % 3 == 1:
            left = [kind for kind in range(KINDS) if tiles.count(kind) < 4]
            tiles = (*tiles[1:], draw.choice(left)) if draw.random() < 0.5 else (*tiles[:-1], draw.choice(left))
        elif at % 3 == 2:
            tiles = tuple(draw.sample([kind for kind in range(KINDS) for _ in range(4)], HAND))
        hands.append(tuple(sorted(tiles)))
    return hands


def with_wilds(hands: Sequence[Tiles]) -> list[tuple[Suits, int]]:
    """The same hands packed, two of their tiles exchanged for wilds."""
    draw = Random(SEED + 2)
    return [(pack(draw.sample(tiles, HAND - WILDS))[0], WILDS) for tiles in hands]


def checks(packed: Sequence[tuple[Suits, int]]) -> Batch:
    """Each hand checked once, packed as the engine keeps it."""

    def batch() -> int:
        for suits, wilds in packed:
            is_win(suits, wilds, 0)
        return len(packed)

    return batch


def at_random(state: State, seat: int, draw: Random) -> Action:
    legal = state.legal[seat]
    return legal[int(draw.random() * len(legal))]


def by_greedy(state: State, seat: int, draw: Random) -> Action:
    return bots.greedy(view(state, seat), engine.legal_actions(state, seat), draw)


def playout(options: Options, seed: int, policy: Policy) -> Iterator[Step]:
    """One hand, wall and settlement included; any seat that is asked may be the next to answer."""
    draw = Random(seed)
    state, _ = engine.start(options, seed % options.players, build(seed.to_bytes(32, "big"), options))
    while state.phase != OVER:
        asked = engine.deciders(state)
        action = policy(state, asked[int(draw.random() * len(asked))], draw)
        after, events = engine.apply(state, action)
        yield state, action, after, events
        state = after


def hands_played(options: Options, policy: Policy, amount: int) -> Batch:
    """Whole hands, other ones each time."""
    seeds = iter(range(1 << 60))

    def batch() -> int:
        for _ in range(amount):
            for _ in playout(options, next(seeds), policy):
                pass
        return amount

    return batch


def settlements(options: Options, amount: int) -> Batch:
    """Hands that greedy players won, settled again."""
    ends = [step[2] for seed in range(amount) for step in playout(options, seed, by_greedy) if step[2].end]
    cases = [(state, end, hands_at(state, end)) for state in ends if (end := state.end) and end.winners]

    def batch() -> int:
        for state, end, seats in cases:
            settle(options, state.dealer, seats, end, state.wall[state.front : state.back])
        return len(cases)

    return batch


def hands_at(state: State, end: End) -> tuple[SeatHand, ...]:
    """The seats as `settle` wants them: without the winning tile, which a self-drawn hand still holds."""
    hands = [list(hand_of(seat, state.options.wild)) for seat in state.seats]
    if end.kind == "self_draw":
        hands[end.winners[0]].remove(end.tile)
    return tuple(SeatHand(tuple(hand), seat.melds, seat.pond) for hand, seat in zip(hands, state.seats, strict=True))


# -- how it is measured ---------------------------------------------------------------------------------------------


def rates(rows: Mapping[str, Batch], seconds: float, rounds: int) -> dict[str, Rate]:
    """Each row for `seconds` of CPU per round; rows take turns, so that a slow minute falls on all of them."""
    for batch in rows.values():
        batch()  # warm
    found: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(rounds):
        for name, batch in rows.items():
            found[name].append(_per_second(batch, seconds))
    return {name: Rate(max(values), min(values)) for name, values in found.items()}


def _per_second(batch: Batch, seconds: float) -> float:
    done, started = 0, process_time()
    while True:
        done += batch()
        spent = process_time() - started
        if spent >= seconds and spent > 0:
            return done / spent


def latency(calls: Sequence[Callable[[], object]], rounds: int) -> Latency:
    """Each call timed on its own, `rounds` times over.

    On a busy machine about one call in a hundred is interrupted, which its fastest round leaves out.
    """
    for call in calls:
        call()  # warm
    found = [[_nanoseconds(call) for call in calls] for _ in range(rounds)]
    fastest = sorted(min(times) for times in zip(*found, strict=True))
    p50, p99 = len(calls) // 2, len(calls) * 99 // 100
    return Latency(fastest[p50] / 1000, fastest[p99] / 1000, max(sorted(times)[p99] for times in found) / 1000)


def _nanoseconds(call: Callable[[], object]) -> int:
    started = process_time_ns()
    call()
    return process_time_ns() - started


def timed_calls(options: Options, amount: int) -> dict[str, list[Callable[[], object]]]:
    """Single calls out of `amount` hands played at random."""
    steps = [step for seed in range(amount) for step in playout(options, seed, at_random)]
    audiences = (*range(options.players), None)
    seats = range(options.players)

    def step(state: State, action: Action) -> Callable[[], object]:
        def call() -> object:
            after, _ = engine.apply(state, action)
            return [engine.legal_actions(after, seat) for seat in seats]

        return call

    def told(events: tuple[Event, ...]) -> Callable[[], object]:
        return lambda: [redact(event, seat) for event in events for seat in audiences]

    def seen(state: State, seat: int) -> Callable[[], object]:
        return lambda: view(state, seat)

    def reduced(before: dict[str, object], event: dict[str, object]) -> Callable[[], object]:
        return lambda: reduce(before, event)

    return {
        STEP: [step(state, action) for state, action, _, _ in steps],
        f"redact a step for {len(audiences)} audiences": [told(events) for _, _, _, events in steps],
        "view of a seat": [seen(state, action.seat) for state, action, _, _ in steps],
        "reduce one event": [
            reduced(view(state, action.seat), event)
            for state, action, _, events in steps
            for first in events[:1]
            if (event := redact(first, action.seat)) is not None
        ],
    }


def rule_rows(options: Options, hands: int, batch: int) -> dict[str, Batch]:
    """The rates of the rules alone, by name."""
    winning, mixed = winning_hands(hands), mixed_hands(hands)
    return {
        "win checks, winning hands": checks([pack(tiles) for tiles in winning]),
        "win checks, mixed hands": checks([pack(tiles) for tiles in mixed]),
        "two wilds, winning hands": checks(with_wilds(winning)),
        "two wilds, mixed hands": checks(with_wilds(mixed)),
        "hands at random": hands_played(options, at_random, batch),
        "hands by greedy": hands_played(options, by_greedy, 1),
        "settlements": settlements(options, batch),
    }


def parser(told: str) -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python3 -m liuzhou.rules bench", description=told)
    found.add_argument("--preset", default="classic", choices=list(PRESETS))
    found.add_argument("--options", default={}, type=json.loads, metavar="JSON")
    found.add_argument("--seconds", type=float, default=1, help="of CPU, per row and round")
    found.add_argument("--rounds", type=int, default=3)
    found.add_argument("--hands", type=int, default=3_000, help="in each set for the win checks")
    found.add_argument("--playouts", type=int, default=40, help="hands that single calls are taken from")
    found.add_argument("--json", action="store_true")
    return found


def latencies(arguments: argparse.Namespace, options: Options) -> dict[str, Latency]:
    calls = timed_calls(options, arguments.playouts)
    return {name: latency(each, arguments.rounds) for name, each in calls.items()}


def lines(measured: Mapping[str, Rate], single: Mapping[str, Latency]) -> Iterator[str]:
    """The figures as a table."""
    for name, rate in measured.items():
        yield f"  {name:<36}{rate.best:>12,.0f}/s   slowest round −{rate.spread:.0%}"
    for name, times in single.items():
        yield f"  {name:<36}{times.p50:>9.1f} µs p50{times.p99:>9.1f} µs p99   p99 of the slowest round {times.worst_p99:.1f}"


def as_json(measured: Mapping[str, Rate], single: Mapping[str, Latency]) -> dict[str, Any]:
    return {
        "per_second": {name: rate._asdict() for name, rate in measured.items()},
        "microseconds": {name: times._asdict() for name, times in single.items()},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; nothing is judged here."""
    found = parser("How fast the rules are on this machine")
    arguments = found.parse_args(argv)
    try:
        options = Options.parse(arguments.preset, arguments.options)
    except OptionError as error:
        found.error(str(error))
    measured = rates(rule_rows(options, arguments.hands, arguments.playouts), arguments.seconds, arguments.rounds)
    single = latencies(arguments, options)
    if arguments.json:
        print(json.dumps(as_json(measured, single)))
        return 0
    print(f"{arguments.preset}, best of {arguments.rounds} × {arguments.seconds:g} s of CPU, one core, tables warm")
    for line in lines(measured, single):
        print(line)
    return 0
