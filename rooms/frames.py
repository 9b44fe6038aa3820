"""One step of a hand as the frames of one seat. Pure: what may be told was decided by `fold` and the rules' `redact`."""

from __future__ import annotations

from typing import Any

from rooms.fold import SPECTATOR, Fold, Outgoing
from rooms.protocol import AskFrame, Clock, EventFrame, Question

ASKS_PER_HAND = 100_000


def clock_of(fold: Fold) -> Clock | None:
    """Whose clock runs for all to see."""
    shown = fold.public_clock()
    return Clock(*shown) if shown else None


def question_of(fold: Fold, seat: int) -> Question | None:
    """The question open for `seat`."""
    if seat == SPECTATOR or fold.asks[seat] is None:
        return None
    return Question(ask_name(fold, fold.asks[seat]), fold.actions(seat), fold.due(seat) or 0, fold.bank(seat))


def ask_name(fold: Fold, ask: int | None) -> str:
    """A question's name on the wire. No two hands share one: an answer that comes late must not meet the next hand."""
    return "" if ask is None else str(fold.setup.hand * ASKS_PER_HAND + ask)


def frames(fold: Fold, seat: int, sent: Outgoing, now: int) -> list[Any]:
    """One seat's frames for one step."""
    hand, shown = fold.setup.hand, clock_of(fold)
    # Only the step's last event shows a clock: on an earlier one it would tell whether a claim window lay between.
    last = len(sent.events) - 1
    made: list[Any] = [
        EventFrame(hand, seq, event, shown if n == last else None, now) for n, (seq, event) in enumerate(sent.events)
    ]
    seq = fold.seen[seat]
    if sent.withdrawn is not None:
        made.append(AskFrame(hand, seq, ask_name(fold, sent.withdrawn), [], 0, 0, now))
    if sent.asked and (question := question_of(fold, seat)) is not None:
        made.append(AskFrame(hand, seq, question.ask, question.actions, question.deadline, question.reserve, now))
    return made
