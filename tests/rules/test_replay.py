"""Records: the golden hands, our own, and every way a record can be wrong (DESIGN 7)."""

import json
import pathlib

import pytest

from liuzhou.rules import engine
from liuzhou.rules.actions import action_json, parse_action
from liuzhou.rules.errors import IllegalAction, NotationError, RuleError
from liuzhou.rules.options import Options
from liuzhou.rules.replay import play_record
from liuzhou.rules.tiles import format_wall
from tests.rules.playing import hand, opening

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parents[2] / "shared" / "cases" / "hands.jsonl"
OWN = HERE / "transcripts" / "hands.jsonl"


def rows(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def record_of(row):
    return {field: value for field, value in row["record"].items() if field != "seed"}


def as_sets(legal):
    return {seat: sorted(json.dumps(action, sort_keys=True) for action in actions) for seat, actions in legal.items()}


def test_the_golden_hands_are_there():
    if not GOLDEN.exists():
        pytest.skip("the shared cases are not beside this checkout: the golden hands are not compared")
    assert len(rows(GOLDEN)) == 60


@pytest.mark.parametrize("row", rows(GOLDEN), ids=lambda row: row["record"]["preset"])
def test_golden_hand(row):
    record = record_of(row)
    got = play_record(record)["result"]
    assert got["points"] == row["result"]["points"]
    assert got["score"] == row["result"]["score"]
    assert got["next_dealer"] == row["result"]["next_dealer"]
    for win, wanted in zip(got["wins"], row["result"]["wins"], strict=True):
        assert {field: win[field] for field in wanted} == wanted
    part = play_record({**record, "actions": record["actions"][: row["at"]]})
    assert as_sets(part["legal"]) == as_sets({seat: legal for seat, legal in row["legal"].items() if legal})


@pytest.mark.parametrize("row", rows(OWN), ids=lambda row: row["name"])
def test_our_own_hands(row):
    assert play_record(row["record"]) == row["answer"]


def record(preset="classic", seed=5, **chosen):
    """A whole random hand as a record."""
    options = Options.parse(preset, chosen)
    dealer, wall = opening(options, seed)
    actions = [{"seat": action.seat, **action_json(action)} for _, action, _, _ in hand(options, seed)]
    return {
        "preset": preset,
        "options": options.as_json(),
        "dealer": dealer,
        "wall": format_wall(wall.tiles),
        "actions": actions,
    }


def test_seed_and_wall_are_the_same_hand():
    by_wall = record()
    by_seed = {**by_wall, "seed": (5).to_bytes(32, "big").hex()}
    assert play_record(by_wall) == play_record(by_seed)
    del by_seed["wall"]
    assert play_record(by_wall) == play_record(by_seed)


def test_the_answer_part_way():
    whole = record("tiantian", 4)
    answer = play_record({**whole, "actions": whole["actions"][:5]})
    assert set(answer) == {"phase", "turn", "legal", "drawable", "hands", "melds", "discards", "result"}
    assert answer["result"] is None
    assert set(answer["legal"]) == {str(answer["turn"])} or answer["phase"] != "turn"


def test_an_illegal_action_is_told_with_its_place():
    whole = record()
    whole["actions"] = [*whole["actions"], {"seat": 2, "do": "pass"}]
    error = play_record(whole)["error"]
    assert (error["index"], error["seat"]) == (len(whole["actions"]) - 1, 2)
    assert error["message"]


@pytest.mark.parametrize(
    "action", [{"do": "dance"}, {"do": "discard"}, {"do": "discard", "tile": "0m"}, {"do": "fish", "slot": 9}]
)
def test_an_unreadable_action_is_told_with_its_place(action):
    error = play_record({**record(), "actions": [{"seat": 0, **action}]})["error"]
    assert (error["index"], error["seat"]) == (0, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"preset": "mars"},
        {"preset": 3},
        {"options": {"cap": "2"}},
        {"options": []},
        {"dealer": 4},
        {"dealer": -1},
        {"dealer": True},
        {"dealer": "0"},
        {"wall": "1m"},
        {"wall": 5},
        {"wall": "1m" * 136},
        {"wall": None},
        {"seed": "00"},
        {"seed": "zz" * 32},
        {"seed": "00" * 32},
        {"actions": "pass"},
        {"actions": [5]},
        {"actions": [{"do": "pass"}]},
        {"actions": [{"seat": True, "do": "pass"}]},
        {"colour": "red"},
    ],
)
def test_a_malformed_record_is_refused(change):
    with pytest.raises(RuleError):
        play_record({**record(), **change})


@pytest.mark.parametrize("whole", [None, [], "x", {}, {"preset": "classic"}])
def test_what_is_no_record_is_refused(whole):
    with pytest.raises(RuleError):
        play_record(whole)


# Actions as JSON


def test_every_legal_action_comes_back_from_its_json():
    for seed in range(8):
        for before, *_ in hand(Options.parse("tiantian" if seed % 2 else "classic"), seed):
            for seat in engine.deciders(before):
                for action in engine.legal_actions(before, seat):
                    assert parse_action(seat, json.loads(json.dumps(action_json(action)))) == action


def test_a_chows_tiles_may_come_in_any_order():
    assert parse_action(1, {"do": "chow", "tiles": "64m"}) == parse_action(1, {"do": "chow", "tiles": "46m"})


@pytest.mark.parametrize(
    "action",
    [
        None,
        [],
        "win",
        {},
        {"do": None},
        {"do": ["win"]},
        {"do": "WIN"},
        {"do": "win", "tile": "5m"},
        {"do": "win", "": 1},
        {"do": "win", 5: 1},
        {"do": "pass", "seat": 1},
        {"do": "discard"},
        {"do": "discard", "tile": 5},
        {"do": "discard", "tile": ""},
        {"do": "discard", "tile": "55m"},
        {"do": "discard", "tile": "5m", "slot": 1},
        {"do": "chow"},
        {"do": "chow", "tiles": "4m"},
        {"do": "chow", "tiles": "456m"},
        {"do": "chow", "tiles": ["4m", "6m"]},
        {"do": "fish"},
        {"do": "fish", "slot": 0},
        {"do": "fish", "slot": 9},
        {"do": "fish", "slot": True},
        {"do": "fish", "slot": "1"},
        {"do": "fish_done", "slot": 1},
    ],
)
def test_what_is_no_action_is_refused(action):
    with pytest.raises((IllegalAction, NotationError)):
        parse_action(0, action)


@pytest.mark.parametrize("tile", ["0m", "8z", "5x", "m5", "５m", "5"])
def test_what_is_no_tile_is_refused(tile):
    with pytest.raises((IllegalAction, NotationError)):
        parse_action(0, {"do": "discard", "tile": tile})
