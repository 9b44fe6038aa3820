"""What rooms know of a player when the account is exported or closed: registered with accounts, which may not import rooms."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import TruncDate

from liuzhou.accounts import hooks
from liuzhou.accounts.days import SHANGHAI
from liuzhou.accounts.errors import AtCoinTable, StillSeated
from liuzhou.accounts.leaving import CLOSED_NAME
from liuzhou.accounts.models import User
from rooms import audit, broadcast
from rooms.models import Escape, Hand, Played, Room, Said, Seat


def register() -> None:
    audit.register()
    hooks.on_closing(refuse_while_seated)
    hooks.on_erasing(erase_names)
    hooks.on_signed_out(broadcast.signed_out)
    hooks.on_becoming_agent(refuse_at_coin_table)
    hooks.on_rooms_opened(rooms_opened)
    hooks.on_export("hands", hands_of)
    hooks.on_export("rooms", rooms_of)
    hooks.on_export("chat", chat_of)
    hooks.on_export("escapes", escapes_of)


def refuse_while_seated(user: User) -> None:
    """An account is not closed from a table; practice tables count too."""
    seat = Seat.objects.filter(user=user, room__status__in=Room.OPEN).select_related("room").first()
    if seat is not None:
        raise StillSeated(code=seat.room.code)


def refuse_at_coin_table(user: User) -> None:
    """Agents do not sit at coin tables: nobody becomes one there. Sitting down locks the player's row, as the caller has."""
    seat = Seat.objects.filter(user=user, room__status__in=Room.OPEN, room__stake__gt=0).select_related("room").first()
    if seat is not None:
        raise AtCoinTable(code=seat.room.code)


def rooms_opened(user_id: int, since: datetime) -> dict[date, int]:
    """The player's own private rooms whose first hand was settled (one that was voided or dissolved does not count), by the
    day of Shanghai on which the room was opened."""
    rooms = Room.objects.filter(owner=user_id, practice=False, stake=0, created_at__gte=since)
    rooms = rooms.filter(hands__number=1, hands__state=Hand.State.SETTLED)
    days = rooms.values(day=TruncDate("created_at", tzinfo=SHANGHAI)).annotate(rooms=Count("pk")).order_by("day")
    return {row["day"]: row["rooms"] for row in days}


def erase_names(user: User) -> None:
    """What was said goes; the name in records becomes that of a closed account, whose hands the others keep."""
    chat_lines(user).delete()
    Seat.objects.filter(user=user).update(name=CLOSED_NAME, address="")
    Played.objects.filter(user=user).update(name=CLOSED_NAME)


def chat_lines(user: User) -> QuerySet[Said]:
    """Lines said from the player's seats, those given up included, under the player's name at the time."""
    sitting, played = "room__seats", "room__hands__players"
    lines = [
        Said.objects.filter(**{f"{via}__user": user, "seat": F(f"{via}__index"), "name": F(f"{via}__name")}).values(
            "pk"
        )
        for via in (sitting, played)
    ]
    return Said.objects.filter(Q(pk__in=lines[0]) | Q(pk__in=lines[1]))


def hands_of(user: User) -> list[dict[str, Any]]:
    rows = Played.objects.filter(user=user).select_related("hand").defer("hand__secret").order_by("hand_id")
    return [
        {
            "hand": row.hand_id,
            "room": row.hand.room_id,
            "seat": row.index,
            "name": row.name,
            "preset": row.hand.preset,
            "state": row.hand.state,
            "score": row.score,
            "coins": row.coins,
            "ended": row.hand.ended_at.isoformat() if row.hand.ended_at else None,
        }
        for row in rows.iterator(chunk_size=500)
    ]


def rooms_of(user: User) -> list[dict[str, Any]]:
    seats = Seat.objects.filter(user=user).select_related("room").order_by("room_id")
    return [
        {"room": seat.room_id, "code": seat.room.code, "seat": seat.index, "name": seat.name, "score": seat.score,
         "opened": seat.room.created_at.isoformat(), "owner": seat.room.owner_id == user.pk}
        for seat in seats
    ]  # fmt: skip


def chat_of(user: User) -> list[dict[str, Any]]:
    lines = chat_lines(user).order_by("pk")
    return [{"room": one.room_id, "kind": one.kind, "body": one.body, "at": one.at.isoformat()} for one in lines]


def escapes_of(user: User) -> list[dict[str, Any]]:
    return [{"hand": one.hand_id, "at": one.at.isoformat()} for one in Escape.objects.filter(user=user).order_by("at")]
