"""The trail in Django admin: to read, for those who may."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from liuzhou.trail.models import Trail


@admin.register(Trail)
class TrailAdmin(admin.ModelAdmin):
    """Nothing is added, changed or deleted here, by anybody."""

    list_display = ("at", "actor", "action", "subject", "address")
    list_filter = ("action",)
    search_fields = ("=subject", "actor__username", "=actor__number")
    date_hierarchy = "at"
    ordering = ("-id",)
    actions = None
    list_select_related = ("actor",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
