"""Writes the transcripts and answers of our own hands anew: `python -m tests.rules.transcripts.regenerate`; read the diff.

A transcript is a whole hand in words: each action, and what everybody and then the actor alone was sent for it. The hands
stay as recorded in hands.jsonl; `… regenerate record` plays new ones from the seeds below.
"""

import json
import pathlib
import sys

from liuzhou.rules.actions import action_json, parse_action
from liuzhou.rules.events import redact
from liuzhou.rules.options import Options
from liuzhou.rules.replay import play_record, replay
from liuzhou.rules.tiles import format_wall, parse_wall
from liuzhou.rules.view import view
from liuzhou.rules.wall import Wall
from tests.rules.playing import hand, opening

HERE = pathlib.Path(__file__).parent
HANDS = HERE / "hands.jsonl"
NAMES = "东南西北"

# name, preset, options, seed of wall and players: chosen for what happens in them
SEEDS = [
    ("classic_pond", "classic", {}, 262),
    ("classic_dry", "classic", {"fish": "none"}, 114),
    ("baike_pond", "baike", {}, 199),
    ("tiantian", "tiantian", {}, 36),
    ("tiantian_three", "tiantian", {"players": 3, "fish": "follow", "cap": "none"}, 171),
    ("tiantian_wild", "tiantian", {"wild_red": True, "fish": "159", "concealed": True, "cap": "6"}, 9),
    ("tiantian_small", "tiantian", {"players": 2, "no_dots": True, "no_honors": True, "fish": "bomb"}, 193),
]


def recorded(preset: str, chosen: dict, seed: int) -> dict:
    """A random hand as a record."""
    options = Options.parse(preset, chosen)
    dealer, wall = opening(options, seed)
    return {
        "preset": preset,
        "options": options.as_json(),
        "dealer": dealer,
        "wall": format_wall(wall.tiles),
        "actions": [{"seat": action.seat, **action_json(action)} for _, action, _, _ in hand(options, seed)],
    }


def transcript(record: dict) -> str:
    """The recorded hand as text."""
    options = Options.parse(record["preset"], record["options"])
    actions = [parse_action(each["seat"], {k: v for k, v in each.items() if k != "seat"}) for each in record["actions"]]
    dealer, wall = record["dealer"], Wall(parse_wall(record["wall"]), (0, 0), "")
    lines = [f"{record['preset']} {written(record['options'])}", f"dealer {NAMES[dealer]} wall {record['wall']}"]
    played = list(replay(options, dealer, wall, actions))
    for action, (_, events) in zip([None, *actions], played, strict=True):
        actor = dealer if action is None else action.seat
        if action is not None:
            lines.append(f"{NAMES[actor]} {written(action_json(action))}")
        lines += told(events, actor)
    over, _ = played[-1]
    lines += [f"view of {NAMES[seat]}: {written(view(over, seat))}" for seat in range(options.players)]
    return "\n".join(lines) + "\n"


def told(events, actor) -> list[str]:
    lines = []
    for event in events:
        public, own = redact(event, None), redact(event, actor)
        if public is not None:
            lines.append(f"    {written(public)}")
        if own != public:
            lines.append(f"    {NAMES[actor]} {written(own)}")
    return lines


def written(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def rows() -> list[dict]:
    return [json.loads(line) for line in HANDS.read_text().splitlines()]


def main(record_anew: bool) -> None:
    kept = [] if record_anew else rows()
    records = {row["name"]: row["record"] for row in kept} or {name: recorded(*how) for name, *how in SEEDS}
    for name, record in records.items():
        (HERE / f"{name}.txt").write_text(transcript(record))
    lines = [{"name": name, "record": record, "answer": play_record(record)} for name, record in records.items()]
    HANDS.write_text("".join(written(line) + "\n" for line in lines))


if __name__ == "__main__":
    main("record" in sys.argv[1:])
