"""Failed sign-ins and lockouts: to read."""

from typing import Any

from axes.models import AccessAttempt
from django.contrib import admin
from django.http import HttpRequest


@admin.register(AccessAttempt)
class AttemptAdmin(admin.ModelAdmin):
    """What axes keeps of failures. What was typed is not shown: people type their password into the name's field."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start")
    list_filter = ("attempt_time",)
    search_fields = ("username", "ip_address")
    fields = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent", "path_info")
    readonly_fields = fields
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
