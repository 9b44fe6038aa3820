"""What is said at a table: kept with the room, filtered as the operator wishes, told to everybody in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from liuzhou.accounts.models import User
from rooms import broadcast, snapshot
from rooms.errors import RoomError
from rooms.models import Said, Seat


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
