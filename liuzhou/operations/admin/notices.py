"""Notices to players, with the moments between which they are shown."""

from typing import Any, cast

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from import_export import fields

from liuzhou.accounts.models import User
from liuzhou.operations import notices
from liuzhou.operations.exporting import Exporting, Guarded
from liuzhou.operations.models import Notice
from liuzhou.trail import services as trail


class NoticeResource(Guarded):
    by = fields.Field(attribute="by__username", column_name="by")

    class Meta:
        model = Notice
        fields = ("id", "level", "zh", "en", "starts_at", "ends_at", "by", "changed_at")
        export_order = fields


@admin.register(Notice)
class NoticeAdmin(Exporting, admin.ModelAdmin):
    resource_classes = [NoticeResource]
    list_display = ("zh", "level", "state", "starts_at", "ends_at", "by")
    list_filter = ("level", "starts_at")
    search_fields = ("zh", "en")
    list_select_related = ("by",)
    actions = None
    fields = ("level", "zh", "en", "starts_at", "ends_at")

    @admin.display(description=_("状态"))
    def state(self, notice: Notice) -> str:
        now = timezone.now()
        if now < notice.starts_at:
            return gettext("未开始")
        return gettext("显示中") if now < notice.ends_at else gettext("已结束")

    def save_model(self, request: HttpRequest, obj: Notice, form: Any, change: bool) -> None:
        obj.by = cast("User", request.user)
        super().save_model(request, obj, form, change)
        shown = {name: str(getattr(obj, name)) for name in self.fields}
        trail.record(request, "notice-change" if change else "notice-add", obj, **shown)
        notices.forget()

    def delete_model(self, request: HttpRequest, obj: Notice) -> None:
        trail.record(request, "notice-delete", obj, zh=obj.zh, en=obj.en)
        super().delete_model(request, obj)
        notices.forget()
