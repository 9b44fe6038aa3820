"""The benchmark runs and says everything it should. Nothing here depends on how fast this machine is."""

from __future__ import annotations

import json

import pytest

from liuzhou.rules import bench_cli
from liuzhou.rules.__main__ import main
from liuzhou.rules.bench_cli import HAND, STEP, WILDS, Rate
from liuzhou.rules.hand import is_win, pack
from liuzhou.rules.score import settle

RATES = (
    "win checks, winning hands",
    "win checks, mixed hands",
    "two wilds, winning hands",
    "two wilds, mixed hands",
    "hands at random",
    "hands by greedy",
    "settlements",
)
LATENCIES = (STEP, "view of a seat", "reduce one event")
TINY = ["bench", "--seconds", "0", "--rounds", "1", "--hands", "12", "--playouts", "2"]


def test_every_figure_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(TINY) == 0
    printed = capsys.readouterr().out
    for name in (*RATES, *LATENCIES, "redact a step for 5 audiences"):
        assert name in printed
    assert "p50" in printed
    assert "p99" in printed


@pytest.mark.parametrize("players", [2, 3])
def test_figures_as_json_for_other_rules(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = json.dumps({"players": players, "wild_red": True})
    assert main([*TINY, "--json", "--preset", "tiantian", "--options", chosen]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["per_second"]) == set(RATES)
    assert all(rate["best"] >= rate["worst"] > 0 for rate in told["per_second"].values())
    assert set(told["microseconds"]) == {*LATENCIES, f"redact a step for {players + 1} audiences"}
    assert all(times["p50"] <= times["p99"] <= times["worst_p99"] for times in told["microseconds"].values())


def test_bad_options_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for options in ('{"players": 9}', "{"):
        with pytest.raises(SystemExit) as left:
            main([*TINY, "--options", options])
        assert left.value.code == 2
    assert "players" in capsys.readouterr().err


def test_hands_are_what_they_are_called() -> None:
    winning, mixed = bench_cli.winning_hands(300), bench_cli.mixed_hands(300)
    assert all(len(tiles) == HAND and max(map(tiles.count, tiles)) <= 4 for tiles in (*winning, *mixed))
    assert all(is_win(*pack(tiles), 0) for tiles in winning)
    assert 100 <= sum(is_win(*pack(tiles), 0) for tiles in mixed) < 150
    for suits, wilds in bench_cli.with_wilds(winning):
        assert wilds == WILDS
        assert is_win(suits, wilds, 0)


def test_the_same_hands_every_time() -> None:
    assert bench_cli.mixed_hands(30) == bench_cli.mixed_hands(30)


def test_settled_hands_are_as_the_engine_settled_them() -> None:
    options = bench_cli.Options.parse("classic")
    for seed in range(5):
        *_, (_, _, over, _) = bench_cli.playout(options, seed, bench_cli.by_greedy)
        assert over.end is not None
        hands = bench_cli.hands_at(over, over.end)
        wall = over.wall[over.front : over.back]
        assert settle(options, over.dealer, hands, over.end, wall) == over.settlement


def test_rows_are_measured_in_every_round() -> None:
    done = []

    def batch() -> int:
        done.append(1)
        return sum(i * i for i in range(1000)) and 1

    measured = bench_cli.rates({"row": batch}, seconds=0, rounds=3)
    assert len(done) >= 4  # once to warm up
    assert 0 <= measured["row"].spread < 1
    assert Rate(10, 9).spread == pytest.approx(0.1)
