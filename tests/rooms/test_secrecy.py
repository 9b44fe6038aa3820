"""Permuting the tiles a seat cannot see changes no byte of the frames it is sent (DESIGN 6.6): numbers, questions, clocks too."""

from __future__ import annotations

import random

import pytest

from liuzhou.rules.actions import Action
from liuzhou.rules.options import Options
from rooms import fold as folds
from rooms.fold import PLAYER, SPECTATOR, Row, Setup
from rooms.frames import frames
from rooms.protocol import encode
from tests.rules import test_secrecy as rules
from tests.rules.playing import hand, opening

START = 1_800_000_000_000


@pytest.fixture(autouse=True)
def remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run of the rules' test remember its wall and every action it took, hidden passes included."""
    step, start = rules.Run.step, rules.Run.__init__

    def begin(run: rules.Run, options: Options, dealer: int, wall: object, viewer: int | None) -> None:
        run.walled, run.taken = wall, []
        start(run, options, dealer, wall, viewer)

    def remember(run: rules.Run, action: Action) -> None:
        run.taken.append(action)
        step(run, action)

    monkeypatch.setattr(rules.Run, "step", remember)
    monkeypatch.setattr(rules.Run, "__init__", begin)


def sent(monkeypatch: pytest.MonkeyPatch, options: Options, dealer: int, run: rules.Run) -> list[bytes]:
    """All frames the run's viewer is sent, a second between public actions; hidden passes take no time."""
    viewer = SPECTATOR if run.viewer is None else run.viewer
    monkeypatch.setattr(folds.wall, "build", lambda seed, options: run.walled)
    players = options.players
    setup = Setup(5, 6, options, dealer, b"", ("",) * players, (False,) * players, "normal", START)
    fold, at, out = folds.begin(setup), START, []
    for action in run.taken:
        if action.do != "pass" or action.seat == viewer:
            at += 1_000
        row = Row(fold.seq + 1, action.seat, folds.body_of(action), PLAYER, "", at)
        fold, outgoing = folds.step(fold, row)
        if viewer in outgoing:
            out += [encode(frame) for frame in frames(fold, viewer, outgoing[viewer], at)]
    return out


@pytest.mark.parametrize(("preset", "chosen"), rules.HANDS)
def test_unseen_tiles_change_no_byte_a_seat_is_sent(
    monkeypatch: pytest.MonkeyPatch, preset: str, chosen: dict[str, object]
) -> None:
    options, compared = Options.parse(preset, chosen), 0
    rng = random.Random(7)
    played = [(action, after.phase) for _, action, after, _ in hand(options, 7)]
    dealer, wall = opening(options, 7)
    for viewer in (None, *range(options.players)):
        actions = [action for action, phase in played[: len(played) // 2] if phase != "over"]
        public = [action for action in actions if action.do != "pass" or action.seat == viewer]
        original = rules.Run(options, dealer, wall, viewer).play(public)
        expected = sent(monkeypatch, options, dealer, original)
        for run in rules.permuted(options, dealer, wall, viewer, public, rng):
            if run.state.phase != "over":
                assert sent(monkeypatch, options, dealer, run) == expected
                compared += 1
    assert compared > 10, "the permutations must really happen"
