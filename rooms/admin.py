"""Rooms in Django admin: to look at. A running hand's secret and its hidden tiles are on no page (DESIGN 6.9).

What staff look at goes into the trail: the site records every page (liuzhou/operations/watching.py), those that show more
than a row record it here."""

from __future__ import annotations

import time
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from liuzhou import read_only
from liuzhou.trail import services as trail
from liuzhou.values import services as values
from rooms import services, watching
from rooms.errors import RoomError
from rooms.models import Escape, Hand, Price, Room

WATCH = "operations.watch_room"
WATCH_RECORDED = 600  # seconds: the page renews itself, the trail need not say so each time


class ReadOnly(read_only.ReadOnly):
    """Nothing is added, changed or deleted here: a room changes by its services alone."""

    def page(self, request: HttpRequest, template: str, title: Any, **more: Any) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **more}
        return render(request, f"admin/rooms/{template}.html", context)


@admin.register(Room)
class RoomAdmin(ReadOnly):
    list_display = (
        "code",
        "owner",
        "preset",
        "status",
        "practice",
        "stake",
        "hands_played",
        "hands_total",
        "created_at",
    )
    list_filter = ("status", "practice", "preset", "created_at")
    search_fields = ("code", "owner__username", "owner__number")
    date_hierarchy = "created_at"
    ordering = ("-pk",)
    list_select_related = ("owner",)
    list_per_page = 50
    show_full_result_count = False
    change_form_template = "admin/rooms/room/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        watch = path("<int:pk>/watch/", self.admin_site.admin_view(self.watch), name="rooms_room_watch")
        return [watch, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        hands = (
            Hand.objects.filter(room=int(object_id)).defer("secret").order_by("-number")[:50]
            if object_id.isdecimal()
            else []
        )
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "hands": hands})

    def watch(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The room as onlookers see it, renewed every five seconds."""
        if not request.user.has_perm(WATCH):
            raise PermissionDenied
        room = get_object_or_404(Room, pk=pk)
        self._record(request, room)
        return self.page(
            request, "room/watch", gettext("旁观房间 %(code)s") % {"code": room}, room=room, seen=watching.watch(room)
        )

    def _record(self, request: HttpRequest, room: Room) -> None:
        """Once in ten minutes for a room and a session."""
        key, now = f"watched:{room.pk}", time.time()
        if now - request.session.get(key, 0) > WATCH_RECORDED:
            request.session[key] = now
            trail.record(request, "room-watch", room, code=room.code)
        else:
            request.trailed = True  # type: ignore[attr-defined]  # a page that renews itself, recorded minutes ago


class PriceForm(forms.ModelForm):
    """A price and why it changes."""

    reason = forms.CharField(label=_("原因"), max_length=values.REASON_LENGTH)

    class Meta:
        model = Price
        fields = ("cards",)


@admin.register(Price)
class PriceAdmin(admin.ModelAdmin):
    """What rooms cost from now on; open rooms keep the price they opened at. Every change stays, with its reason."""

    list_display = ("hands", "cards")
    form = PriceForm
    actions = None
    change_form_template = "admin/rooms/price/change_form.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        history = values.history(price_name(object_id))
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "history": history})

    def save_model(self, request: HttpRequest, obj: Price, form: Any, change: bool) -> None:
        if "cards" not in form.changed_data:
            return
        with transaction.atomic():
            old = Price.objects.select_for_update().get(pk=obj.pk).cards
            super().save_model(request, obj, form, change)
            reason = form.cleaned_data["reason"]
            values.note(name=price_name(obj.pk), old=old, new=obj.cards, by=request.user, reason=reason)
            trail.record(request, "price-change", obj, old=old, new=obj.cards, reason=reason)


def price_name(hands: object) -> str:
    """A price's name in the history of values."""
    return f"price.{hands}"[:40]


@admin.register(Escape)
class EscapeAdmin(ReadOnly):
    list_display = ("user", "hand", "at")
    search_fields = ("user__username", "user__number")


class VoidForm(forms.Form):
    """Why a hand is voided: the players are told."""

    reason = forms.CharField(
        label=_("原因"), max_length=services.REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3})
    )


@admin.register(Hand)
class HandAdmin(ReadOnly):
    change_form_template = "admin/rooms/hand/change_form.html"
    list_display = ("id", "room", "number", "state", "seq", "started_at", "ended_at")
    list_filter = ("state", "started_at")
    search_fields = ("=id", "=room__code")
    list_select_related = ("room",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    fields = (
        "room", "number", "state", "commit", "preset", "options", "dealer", "seq", "started_at", "ended_at", "settlement",
        "void_reason", "voided_by",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hand]:
        return super().get_queryset(request).defer("secret")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/void/", wrap(self.void), name="rooms_hand_void"),
            path("<int:pk>/log/", wrap(self.log), name="rooms_hand_log"),
            *super().get_urls(),
        ]

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
                # Afterwards: voiding sends to the table, and tries again when it loses a race; Hand.voided_by is its own trail.
                trail.record(request, "hand-void", hand, reason=form.cleaned_data["reason"])
                self.log_change(request, hand, f"作废：{form.cleaned_data['reason']}")
                messages.success(request, gettext("这一局已作废，玩家已收到通知。"))
                return redirect("admin:rooms_hand_change", pk)
        return self.page(request, "hand/void", _("作废牌局"), form=form, hand=hand)

    def log(self, request: HttpRequest, pk: int) -> HttpResponse:
        """A finished hand's log, row by row; of a running one what onlookers were sent."""
        if not request.user.has_perm(WATCH):
            raise PermissionDenied
        hand = get_object_or_404(Hand.objects.select_related("room"), pk=pk)
        over = hand.ended_at is not None and hand.started_at is not None
        trail.record(request, "hand-log", hand, over=over)
        steps = list(watching.whole_log(hand) if over else watching.public_log(hand))
        names = list(hand.players.order_by("index").values_list("name", flat=True))
        title = gettext("牌局 %(hand)s 的记录") % {"hand": hand.pk}
        return self.page(request, "hand/log", title, hand=hand, over=over, steps=_named(steps, names))


def _named(steps: list[watching.Step], names: list[str]) -> list[tuple[watching.Step, str]]:
    return [(step, names[step.seat] if 0 <= step.seat < len(names) else "") for step in steps]
