"""Seats: who holds which, taking one and giving it up with whatever cards and coins are bound to it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from ledger import services as ledger
from liuzhou.accounts import limits
from liuzhou.accounts.errors import LimitReached
from liuzhou.accounts.models import User
from liuzhou.values import maintenance
from rooms import broadcast, money, records
from rooms.errors import RoomError
from rooms.losses import lost_today
from rooms.models import Room, Seat
from rooms.settlement import touch

P = ParamSpec("P")
T = TypeVar("T")


def transacted(service: Callable[P, T]) -> Callable[P, T]:
    """A service as one transaction, run again from its start when it met contention (the ledger's Busy)."""

    @wraps(service)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return ledger.transact(lambda: service(*args, **kwargs))

    return run


def new_room(values: dict[str, object]) -> Room:
    """A room under a free code; the code is random, so that it cannot be guessed from others."""
    for _ in range(20):
        try:
            with transaction.atomic():
                return Room.objects.create(code=f"{secrets.randbelow(1_000_000):06d}", **values)
        except IntegrityError:
            continue
    raise RoomError("busy")


def seat_of(user: User) -> Seat | None:
    """The seat the user holds in an open room, if any; a practice table counts last."""
    return (
        Seat.objects.filter(user=user, room__status__in=Room.OPEN)
        .select_related("room")
        .order_by("room__practice", "-pk")
        .first()
    )


def locked(room_id: int, user: User) -> tuple[Room, Seat]:
    """The open room, locked, and the user's seat in it. RoomError not_seated, room_closed."""
    room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
    seat = room.seats.filter(user=user).first()
    if seat is None:
        raise RoomError("not_seated")
    if not room.is_open:
        raise RoomError("room_closed")
    return room, seat


def lock_user(user: User) -> User:
    """The player as they are now, locked: one player sits down one at a time, and not while their account is closed."""
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


def check_open() -> None:
    """Nothing new begins under maintenance; RoomError `maintenance`, with what players are told."""
    try:
        maintenance.check()
    except maintenance.UnderMaintenance as error:
        raise RoomError.from_rules("maintenance", error) from error


def check_limits(user: User, kind: str) -> None:
    """Whether the player may sit down or begin a hand now (maintenance, age, cool-off, daily loss); RoomError `maintenance`
    or `limit` if not."""
    check_open()
    now = records.moment(records.database_now())
    lost = lost_today(user_id=user.pk, now=now) if kind == limits.COINS else 0
    try:
        limits.may_play(user, now=now, kind=kind, lost_today=lost)
    except LimitReached as error:
        raise RoomError.from_rules("limit", error) from error


def kind_of(room: Room) -> str:
    """The room's kind in the words of the limits."""
    if room.practice:
        return limits.PRACTICE
    return limits.COINS if room.stake else limits.ROOM


def free_seat(room: Room) -> int | None:
    """The first free seat of a locked room."""
    taken = set(room.seats.values_list("index", flat=True))
    return next((index for index in range(room.options["players"]) if index not in taken), None)


def sit(room: Room, user: User, index: int, *, address: str = "") -> Seat:
    """Put the user on a free seat of a locked room and set the room's cards aside where this player owes them."""
    name = user.nickname or user.username
    seat = Seat.objects.create(room=room, index=index, user=user, name=name, address=hashed(address))
    money.hold_cards(room, seat)
    return seat


def unsit(seat: Seat) -> None:
    """Take the seat away; its cards and coins go back to its player."""
    money.release_cards(seat)
    money.stand_up(seat)
    seat.delete()


def return_all(room: Room) -> None:
    """The room is over: whatever is still bound to its seats goes back. The seats stay, to show who sat where."""
    for seat in room.seats.filter(user__isnull=False):
        money.release_cards(seat)
        money.stand_up(seat)


def hashed(address: str) -> str:
    """A network address as we keep it: enough to see that two are the same. Keyed, or the few addresses there are could be
    tried one by one."""
    return salted_hmac("rooms.seat.address", address, algorithm="sha256").hexdigest()[:32] if address else ""


def changed(room: Room) -> None:
    """Give the room a new version and tell its sockets once that is committed."""
    touch(room)
    transaction.on_commit(lambda: broadcast.room_changed(room.pk))


def is_past(moment: datetime | None) -> bool:
    """Whether the database's clock is beyond `moment`."""
    return moment is not None and records.milliseconds(moment) <= records.database_now()
