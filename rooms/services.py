"""What can be done to a room: verbs, each one transaction, each telling the table's sockets after it is committed.

The order of locks is always: log row, hand, room, seats, ledger accounts. A service that touches none of the first two
starts at the room. Neighbours: `starting` (ready, next hand), `dissolving`, `coin_tables` (the coin lobby), `chat`.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from liuzhou.accounts import limits
from liuzhou.accounts.models import User
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import SCHEMA, Options
from rooms import broadcast, clock, coin_tables
from rooms.chat import chat_filter, say
from rooms.dissolving import (
    REASON_LENGTH,
    WAITING_MINUTES,
    ask_dissolve,
    dissolve,
    give_back_all,
    leave_others,
    mark_for_closing,
    void_hand,
    vote,
)  # fmt: skip
from rooms.errors import RoomError
from rooms.models import Price, Room, Seat
from rooms.seating import changed, check_limits, free_seat, lock_user, locked, new_room, seat_of, sit, transacted, unsit
from rooms.settlement import commit_to_hand, end_room
from rooms.starting import set_ready, start_hand, start_overdue

__all__ = [
    "HANDS", "REASON_LENGTH", "WAITING_MINUTES", "ask_dissolve", "chat_filter", "create_practice", "create_room", "dissolve",
    "give_back_all", "join_room", "kick", "leave_room", "say", "seat_of", "set_ready", "start_overdue", "void_hand", "vote",
]  # fmt: skip

BOTS = ("柳江", "鱼峰", "螺蛳")
PRACTICE_BOT = "greedy"
HANDS = (4, 8, 16)
ROOM_BASES = {"classic": (1,), "baike": (1,), "tiantian": SCHEMA["tiantian"]["base"].values}
SPECTATORS = ("none", "open", "delayed")
PAYS = (Room.Pay.OWNER, Room.Pay.SPLIT, Room.Pay.WINNER)


def parse(preset: str, options: Mapping[str, object]) -> Options:
    """A room's options, refused as RULES 10 says."""
    try:
        return Options.parse(preset, dict(options))
    except RuleError as error:
        raise RoomError.from_rules("bad_option", error) from error


def _choose(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise RoomError("bad_choice", name=name, value=value, allowed=" / ".join(str(one) for one in allowed))


@transacted
def create_room(
    *,
    user: User,
    preset: str,
    options: Mapping[str, object],
    hands: int = 4,
    pace: str = "normal",
    spectators: str = "none",
    pay: str = Room.Pay.OWNER,
) -> Room:
    """Open a private room (score mode) for its price in room cards and sit its owner down at seat 0."""
    parsed = parse(preset, options)
    _choose("base", parsed.base, ROOM_BASES[preset])
    _choose("hands", hands, HANDS)
    _choose("pace", pace, tuple(clock.PACES))
    _choose("spectators", spectators, SPECTATORS)
    _choose("pay", pay, PAYS)
    user = lock_user(user)
    check_limits(user, limits.ROOM)
    leave_others(user)
    price = Price.objects.get(hands=hands).cards
    values = {"preset": preset, "options": parsed.as_json(), "hands_total": hands, "pace": pace, "owner": user}
    room = new_room({**values, "spectators": spectators, "pay": pay, "price": price})
    sit(room, user, 0)
    commit_to_hand(room)
    return room


@transacted
def create_practice(*, user: User, preset: str = "classic", options: Mapping[str, object] | None = None) -> Room:
    """A table of the user and three bots, without stakes; it starts at once."""
    parsed = parse(preset, options or {})
    user = lock_user(user)
    check_limits(user, limits.PRACTICE)
    leave_others(user)
    room = new_room({"preset": preset, "options": parsed.as_json(), "practice": True, "owner": user})
    Seat.objects.create(room=room, index=0, user=user, name=user.nickname or user.username, ready=True)
    for index in range(1, parsed.players):
        Seat.objects.create(room=room, index=index, bot=PRACTICE_BOT, name=BOTS[index - 1], ready=True)
    commit_to_hand(room)
    start_hand(room)
    return room


def find_open(code: str) -> Room:
    """The open room under `code`, or `room_unavailable`."""
    room = Room.objects.filter(code=code, status__in=Room.OPEN).first()
    if room is None:
        raise RoomError("room_unavailable", code=code)
    return room


@transacted
def join_room(*, user: User, code: str, address: str = "") -> Room:
    """Sit down at the first free seat. Unknown, full and started rooms are refused in the same words."""
    if not (len(code) == 6 and code.isascii() and code.isdigit()):
        raise RoomError("bad_code", value=code[:12])
    user = lock_user(user)
    room = Room.objects.select_for_update(no_key=True).get(pk=find_open(code).pk)
    if room.seats.filter(user=user).exists():
        return room
    index = free_seat(room)
    if room.status != Room.Status.WAITING or room.practice or room.stake or index is None:
        raise RoomError("room_unavailable", code=code)
    check_limits(user, limits.ROOM)
    leave_others(user)
    sit(room, user, index, address=address)
    changed(room)
    return room


def leave_room(*, room_id: int, user: User, confirm: bool = False) -> None:
    """Give up the seat. A private room is left before the start only; a practice table at any time, which closes it; a
    coin table between hands, or with `confirm` in mid-hand, which is an escape (RULES 11.3).

    The owner's leaving hands the room to the next player, or closes it where the owner pays; the last one's closes it.
    """
    room = Room.objects.get(pk=room_id)
    if not (room.stake and room.status == Room.Status.PLAYING):
        _leave(room_id=room_id, user=user)
    elif confirm:
        coin_tables.escape(room_id=room_id, user=user)
    else:
        raise RoomError("escape_price", **coin_tables.escape_price(room))


@transacted
def _leave(*, room_id: int, user: User) -> None:
    room, seat = locked(room_id, user)
    if room.practice:
        mark_for_closing(room, seat.index)
    elif room.stake:
        coin_tables.leave(room, seat)
    elif room.status != Room.Status.WAITING:
        raise RoomError("in_progress")
    elif room.owner_id == user.pk and room.pay == Room.Pay.OWNER:
        mark_for_closing(room, seat.index)
    else:
        unsit(seat)
        _hand_on(room, user)


def _hand_on(room: Room, left: User) -> None:
    heir = room.seats.filter(user__isnull=False).order_by("index").first()
    if heir is None:
        end_room(room, Room.Status.DISSOLVED)
        transaction.on_commit(lambda: broadcast.room_changed(room.pk))
        return
    if room.owner_id == left.pk:
        room.owner_id = heir.user_id
    changed(room)


@transacted
def kick(*, room_id: int, user: User, index: int) -> None:
    """The owner sends a player away before the start."""
    room, seat = locked(room_id, user)
    if room.owner_id != user.pk:
        raise RoomError("not_owner")
    if room.status != Room.Status.WAITING:
        raise RoomError("in_progress")
    removed = room.seats.filter(index=index, user__isnull=False).exclude(pk=seat.pk).first()
    if removed is None:
        raise RoomError("no_such_seat", value=index)
    unsit(removed)
    changed(room)
