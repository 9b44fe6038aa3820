"""What can be done to a room: verbs, each one transaction, each telling the table's sockets after it is committed.

The order of locks is always: log row, hand, room, seats. A service that touches none of the first two starts at the room.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from liuzhou.accounts.models import User
from liuzhou.rules import wall
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from rooms import broadcast, clock, fold, records, snapshot, table
from rooms.errors import RoomError
from rooms.models import Hand, Room, Said, Seat
from rooms.proof import wall_seed
from rooms.settlement import commit_to_hand, end_room, next_hand, touch

BOTS = ("柳江", "鱼峰", "螺蛳")
PRACTICE_BOT = "greedy"
HANDS = (4, 8, 16)
SPECTATORS = ("none", "open", "delayed")
WAITING_MINUTES = 30
RETRIES = 8
REASON_LENGTH = 200


def _parse(preset: str, options: Mapping[str, object]) -> Options:
    try:
        return Options.parse(preset, dict(options))
    except RuleError as error:
        raise RoomError.from_rules("bad_option", error) from error


def _open(user: User, values: dict[str, object]) -> Room:
    """A room under a free code; the code is random, so that it cannot be guessed from others."""
    for _ in range(20):
        try:
            with transaction.atomic():
                return Room.objects.create(owner=user, code=f"{secrets.randbelow(1_000_000):06d}", **values)
        except IntegrityError:
            continue
    raise RoomError("busy")


def seat_of(user: User) -> Seat | None:
    """The seat the user holds in an open room, if any."""
    return (
        Seat.objects.filter(user=user, room__status__in=Room.OPEN)
        .select_related("room")
        .order_by("room__practice", "-pk")
        .first()
    )


def _leave_others(user: User) -> None:
    """A user sits at one table at a time: a practice table is closed for them, another room must be left first."""
    for seat in Seat.objects.filter(user=user, room__status__in=Room.OPEN).select_related("room"):
        if not seat.room.practice:
            raise RoomError("already_seated", code=seat.room.code)
        _mark_for_closing(seat.room, seat.index)


def create_room(
    *,
    user: User,
    preset: str,
    options: Mapping[str, object],
    hands: int = 4,
    pace: str = "normal",
    spectators: str = "none",
) -> Room:
    """Open a room (score mode) and sit its owner down at seat 0. Refuses options as RULES 10 says."""
    parsed = _parse(preset, options)
    if hands not in HANDS:
        allowed = "4 / 8 / 16"
        raise RoomError("bad_choice", name="hands", value=hands, allowed=allowed)
    if pace not in clock.PACES:
        raise RoomError("bad_choice", name="pace", value=pace, allowed=" / ".join(clock.PACES))
    if spectators not in SPECTATORS:
        raise RoomError("bad_choice", name="spectators", value=spectators, allowed=" / ".join(SPECTATORS))
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        _leave_others(user)
        values = {"preset": preset, "options": parsed.as_json(), "hands_total": hands, "pace": pace}
        room = _open(user, {**values, "spectators": spectators})
        Seat.objects.create(room=room, index=0, user=user, name=user.nickname or user.username)
        commit_to_hand(room)
    return room


def create_practice(*, user: User, preset: str = "classic", options: Mapping[str, object] | None = None) -> Room:
    """A table of the user and three bots, without stakes; it starts at once."""
    parsed = _parse(preset, options or {})
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        _leave_others(user)
        room = _open(user, {"preset": preset, "options": parsed.as_json(), "practice": True})
        Seat.objects.create(room=room, index=0, user=user, name=user.nickname or user.username, ready=True)
        for index in range(1, parsed.players):
            Seat.objects.create(room=room, index=index, bot=PRACTICE_BOT, name=BOTS[index - 1], ready=True)
        commit_to_hand(room)
        _start_hand(room)
    return room


def find_open(code: str) -> Room:
    """The open room under `code`, or `room_unavailable`."""
    room = Room.objects.filter(code=code, status__in=Room.OPEN).first()
    if room is None:
        raise RoomError("room_unavailable", code=code)
    return room


def join_room(*, user: User, code: str) -> Room:
    """Sit down at the first free seat. Unknown, full and started rooms are refused in the same words."""
    if not (len(code) == 6 and code.isascii() and code.isdigit()):
        raise RoomError("bad_code", value=code[:12])
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        room = find_open(code)
        room = Room.objects.select_for_update(no_key=True).get(pk=room.pk)
        seats = list(room.seats.all())
        if any(seat.user_id == user.pk for seat in seats):
            return room
        taken = {seat.index for seat in seats}
        free = [index for index in range(room.options["players"]) if index not in taken]
        if room.status != Room.Status.WAITING or room.practice or not free:
            raise RoomError("room_unavailable", code=code)
        _leave_others(user)
        Seat.objects.create(room=room, index=free[0], user=user, name=user.nickname or user.username)
        _changed(room)
    return room


def _changed(room: Room) -> None:
    """Give the room a new version and tell its sockets once that is committed."""
    touch(room)
    transaction.on_commit(lambda: broadcast.room_changed(room.pk))


def _locked(room_id: int, user: User) -> tuple[Room, Seat]:
    room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
    seat = room.seats.filter(user=user).first()
    if seat is None:
        raise RoomError("not_seated")
    if not room.is_open:
        raise RoomError("room_closed")
    return room, seat


def leave_room(*, room_id: int, user: User) -> None:
    """Give up the seat before the start; at a practice table at any time, which closes it.

    The owner's leaving hands the room to the next player; the last one's leaving closes it.
    """
    with transaction.atomic():
        room, seat = _locked(room_id, user)
        if room.practice:
            _mark_for_closing(room, seat.index)
            return
        if room.status != Room.Status.WAITING:
            raise RoomError("in_progress")
        seat.delete()
        heir = room.seats.filter(user__isnull=False).order_by("index").first()
        if heir is None:
            end_room(room, Room.Status.DISSOLVED)
            transaction.on_commit(lambda: broadcast.room_changed(room.pk))
            return
        if room.owner_id == user.pk:
            room.owner_id = heir.user_id or room.owner_id
        _changed(room)


def kick(*, room_id: int, user: User, index: int) -> None:
    """The owner sends a player away before the start."""
    with transaction.atomic():
        room, seat = _locked(room_id, user)
        if room.owner_id != user.pk:
            raise RoomError("not_owner")
        if room.status != Room.Status.WAITING:
            raise RoomError("in_progress")
        removed, _ = room.seats.filter(index=index, user__isnull=False).exclude(pk=seat.pk).delete()
        if not removed:
            raise RoomError("no_such_seat", value=index)
        _changed(room)


def set_ready(*, room_id: int, user: User, nonce: str = "") -> None:
    """Ready for the next hand, with the player's part of its wall; the last one's ready starts it."""
    with transaction.atomic():
        room, seat = _locked(room_id, user)
        if room.status not in (Room.Status.WAITING, Room.Status.BETWEEN):
            raise RoomError("not_waiting")
        seat.ready, seat.nonce, seat.auto = True, nonce.lower(), False
        seat.save(update_fields=["ready", "nonce", "auto"])
        seats = list(room.seats.all())
        if len(seats) == room.options["players"] and all(seat.ready for seat in seats):
            _start_hand(room)
        else:
            _changed(room)


def start_overdue(*, room_id: int) -> None:
    """Start the next hand of a room whose pause is over, whoever is ready or not; whoever is not plays by 托管."""
    with transaction.atomic():
        room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
        if room.status == Room.Status.BETWEEN and _is_past(room.next_at):
            room.seats.filter(ready=False, bot="").update(auto=True)
            _start_hand(room)


def _is_past(moment: datetime | None) -> bool:
    return moment is not None and records.milliseconds(moment) <= records.database_now()


def _start_hand(room: Room) -> None:
    """Turn the pending hand into a running one: nonces are in, so its wall is fixed."""
    hand = room.hands.select_for_update(no_key=True).get(state=Hand.State.PENDING)
    seats = list(room.seats.order_by("index"))
    hand.nonces = [seat.nonce for seat in seats]
    seed = wall_seed(bytes(hand.secret), hand.nonces, hand.pk)
    options = Options.parse(room.preset, room.options)
    if room.dealer is None:
        room.dealer = wall.first_dealer(wall.build(seed, options).dice, options.players)
    hand.dealer = room.dealer
    hand.setup = {"bots": [seat.bot for seat in seats], "autos": [seat.auto for seat in seats], "pace": room.pace}
    hand.state = Hand.State.RUNNING
    hand.started_at = records.moment(records.database_now())
    deadline = fold.begin(records.setup_of(hand)).deadline()
    hand.deadline = records.moment(deadline) if deadline else None
    hand.save()
    room.seats.filter(bot="").update(ready=False)
    room.status, room.next_at = Room.Status.PLAYING, None
    _changed(room)


@cache
def chat_filter() -> Callable[[str], str]:
    """The operator's filter for chat texts: the function at settings.CHAT_FILTER, or one that masks CHAT_WORDS."""
    if settings.CHAT_FILTER:
        return import_string(settings.CHAT_FILTER)
    words = [re.escape(word) for word in settings.CHAT_WORDS]
    if not words:
        return lambda text: text
    pattern = re.compile("|".join(words), re.IGNORECASE)
    return lambda text: pattern.sub(lambda found: "＊" * len(found[0]), text)


def say(*, room_id: int, user: User, kind: str, body: str) -> Said:
    """Keep a line of chat and tell the room."""
    with transaction.atomic():
        seat = Seat.objects.filter(room_id=room_id, user=user).first()
        if seat is None:
            raise RoomError("not_seated")
        if kind == "text":
            body = chat_filter()(body)
        said = Said.objects.create(room_id=room_id, seat=seat.index, name=seat.name, kind=kind, body=body)
        said.refresh_from_db()
        transaction.on_commit(lambda: broadcast.said(room_id, snapshot.said_frame(said)))
    return said


def ask_dissolve(*, room_id: int, user: User) -> None:
    """Before the start the owner closes the room; after it a player asks the others, who have 60 s (silence agrees)."""
    with transaction.atomic():
        room, seat = _locked(room_id, user)
        if room.practice or room.status == Room.Status.WAITING:
            if room.owner_id != user.pk:
                raise RoomError("not_owner")
            _mark_for_closing(room, seat.index)
            return
        if room.dissolve_at is not None:
            raise RoomError("vote_open")
        room.dissolve_by, room.dissolve_votes = seat.index, [seat.index]
        room.dissolve_at = Now() + timedelta(milliseconds=clock.DISSOLVE_MS)
        _count_votes(room)


def vote(*, room_id: int, user: User, agree: bool) -> None:
    """A voice on the running request: one “no” ends it, all agreeing dissolves the room."""
    with transaction.atomic():
        room, seat = _locked(room_id, user)
        if room.dissolve_at is None:
            raise RoomError("no_vote")
        if not agree:
            room.dissolve_at, room.dissolve_by, room.dissolve_votes = None, None, []
            _changed(room)
            return
        room.dissolve_votes = sorted({*room.dissolve_votes, seat.index})
        _count_votes(room)


def _count_votes(room: Room) -> None:
    people = set(room.seats.filter(bot="").values_list("index", flat=True))
    if people <= set(room.dissolve_votes):
        _mark_for_closing(room, room.dissolve_by)
    else:
        _changed(room)


def _mark_for_closing(room: Room, seat: int | None) -> None:
    """Decided: the room is to be dissolved at once. Should this process die before it is, the sweep finds it."""
    Room.objects.filter(pk=room.pk).update(dissolve_by=seat, dissolve_at=Now())
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
                end_room(room, Room.Status.DISSOLVED)
        except table.LostRace:
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
    asked = _is_past(room.dissolve_at)
    unused = room.status == Room.Status.WAITING and _is_past(room.created_at + timedelta(minutes=WAITING_MINUTES))
    return room.is_open and (asked or unused)
