"""Rooms in Django admin: to look at. A running hand's secret is on no page (DESIGN 6.9)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils.translation import get_language

from rooms import services
from rooms.errors import RoomError
from rooms.models import Escape, Hand, Price, Room


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


@admin.register(Price)
class PriceAdmin(admin.ModelAdmin):
    """What rooms cost from now on; open rooms keep the price they opened at."""

    list_display = ("hands", "cards")
    list_editable = ("cards",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Escape)
class EscapeAdmin(ReadOnly):
    list_display = ("user", "hand", "at")
    search_fields = ("user__username", "user__number")


class VoidForm(forms.Form):
    """Why a hand is voided: the players are told."""

    reason = forms.CharField(label="原因", max_length=services.REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3}))


@admin.register(Hand)
class HandAdmin(ReadOnly):
    change_form_template = "admin/rooms/hand/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        void = path("<int:pk>/void/", self.admin_site.admin_view(self.void), name="rooms_hand_void")
        return [void, *super().get_urls()]

    def void(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Void a running hand, with a reason; superusers and whoever was given the right."""
        if not request.user.has_perm("rooms.void_hand"):
            raise PermissionDenied
        hand = get_object_or_404(Hand.objects.defer("secret"), pk=pk)
        form = VoidForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                services.void_hand(hand_id=pk, admin=request.user, reason=form.cleaned_data["reason"])  # type: ignore[arg-type]
            except RoomError as error:
                form.add_error(None, error.text(get_language() or "zh-hans"))
            else:
                self.log_change(request, hand, f"作废：{form.cleaned_data['reason']}")
                messages.success(request, "这一局已作废，玩家已收到通知。")
                return redirect("admin:rooms_hand_change", pk)
        context = {
            **self.admin_site.each_context(request),
            "form": form,
            "hand": hand,
            "opts": self.opts,
            "title": "作废牌局",
        }
        return render(request, "admin/rooms/hand/void.html", context)

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
