"""How a hand begins: everybody is ready, or the pause is over."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from liuzhou.accounts.models import User
from liuzhou.rules import wall
from liuzhou.rules.options import Options
from liuzhou.values import maintenance
from rooms import clock, coin_tables, fold, records
from rooms.dissolving import mark_for_closing
from rooms.errors import RoomError
from rooms.models import Hand, Played, Room
from rooms.proof import wall_seed
from rooms.seating import changed, check_limits, free_seat, is_past, kind_of, locked, transacted


@transacted
def set_ready(*, room_id: int, user: User, nonce: str = "") -> None:
    """Ready for the next hand, with the player's part of its wall; the last one's ready starts it."""
    room, seat = locked(room_id, user)
    if room.status not in (Room.Status.WAITING, Room.Status.BETWEEN):
        raise RoomError("not_waiting")
    check_limits(user, kind_of(room))
    if room.stake:
        coin_tables.check_means(room, seat)
    seat.ready, seat.nonce, seat.auto = True, nonce.lower(), False
    seat.save(update_fields=["ready", "nonce", "auto"])
    if room.seats.filter(ready=True).count() == room.options["players"]:
        start_hand(room)
    else:
        changed(room)


@transacted
def start_overdue(*, room_id: int) -> None:
    """The pause is over. In a private room the next hand starts, whoever is not ready plays by 托管; at a coin table
    whoever is not ready leaves it. Under maintenance the pause has no end, and `resume` gives it a new one."""
    room = Room.objects.select_for_update(no_key=True).get(pk=room_id)
    if not room.is_open or room.status == Room.Status.PLAYING or not is_past(room.next_at):
        return
    if maintenance.current(fresh=True).on:
        room.next_at = None
        changed(room)
        return
    if room.stake:
        coin_tables.clear_idle(room)
    elif _all_may_play(room):
        room.seats.filter(ready=False, bot="").update(auto=True)
        start_hand(room)
    else:
        mark_for_closing(room, None)


@transacted
def resume(*, stuck: bool = False) -> int:
    """Maintenance is over: rooms between hands and full coin tables get a whole pause in which to be ready, and a vote that
    was open its whole time. `stuck`: only rooms whose pause has no end (whoever ended the maintenance died over it). How many
    rooms. The caller's transaction is the one that ends the maintenance."""
    waiting = Room.objects.select_for_update(no_key=True).filter(status=Room.Status.BETWEEN).order_by("pk")
    tables = Room.objects.select_for_update(no_key=True).filter(status=Room.Status.WAITING, stake__gt=0).order_by("pk")
    if stuck:
        waiting, tables = waiting.filter(next_at=None), tables.filter(next_at=None)
    rooms = [*waiting, *(room for room in tables if free_seat(room) is None)]
    for room in rooms:
        room.next_at = Now() + timedelta(milliseconds=clock.BETWEEN_MS)
        if room.dissolve_at is not None and room.dissolve_votes:
            room.dissolve_at = Now() + timedelta(milliseconds=clock.DISSOLVE_MS)
        changed(room)
    return len(rooms)


def _all_may_play(room: Room) -> bool:
    """A hand is not started for a player whose limits forbid it, not by 托管 either."""
    try:
        for seat in room.seats.filter(user__isnull=False).select_related("user"):
            if seat.user is not None:
                check_limits(seat.user, kind_of(room))
    except RoomError:
        return False
    return True


def start_hand(room: Room) -> None:
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
    Played.objects.bulk_create(
        [Played(hand=hand, index=seat.index, user_id=seat.user_id, name=seat.name) for seat in seats]
    )
    room.seats.filter(bot="").update(ready=False)
    room.status, room.next_at = Room.Status.PLAYING, None
    changed(room)
