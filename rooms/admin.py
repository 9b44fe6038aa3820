"""Rooms in Django admin: to look at. A running hand's secret is on no page (DESIGN 6.9)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from rooms.models import Hand, Room


class ReadOnly(admin.ModelAdmin):
    """Nothing is added, changed or deleted here: a room changes by its services alone."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Room)
class RoomAdmin(ReadOnly):
    list_display = ("code", "owner", "preset", "status", "practice", "hands_played", "hands_total", "created_at")
    list_filter = ("status", "practice", "preset")
    search_fields = ("code", "owner__username", "owner__number")


@admin.register(Hand)
class HandAdmin(ReadOnly):
    list_display = ("id", "room", "number", "state", "seq", "started_at", "ended_at")
    list_filter = ("state",)
    fields = (
        "room",
        "number",
        "state",
        "commit",
        "preset",
        "options",
        "dealer",
        "seq",
        "started_at",
        "ended_at",
        "settlement",
    )
