"""Failed sign-ins and lockouts: to read."""

from axes.models import AccessAttempt
from django.contrib import admin

from liuzhou.read_only import ReadOnly


@admin.register(AccessAttempt)
class AttemptAdmin(ReadOnly):
    """What axes keeps of failures. What was typed is not shown: people type their password into the name's field."""

    list_display = ("attempt_time", "username", "ip_address", "failures_since_start")
    list_filter = ("attempt_time",)
    search_fields = ("username", "ip_address")
    fields = ("attempt_time", "username", "ip_address", "failures_since_start", "user_agent", "path_info")
    readonly_fields = fields
    actions = None
