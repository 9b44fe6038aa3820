"""The ledger's audit asks rooms: is each settlement what the replay of its hand's log gives? (DESIGN 6.5)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ledger.audit import Difference, Scope, register_check, settlements
from ledger.audit.run import Settled
from ledger.services import COIN, POINT
from rooms import history
from rooms.models import Hand, Played, Room

CHECK = "replay"


def register() -> None:
    register_check(CHECK, check)


def check(scope: Scope) -> Iterator[Difference]:
    """Every settlement and void entry of the scope against its hand; every settled coin hand must have its entry."""
    seen: set[int] = set()
    for settled in settlements(scope):
        if settled.hand is not None:
            seen.add(settled.hand)
        yield from _against_replay(settled)
    if scope.whole:
        yield from _without_entry(seen)


def _against_replay(settled: Settled) -> Iterator[Difference]:
    hand = Hand.objects.select_related("room").filter(pk=settled.hand or 0).first()
    if hand is None:
        yield Difference(CHECK, "no hand is behind this entry", entry=settled.entry, hand=settled.hand)
        return
    wanted = {"settlement": Hand.State.SETTLED, "void": Hand.State.VOID}[settled.kind]
    if hand.state != wanted:
        yield _differ(settled, "the hand ended otherwise", wanted, hand.state)
        return
    for problem in history.verify(history.hand_record(hand)):
        yield Difference(CHECK, problem, entry=settled.entry, hand=hand.pk)
    if settled.kind == "settlement":
        yield from _lines(settled, hand)


def _lines(settled: Settled, hand: Hand) -> Iterator[Difference]:
    """积分 by the replayed net, coins as the hand's players were told (RULES 11.4)."""
    found: Counter[tuple[str, int]] = Counter()
    for line in settled.lines:
        found[(line.currency, line.owner_ref or 0)] += line.amount
    expected: Counter[tuple[str, int]] = Counter()
    score = (hand.settlement or {}).get("score", [])
    for seat in Played.objects.filter(hand=hand):
        user = seat.user_id or 0
        expected[(POINT, user)] += score[seat.index] * hand.room.stake
        expected[(COIN, user)] += seat.coins or 0
    for key in sorted(set(found) | set(expected)):
        if found[key] != expected[key]:
            yield _differ(settled, f"{key[0]} of player {key[1]}", expected[key], found[key])


def _differ(settled: Settled, what: str, expected: object, found: object) -> Difference:
    return Difference(CHECK, what, entry=settled.entry, hand=settled.hand, expected=str(expected), found=str(found))


def _without_entry(seen: set[int]) -> Iterator[Difference]:
    """A coin hand whose points are not all zero moved something, so it has an entry."""
    hands = Hand.objects.filter(state=Hand.State.SETTLED, room__stake__gt=0, room__in=Room.objects.all())
    for pk, result in hands.values_list("pk", "settlement").iterator():
        if pk not in seen and result and any(result["score"]):
            yield Difference(CHECK, "a settled coin hand has no entry", hand=pk)
