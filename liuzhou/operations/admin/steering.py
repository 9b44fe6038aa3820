"""Parameters and maintenance in the admin: what holds, changing it with a reason, and everything that was changed before."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from liuzhou.read_only import ReadOnly
from liuzhou.trail import services as trail
from liuzhou.values import maintenance, services
from liuzhou.values.errors import ValueRefused
from liuzhou.values.models import Change, Maintenance
from liuzhou.values.schema import VALUES, Value
from rooms import starting

STEER = "values.steer_maintenance"


class Pages(ReadOnly):
    """Nothing is added, changed or deleted but by the pages of this module."""

    actions = None

    def page(self, request: HttpRequest, template: str, title: Any, **more: Any) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **more}
        return render(request, f"admin/operations/{template}.html", context)


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("原因"), max_length=services.REASON_LENGTH, widget=forms.TextInput({"autocomplete": "off"})
    )


class ValueForm(ReasonForm):
    """The value as text; the schema decides what is allowed and says so."""

    value = forms.CharField(label=_("新值"), max_length=200, widget=forms.TextInput({"autocomplete": "off"}))
    field_order = ("value", "reason")

    def __init__(self, value: Value, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["value"]
        field.label, field.help_text = str(value.label), value.allowed


@admin.register(Change)
class ValuesAdmin(Pages):
    """参数: the list of values, and for each one its page."""

    def get_urls(self) -> list[URLPattern]:
        edit = path("value/<slug:name>/", self.admin_site.admin_view(self.edit), name="values_change_edit")
        return [edit, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        current = services.current()
        groups: dict[str, list[dict[str, Any]]] = {}
        for name, value in VALUES.items():
            row = {"value": value, "shown": value.text(current[name]), "default": value.text(value.default())}
            groups.setdefault(str(value.group), []).append({**row, "may": request.user.has_perm(value.permission)})
        last = Change.objects.select_related("by").order_by("-pk")[:20]
        return self.page(request, "values", _("参数"), groups=groups.items(), last=last)

    def edit(self, request: HttpRequest, name: str) -> HttpResponse:
        """One value: what holds, a form, its history."""
        value = VALUES.get(name)
        if value is None:
            raise Http404
        may = request.user.has_perm(value.permission)
        if not may and (request.method == "POST" or not self.has_view_permission(request)):
            raise PermissionDenied
        form = ValueForm(value, request.POST or None, initial={"value": value.text(services.current()[name])})
        if request.method == "POST":
            if "reset" in request.POST:
                form.fields["value"].required = False
            if form.is_valid() and self._changed(request, value, form):
                return redirect("admin:values_change_changelist")
        shown = {"value": value, "current": value.text(services.current()[name]), "may": may, "form": form}
        default, history = value.text(value.default()), services.history(name)
        return self.page(request, "value", value.label, default=default, history=history, **shown)

    def _changed(self, request: HttpRequest, value: Value, form: ValueForm) -> bool:
        given = None if "reset" in request.POST else form.cleaned_data["value"]
        try:
            with transaction.atomic():
                kept = services.change(
                    name=value.name, given=given, by=request.user, reason=form.cleaned_data["reason"]
                )
                trail.record(
                    request, "value-change", f"value:{value.name}", old=kept.old, new=kept.new, reason=kept.reason
                )
        except ValueRefused as error:
            form.add_error("value" if error.code == "bad_value" else None, error.text(get_language() or "zh-hans"))
            return False
        messages.success(request, gettext("已修改，一秒内在所有进程生效。"))
        return True


class MaintenanceForm(ReasonForm):
    """What players are told, and until when they should expect it."""

    zh = forms.CharField(label=_("中文说明"), max_length=maintenance.TEXT_LENGTH, required=False)
    en = forms.CharField(label=_("英文说明"), max_length=maintenance.TEXT_LENGTH, required=False)
    until = forms.DateTimeField(
        label=_("预计恢复（可不填）"), required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"],
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("只是告诉玩家的时间；维护要由人来结束。"),
    )  # fmt: skip
    field_order = ("zh", "en", "until", "reason")


@admin.register(Maintenance)
class MaintenanceAdmin(Pages):
    """维护: begin it, say what and until when, end it."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        may = request.user.has_perm(STEER)
        if request.method == "POST" and not may:
            raise PermissionDenied
        state = maintenance.current(fresh=True)
        ending = "end" in request.POST
        told = {"zh": state.zh, "en": state.en, "until": state.until and timezone.localtime(state.until)}
        start = MaintenanceForm(request.POST if request.method == "POST" and not ending else None, initial=told)
        end = ReasonForm(request.POST if ending else None, prefix="end")
        form = end if ending else start
        if request.method == "POST" and form.is_valid() and self._carried_out(request, form, ending):
            return redirect("admin:values_maintenance_changelist")
        history = Maintenance.objects.select_related("by").order_by("-pk")[:30]
        return self.page(
            request, "maintenance", _("维护"), state=state, start=start, end=end, may=may, history=history,
            text_zh=state.text("zh-hans"), text_en=state.text("en"),
        )  # fmt: skip

    def _carried_out(self, request: HttpRequest, form: forms.Form, ending: bool) -> bool:
        try:
            with transaction.atomic():
                if ending:
                    kept = maintenance.end(by=request.user, reason=form.cleaned_data["reason"])
                    rooms = starting.resume()
                    trail.record(request, "maintenance-end", kept, reason=kept.reason, rooms=rooms)
                else:
                    kept = maintenance.start(by=request.user, **form.cleaned_data)
                    until = kept.until.isoformat() if kept.until else None
                    trail.record(
                        request, "maintenance-start", kept, reason=kept.reason, zh=kept.zh, en=kept.en, until=until
                    )
        except ValueRefused as error:
            form.add_error("until" if error.code == "bad_value" else None, error.text(get_language() or "zh-hans"))
            return False
        messages.success(
            request, gettext("维护已结束，房间接着打。") if ending else gettext("维护中：不再开新房间和新牌局。")
        )
        return True
