"""The coin lobby 金币场: finding a table, the coins taken to it, leaving it, and 逃跑 (RULES 11.2-11.4).

While a player sits, all their coins are in the seat's escrow; hands move coins between seats only.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.db.models.functions import Now

from ledger.errors import Busy
from liuzhou.accounts import limits
from liuzhou.accounts.models import User
from liuzhou.accounts.staff import is_agent
from liuzhou.rules.options import Options
from liuzhou.values import maintenance
from rooms import broadcast, clock, money, presence, records, table
from rooms.dissolving import leave_others
from rooms.errors import RoomError
from rooms.models import Escape, Hand, Played, Room, Seat
from rooms.seating import (
    changed,
    check_limits,
    check_open,
    free_seat,
    hashed,
    lock_user,
    locked,
    new_room,
    return_all,
    seat_of,
    sit,
    transacted,
    unsit,
)  # fmt: skip
from rooms.settlement import commit_to_hand, end_room, touch
from rooms.stakes import POOREST, bracket_at, bracket_of

# What each preset is played with in the lobby.
LOBBY_OPTIONS: dict[str, dict[str, object]] = {
    "classic": {"fish": "pond"},
    "baike": {"fish": "pond"},
    "tiantian": {"fish": "159", "fish_count": 2},
}
WAITS = {2: 1, 3: 5}  # minutes after the day's 2nd, 3rd escape; 15 from the 4th on
LONGEST_WAIT = 15
RETRIES = 8


def _check_allowed(user: User) -> None:
    """Agents do not sit at coin tables, and who keeps running away waits."""
    check_limits(user, limits.COINS)
    if is_agent(user):
        raise RoomError("agents_do_not_play")
    now = records.moment(records.database_now())
    if (wait := waiting_time(user, now)) > timedelta(0):
        raise RoomError("escape_wait", seconds=int(wait.total_seconds()) + 1)


def waiting_time(user: User, now: datetime) -> timedelta:
    """How long the player must still wait for having run away today (Asia/Shanghai)."""
    midnight = now.astimezone(ZoneInfo(settings.TIME_ZONE)).replace(hour=0, minute=0, second=0, microsecond=0)
    today = list(Escape.objects.filter(user=user, at__gte=midnight).order_by("at").values_list("at", flat=True))
    if len(today) < min(WAITS):
        return timedelta(0)
    return today[-1] + timedelta(minutes=WAITS.get(len(today), LONGEST_WAIT)) - now


@transacted
def quick_join(*, user: User, preset: str, address: str = "", avoid: int = 0) -> Room:
    """Sit down at the fullest waiting table of the bracket that the player's coins belong to, or open one.

    `avoid` is a room not to come back to (换桌). A player who sits at a coin table already gets that one.
    """
    if preset not in LOBBY_OPTIONS:
        raise RoomError("bad_choice", name="preset", value=preset, allowed=" / ".join(LOBBY_OPTIONS))
    user = lock_user(user)
    held = seat_of(user)
    if held is not None and held.room.stake:
        return held.room
    leave_others(user)
    _check_allowed(user)
    coins = money.coins_of(user.pk)
    bracket = bracket_of(coins)
    if bracket is None:
        raise RoomError("too_poor", have=coins, need=POOREST)
    room, index = _find(preset, bracket.base, address, avoid) or (_open(preset, bracket.base), 0)
    money.sit_down(room, sit(room, user, index, address=address), coins)
    if free_seat(room) is None:
        room.next_at = Now() + timedelta(milliseconds=clock.BETWEEN_MS)
    changed(room)
    return room


def _find(preset: str, base: int, address: str, avoid: int) -> tuple[Room, int] | None:
    """A waiting table, locked, and a free seat at it; the fullest first, then the oldest."""
    waiting = Room.objects.filter(preset=preset, stake=base, status=Room.Status.WAITING).exclude(pk=avoid)
    if settings.COIN_TABLES_TELL_ADDRESSES_APART and address:
        waiting = waiting.exclude(seats__address=hashed(address))
    for pk in waiting.annotate(sitting=Count("seats")).order_by("-sitting", "pk").values_list("pk", flat=True)[:20]:
        room = Room.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=pk).first()
        if room is None or room.status != Room.Status.WAITING:
            continue
        if (index := free_seat(room)) is not None:
            return room, index
    return None


def _open(preset: str, base: int) -> Room:
    options = Options.parse(preset, LOBBY_OPTIONS[preset]).as_json()
    room = new_room({"preset": preset, "options": options, "stake": base, "hands_total": 0})
    commit_to_hand(room)
    return room


def playing_at(base: int) -> int:
    """How many players sit at the open tables of a bracket."""
    return Seat.objects.filter(room__stake=base, room__status__in=Room.OPEN).count()


def check_means(room: Room, seat: Seat) -> None:
    """Whoever has fallen below the table's bracket cannot play on here."""
    low = bracket_at(room.stake).low
    if (seat.coins or 0) < low:
        raise RoomError("below_bracket", have=seat.coins or 0, need=low)


def leave(room: Room, seat: Seat) -> None:
    """Leave a locked coin table between hands: what is left of the coins goes back."""
    if room.status == Room.Status.PLAYING:
        raise RoomError("in_progress")
    unsit(seat)
    wait_for_players(room)


@transacted
def _get_up(*, room_id: int, user: User) -> None:
    leave(*locked(room_id, user))


def wait_for_players(room: Room) -> None:
    """A locked coin table that lacks a player waits for one; an empty one is closed."""
    if not room.seats.exists():
        end_room(room, Room.Status.DONE)
        transaction.on_commit(lambda: broadcast.room_changed(room.pk))
        return
    room.status, room.next_at = Room.Status.WAITING, None
    changed(room)


def clear_idle(room: Room) -> None:
    """The pause at a locked coin table is over: whoever is not ready gets up."""
    for seat in room.seats.filter(ready=False):
        unsit(seat)
    wait_for_players(room)


def escape_price(room: Room) -> dict[str, int]:
    """What leaving in mid-hand costs: coins (at most what the player has) and 积分."""
    others = room.options["players"] - 1
    return {"coins": room.stake * money.ESCAPE_COINS * others, "points": room.stake * money.ESCAPE_POINTS}


def escape(*, room_id: int, user: User) -> None:
    """逃跑: the hand is void, the others are compensated, the escaper pays and gets up (RULES 11.3). Once a hand."""
    for _ in range(RETRIES):
        running = Hand.objects.filter(room_id=room_id, state=Hand.State.RUNNING).values_list("pk", flat=True).first()
        seat = Seat.objects.filter(room_id=room_id, user=user).first()
        if seat is None:
            raise RoomError("not_seated")
        if running is None:
            raise RoomError("no_hand")
        try:
            with transaction.atomic():
                rows = table.close(running, {"do": "escape", "seat": seat.index}, Hand.State.VOID)
                room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
                _compensate(room, running, user)
        except (table.LostRace, Busy):
            continue
        broadcast.rows(room_id, running, rows)
        broadcast.room_changed(room_id)
        return
    raise RoomError("busy")


def _compensate(room: Room, hand: int, user: User) -> None:
    seats = list(room.seats.order_by("index"))
    before = {seat.pk: seat.coins or 0 for seat in seats}
    escaper = next(seat for seat in seats if seat.user_id == user.pk)
    money.escape(room, seats, escaper, hand)
    Escape.objects.create(user=user, hand_id=hand)
    Hand.objects.filter(pk=hand).update(void_reason="逃跑")
    for seat in seats:
        Played.objects.filter(hand_id=hand, index=seat.index).update(coins=(seat.coins or 0) - before[seat.pk])
    unsit(escaper)
    room.seats.update(ready=False, nonce="")
    commit_to_hand(room)
    room.status, room.next_at = Room.Status.WAITING, None
    touch(room)


def change_table(*, user: User, address: str = "") -> Room:
    """换桌: between hands, to another table of the bracket that the coins belong to now."""
    seat = seat_of(user)
    if seat is None or not seat.room.stake:
        raise RoomError("not_seated")
    check_open()  # before the seat is given up for one that is not to be had
    preset, left = seat.room.preset, seat.room_id
    _get_up(room_id=left, user=user)
    return quick_join(user=user, preset=preset, address=address, avoid=left)


def tidy() -> int:
    """Nothing stays in limbo: seats at closed tables give their coins back, absent players leave waiting tables."""
    closed = Room.objects.exclude(status__in=Room.OPEN).filter(seats__escrow__isnull=False).distinct()
    waiting = Room.objects.filter(stake__gt=0, status=Room.Status.WAITING)
    # Valkey has just lost its keys: who is there will be known the next time. Under maintenance nobody need be there.
    if not presence.trusted() or maintenance.current().on:
        waiting = waiting.none()
    rooms = [*closed.values_list("pk", flat=True)[:200], *waiting.values_list("pk", flat=True)[:200]]
    for room in rooms:
        _tidy_one(room)
    return len(rooms)


@transacted
def _tidy_one(room_id: int) -> None:
    room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
    if not room.is_open:
        return_all(room)
        return
    if room.status != Room.Status.WAITING:
        return
    seats = list(room.seats.all())
    there = presence.online(room.pk, [seat.index for seat in seats])
    gone = [seat for seat in seats if seat.index not in there and not seat.ready]
    for seat in gone:
        unsit(seat)
    if gone:
        wait_for_players(room)
