"""The slow door of the log: the row that ends a hand goes in together with all that follows from it, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import connection, transaction
from django.db.models.functions import Now

from ledger import services as ledger
from rooms import clock, log, money, stakes
from rooms.fold import Fold, Row
from rooms.models import Hand, Room, Seat
from rooms.proof import commitment, new_secret


def finish(after: Fold, row: Row) -> int | None:
    """Commit the hand's last row with its settlement, the room's scores and the next hand's commitment.

    Returns the row's time in ms, or None if somebody else had its number first (then nothing at all happened).
    """
    if after.state.settlement is None:
        raise ValueError("finish() is for the row that settles a hand")
    return ledger.transact(lambda: _finish(after, row))


def _finish(after: Fold, row: Row) -> int | None:
    at = log.append(log.entry(after, row))
    if at is None:
        return None
    result = after.state.settlement.as_json()  # type: ignore[union-attr]
    hand = after.setup.hand
    room = Room.objects.select_for_update(no_key=True).get(pk=after.setup.room)
    seats = list(room.seats.order_by("index"))
    coins = _coins(room, seats, result["score"])
    _close(after, Hand.State.SETTLED, settlement=result)
    _keep_scores(hand, seats, result["score"], after.autos, coins)
    room.dealer = result["next_dealer"]
    room.hands_played += 1
    if coins is not None:
        money.settle_coins(room, seats, hand, coins, [score * room.stake for score in result["score"]])
    elif room.price:
        money.after_settlement(room, seats, hand)
    next_hand(room)
    return at


# One statement each for all seats: the table waits for this transaction.
SEATS = """
UPDATE rooms_seat s SET score = s.score + t.score, ready = s.bot <> '', nonce = '', auto = t.auto
FROM unnest(%s::bigint[], %s::int[], %s::boolean[]) AS t(id, score, auto) WHERE s.id = t.id
"""
PLAYED = """
UPDATE rooms_played p SET score = t.score, coins = t.coins
FROM unnest(%s::int[], %s::int[], %s::bigint[]) AS t(index, score, coins) WHERE p.hand_id = %s AND p.index = t.index
"""


def _keep_scores(
    hand: int, seats: list[Seat], score: list[int], autos: Sequence[bool], coins: list[int] | None
) -> None:
    """The hand's result at the seats, which are nobody's turn any more, and with those who played it."""
    for seat in seats:
        seat.score += score[seat.index]
        seat.ready, seat.nonce, seat.auto = bool(seat.bot), "", autos[seat.index]
    indexes = [seat.index for seat in seats]
    scores = [score[index] for index in indexes]
    with connection.cursor() as cursor:
        cursor.execute(SEATS, [[seat.pk for seat in seats], scores, [seat.auto for seat in seats]])
        cursor.execute(PLAYED, [indexes, scores, [coins[index] if coins else None for index in indexes], hand])


def _coins(room: Room, seats: list[Seat], score: list[int]) -> list[int] | None:
    """What really moves at a coin table, where nobody loses more than they hold; None elsewhere."""
    if not room.stake:
        return None
    return stakes.moved([points * room.stake for points in score], [seat.coins or 0 for seat in seats])


def close_unsettled(after: Fold, row: Row, state: str) -> int | None:
    """Commit a `void` or `dissolve` row: the hand ends with no settlement (中途解散不算分). None if it lost the race."""
    with transaction.atomic():
        at = log.append(log.entry(after, row))
        if at is not None:
            _close(after, state)
    return at


def _close(after: Fold, state: str, **values: object) -> None:
    changed = Hand.objects.filter(pk=after.setup.hand, state=Hand.State.RUNNING).update(
        state=state, deadline=None, alarm=None, ended_at=Now(), **values
    )
    if changed != 1:
        raise RuntimeError(f"hand {after.setup.hand} was closed twice")


def next_hand(room: Room) -> None:
    """After a settled hand: between hands with the next one's secret committed to, or the end of the room."""
    if room.hands_total and room.hands_played >= room.hands_total:
        end_room(room, Room.Status.DONE)
        return
    room.status = Room.Status.BETWEEN
    room.next_at = Now() + timedelta(milliseconds=clock.BETWEEN_MS)
    commit_to_hand(room)
    touch(room)


def commit_to_hand(room: Room) -> Hand:
    """The next hand, pending, its secret committed to (DESIGN 6.9)."""
    secret = new_secret()
    return Hand.objects.create(
        room=room,
        number=room.hands.count() + 1,
        secret=secret,
        commit=commitment(secret),
        preset=room.preset,
        options=room.options,
    )


def end_room(room: Room, status: str) -> None:
    room.status = status
    room.next_at = room.dissolve_at = room.dissolve_by = None
    room.dissolve_votes = []
    room.ended_at = Now()
    room.hands.filter(state=Hand.State.PENDING).delete()
    touch(room)


def touch(room: Room) -> None:
    """Save the room under a new version."""
    room.version += 1
    room.save()
