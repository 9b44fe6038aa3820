"""Files of the list of rooms: registered by `rooms`, which cannot know of exporting."""

from django.contrib import admin
from import_export import fields

from liuzhou.operations.exporting import Exporting, Guarded
from rooms.admin import RoomAdmin
from rooms.models import Room


class RoomResource(Guarded):
    owner = fields.Field(attribute="owner__username", column_name="owner")

    class Meta:
        model = Room
        fields = (
            "id", "code", "owner", "preset", "status", "practice", "stake", "pay", "price", "hands_played", "hands_total",
            "created_at", "ended_at",
        )  # fmt: skip
        export_order = fields


admin.site.unregister(Room)


@admin.register(Room)
class ExportedRoomAdmin(Exporting, RoomAdmin):
    resource_classes = [RoomResource]
