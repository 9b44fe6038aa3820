"""The trail in Django admin: to read, for those who may."""

from django.contrib import admin

from liuzhou.read_only import ReadOnly
from liuzhou.trail.models import Trail


@admin.register(Trail)
class TrailAdmin(ReadOnly):
    """Nothing is added, changed or deleted here, by anybody."""

    list_display = ("at", "actor", "action", "subject", "address")
    list_filter = ("action",)
    search_fields = ("=subject", "actor__username", "=actor__number")
    date_hierarchy = "at"
    ordering = ("-id",)
    actions = None
    list_select_related = ("actor",)
