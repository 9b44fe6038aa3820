"""Writes tests/js/fixtures/*.json: whole hands as each seat and a spectator were told them, for reduce.test.js.

`python tests/js/make_fixtures.py` after a change of the rules' events or views. A step holds the events that a
viewer was sent for one action and the view it then has; reduce.js must arrive at the same view.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

BASE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(BASE))

from liuzhou.rules import bots, engine, wall  # noqa: E402
from liuzhou.rules.options import Options  # noqa: E402
from liuzhou.rules.tiles import format_wall  # noqa: E402
from liuzhou.rules.view import redact, view  # noqa: E402
from rooms.proof import wall_seed  # noqa: E402

FIXTURES = Path(__file__).resolve().parent / "fixtures"
# Chosen by number so that together they hold every kind of meld, a robbed kong, fish and wilds.
HANDS: list[tuple[str, str, dict[str, Any], int]] = [
    ("classic", "classic", {"fish": "pond"}, 73),
    ("robbed", "tiantian", {"fish": "159", "wild_red": True, "concealed": True}, 98),
    ("three", "tiantian", {"players": 3, "fish": "bomb"}, 240),
]


def hand(preset: str, options: dict[str, Any], number: int) -> dict[str, Any]:
    """One hand by the bots: every viewer's first view and its steps."""
    parsed = Options.parse(preset, options)
    rng = random.Random(number)
    state, events = engine.start(parsed, number % parsed.players, wall.build(number.to_bytes(32, "big"), parsed))
    viewers: list[int | None] = [*range(parsed.players), None]
    steps: dict[int | None, list[dict[str, Any]]] = {viewer: [] for viewer in viewers}
    first = {viewer: view(state, viewer) for viewer in viewers}
    while asked := engine.deciders(state):
        seat = rng.choice(asked)
        play = bots.auto if rng.random() < 0.3 else bots.greedy
        action = play(view(state, seat), engine.legal_actions(state, seat), rng)
        state, events = engine.apply(state, action)
        for viewer in viewers:
            told = [one for event in events if (one := redact(event, viewer)) is not None]
            if told:
                steps[viewer].append({"events": told, "view": view(state, viewer)})
    return {"viewers": [{"you": viewer, "view": first[viewer], "steps": steps[viewer]} for viewer in viewers]}


def compact(recorded: dict[str, Any]) -> dict[str, Any]:
    """Only every 30th view and the last are kept: each holds everything the events before it did."""
    for viewer in recorded["viewers"]:
        last = len(viewer["steps"]) - 1
        for number, step in enumerate(viewer["steps"]):
            if number % 30 and number != last:
                del step["view"]
    return recorded


WALLS: list[tuple[str, dict[str, Any]]] = [
    ("classic", {}),
    ("baike", {}),
    ("tiantian", {}),
    ("tiantian", {"no_dots": True, "no_honors": True}),
    ("tiantian", {"wild_red": True, "no_honors": True, "players": 3}),
]


def walls() -> list[dict[str, Any]]:
    """Secrets, nonces and the walls the engine builds from them, for proof.test.mjs."""
    made = []
    for number, (preset, chosen) in enumerate(WALLS):
        options = Options.parse(preset, chosen)
        secret, nonces = bytes(range(number, number + 32)), ["ab" * 16, "", "0102", ""][: options.players]
        seed = wall_seed(secret, nonces, 1000 + number)
        built = wall.build(seed, options)
        told = {"preset": preset, "options": options.as_json(), "secret": secret.hex(), "nonces": nonces}
        made.append(
            {**told, "hand": 1000 + number, "seed": seed.hex(), "dice": built.dice, "wall": format_wall(built.tiles)}
        )
    return made


def main() -> None:
    FIXTURES.mkdir(exist_ok=True)
    (FIXTURES.parent / "walls.json").write_text(json.dumps(walls(), indent=0) + "\n", encoding="utf-8")
    for name, preset, options, number in HANDS:
        recorded = compact(hand(preset, options, number))
        text = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
        (FIXTURES / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
