"""Random hands for the property tests: options, walls and players drawn by hypothesis."""

import random
from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from liuzhou.rules import bots, engine
from liuzhou.rules.actions import Action
from liuzhou.rules.errors import OptionError
from liuzhou.rules.options import SCHEMA, Options
from liuzhou.rules.state import holding
from liuzhou.rules.view import view
from liuzhou.rules.wall import Wall, build

Policy = Callable[[engine.State, int, random.Random], Action]


def parsed(preset: str, chosen: dict) -> Options | None:
    try:
        return Options.parse(preset, chosen)
    except OptionError:  # more fish than the wall can spare
        return None


presets = st.sampled_from(sorted(SCHEMA))
all_options = (
    presets.flatmap(
        lambda preset: st.fixed_dictionaries(
            {name: st.sampled_from(choice.values) for name, choice in SCHEMA[preset].items()}
        ).map(lambda chosen: parsed(preset, chosen))
    )
).filter(lambda options: options is not None)
seeds = st.integers(0, 2**32 - 1)


def at_random(state: engine.State, seat: int, rng: random.Random) -> Action:
    legal = engine.legal_actions(state, seat)
    return legal[rng.randrange(len(legal))]


def collecting(state: engine.State, seat: int, rng: random.Random) -> Action:
    """Hunts for kongs: pongs whatever it can, throws what it has least of, and wins only now and then."""
    legal = engine.legal_actions(state, seat)
    for do in ("kong", "pong"):
        if found := [action for action in legal if action.do == do]:
            return rng.choice(found)
    if state.phase != "turn" or rng.random() < 0.1:
        return rng.choice([action for action in legal if action.do != "chow"])
    hand = state.seats[seat]
    discards = [action for action in legal if action.do == "discard"]
    return min(discards, key=lambda action: holding(hand, action.tile, state.options.wild))


def mixed(state: engine.State, seat: int, rng: random.Random) -> Action:
    """Kong hunters and one sensible player in no hurry to win: hands get long, are konged, robbed and won."""
    legal = engine.legal_actions(state, seat)
    if rng.random() < 0.05:
        return at_random(state, seat, rng)
    if (state.wall[0] + seat) % 3 or state.phase == "fish":
        return collecting(state, seat, rng)
    if any(action.do == "win" for action in legal) and state.phase != "rob" and rng.random() < 0.8:
        legal = tuple(action for action in legal if action.do not in ("win", "chow"))
    return bots.greedy(view(state, seat), legal, rng)


def wall_for(options: Options, seed: int) -> Wall:
    return build(seed.to_bytes(32, "big"), options)


def opening(options: Options, seed: int) -> tuple[int, Wall]:
    """The dealer and the wall of a seed."""
    return seed % options.players, wall_for(options, seed)


def hand(options: Options, seed: int, policy: Policy = mixed) -> Iterator[tuple]:
    """Yields (state before, action, state after, events) until the hand is over; any seat that may act may be next."""
    rng = random.Random(seed)
    dealer, wall = opening(options, seed)
    state, _ = engine.start(options, dealer, wall)
    while state.phase != "over":
        seat = rng.choice(engine.deciders(state))
        action = policy(state, seat, rng)
        after, events = engine.apply(state, action)
        yield state, action, after, events
        state = after
