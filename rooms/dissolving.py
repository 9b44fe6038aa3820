"""Ending things early: dissolving a room, voiding a hand, giving back the time of an outage."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from ledger.errors import Busy
from liuzhou.accounts.models import User
from liuzhou.values import maintenance
from rooms import broadcast, clock, table
from rooms.errors import RoomError
from rooms.models import Hand, Room, Seat
from rooms.seating import changed, is_past, locked, return_all
from rooms.settlement import end_room, next_hand

WAITING_MINUTES = 30
RETRIES = 8
REASON_LENGTH = 200


def leave_others(user: User) -> None:
    """A user sits at one table at a time: a practice table is closed for them, another room must be left first."""
    for seat in Seat.objects.filter(user=user, room__status__in=Room.OPEN).select_related("room"):
        if not seat.room.practice:
            raise RoomError("already_seated", code=seat.room.code)
        mark_for_closing(seat.room, seat.index)


def ask_dissolve(*, room_id: int, user: User) -> None:
    """Before the start the owner closes the room; after it a player asks the others, who have 60 s (silence agrees)."""
    with transaction.atomic():
        room, seat = locked(room_id, user)
        if room.practice or room.status == Room.Status.WAITING:
            if room.owner_id != user.pk:
                raise RoomError("not_owner")
            mark_for_closing(room, seat.index)
            return
        if room.dissolve_at is not None:
            raise RoomError("vote_open")
        room.dissolve_by, room.dissolve_votes = seat.index, [seat.index]
        room.dissolve_at = Now() + timedelta(milliseconds=clock.DISSOLVE_MS)
        _count_votes(room)


def vote(*, room_id: int, user: User, agree: bool) -> None:
    """A voice on the running request: one “no” ends it, all agreeing dissolves the room."""
    with transaction.atomic():
        room, seat = locked(room_id, user)
        if room.dissolve_at is None:
            raise RoomError("no_vote")
        if not agree:
            room.dissolve_at, room.dissolve_by, room.dissolve_votes = None, None, []
            changed(room)
            return
        room.dissolve_votes = sorted({*room.dissolve_votes, seat.index})
        _count_votes(room)


def _count_votes(room: Room) -> None:
    people = set(room.seats.filter(bot="").values_list("index", flat=True))
    if people <= set(room.dissolve_votes):
        mark_for_closing(room, room.dissolve_by)
    else:
        changed(room)


def mark_for_closing(room: Room, seat: int | None) -> None:
    """Decided (so nobody's vote is open any more): the room is to be dissolved at once. Should this process die before it
    is, the sweep finds it."""
    Room.objects.filter(pk=room.pk).update(dissolve_by=seat, dissolve_at=Now(), dissolve_votes=[])
    transaction.on_commit(lambda: dissolve(room_id=room.pk))


def dissolve(*, room_id: int) -> None:
    """End a room that is due to be dissolved: by decision, because silence agreed, or because it was never started.

    A running hand ends with it, unsettled (中途解散不算分), in the same transaction; a hand that is settled at the
    same moment by somebody else is settled first.
    """
    for _ in range(RETRIES):
        running = Hand.objects.filter(room_id=room_id, state=Hand.State.RUNNING).values_list("pk", flat=True).first()
        try:
            with transaction.atomic():
                rows = table.close(running, {"do": "dissolve"}, Hand.State.DISSOLVED) if running else []
                room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
                if not _due_to_close(room):
                    transaction.set_rollback(True)
                    return
                if room.hands.filter(state=Hand.State.RUNNING).exists():
                    raise table.LostRace  # it began while we were not looking
                return_all(room)
                end_room(room, Room.Status.DISSOLVED)
        except (table.LostRace, Busy):
            continue
        if running:
            broadcast.rows(room_id, running, rows)
        broadcast.room_changed(room_id)
        return
    raise RoomError("busy")


def void_hand(*, hand_id: int, admin: User, reason: str) -> None:
    """Void a running hand: it counts for nothing, everybody is told why, and the room goes on to its next hand.

    Once: a hand that is over already, however it ended, is refused. `reason` is needed (up to 200 characters).
    """
    reason = reason.strip()
    if not reason or len(reason) > REASON_LENGTH:
        raise RoomError("bad_reason", limit=REASON_LENGTH)
    for _ in range(RETRIES):
        hand = Hand.objects.get(pk=hand_id)
        if hand.state != Hand.State.RUNNING:
            raise RoomError("hand_over")
        try:
            with transaction.atomic():
                rows = table.close(hand_id, {"do": "void", "reason": reason}, Hand.State.VOID)
                Hand.objects.filter(pk=hand_id).update(void_reason=reason, voided_by=admin)
                room = Room.objects.select_for_update(no_key=True).get(pk=hand.room_id)
                if room.is_open:
                    room.seats.filter(bot="").update(ready=False, nonce="")
                    next_hand(room)
        except table.LostRace:
            continue
        broadcast.rows(hand.room_id, hand_id, rows)
        broadcast.room_changed(hand.room_id)
        return
    raise RoomError("busy")


def give_back_all(ms: int) -> int:
    """Give every running hand's players `ms` back after an outage of the site; how many hands there were."""
    running = list(Hand.objects.filter(state=Hand.State.RUNNING).values_list("pk", flat=True))
    for hand in running:
        table.give_back(hand, ms)
    return len(running)


def _due_to_close(room: Room) -> bool:
    down = maintenance.current(fresh=True)
    asked = is_past(room.dissolve_at) and not (down.on and _is_silence(room))
    since = max(room.created_at, down.since or room.created_at)  # maintenance is no time in which to begin
    unused = (
        room.status == Room.Status.WAITING
        and not room.stake
        and not down.on
        and is_past(since + timedelta(minutes=WAITING_MINUTES))
    )
    return room.is_open and (asked or unused)


def _is_silence(room: Room) -> bool:
    """Whether the room between hands would be dissolved because somebody said nothing: under maintenance they need not."""
    return room.status == Room.Status.BETWEEN and bool(room.dissolve_votes)
