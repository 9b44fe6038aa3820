"""Players in the admin: found by number, username or nickname; looked at with what is theirs; and what is done to them,
each with a reason, each in the trail. Only superusers see and give rights."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from ledger import selectors
from ledger.errors import LedgerError
from ledger.terms import COIN, CURRENCIES, CURRENCY_NAMES
from liuzhou.accounts import devices, hooks, looks, names, services, staff, standing
from liuzhou.accounts.agents.door import record_refusal
from liuzhou.accounts.agents.kept import kept
from liuzhou.accounts.errors import AccountError, NicknameReserved
from liuzhou.accounts.forms import refusal
from liuzhou.accounts.models import User
from liuzhou.operations.exporting import Exporting, Guarded
from liuzhou.operations.models import Note
from liuzhou.trail import services as trail

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
# What a form of this page may bring besides its fields.
HARMLESS = {"csrfmiddlewaretoken", "_save", "_continue", "_addanother", "_popup", "_to_field", "_changelist_filters"}
STATEMENT_PAGE = 50


class PlayerForm(UserChangeForm):
    """Nicknames are held to what players are held to, but that an admin may give the house's own."""

    def clean_nickname(self) -> str:
        nickname = names.clean_nickname(self.cleaned_data["nickname"])
        if not nickname or nickname == self.instance.nickname:
            return nickname
        try:
            services.check_nickname(nickname, but=self.instance.pk)
        except NicknameReserved:
            pass
        except AccountError as error:
            raise refusal(error) from error
        return nickname


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("原因"), max_length=standing.REASON_LENGTH, widget=forms.TextInput({"autocomplete": "off"})
    )


class NoteForm(forms.Form):
    reason = forms.CharField(label=_("备注"), max_length=500, widget=forms.Textarea({"rows": 4}))


class Deed(NamedTuple):
    """Something done to a player: its permission, its form, what it does, what is told before and after."""

    title: Any
    permission: str
    work: Callable[..., Any]
    note: Any
    said: Any
    form: type[forms.Form] = ReasonForm
    grave: bool = True


def add_note(*, user: User, by: User, reason: str) -> None:
    Note.objects.create(player=user, by=by, text=reason.strip())


DEEDS: dict[str, Deed] = {
    "freeze": Deed(
        _("冻结"), "operations.freeze_user", standing.freeze,
        _("立即下线并不能再登录，金币和房卡不能动用。正在打的一局由托管打完，不影响同桌。"), _("已冻结。"),
    ),
    "unfreeze": Deed(
        _("解冻"), "operations.freeze_user", standing.unfreeze, _("可以重新登录，金币和房卡恢复使用。"), _("已解冻。"),
    ),
    "sign-out": Deed(
        _("强制下线"), "operations.sign_out_user", standing.sign_out,
        _("结束这个帐号在所有设备上的登录，牌桌的连接几秒内断开；可以重新登录。"), _("已强制下线。"),
    ),
    "reset-mfa": Deed(
        _("重置动态口令"), "operations.reset_mfa", standing.reset_mfa,
        _("删除动态口令和恢复码，并强制下线。请先用别的办法确认是本人。"), _("动态口令已重置。"),
    ),
    "note": Deed(
        _("写备注"), "operations.add_note", add_note, _("只有工作人员看得到；写下后不能修改或删除。"), _("备注已记下。"),
        NoteForm, grave=False,
    ),
}  # fmt: skip


class UserResource(Guarded):
    class Meta:
        model = User
        fields = ("id", "number", "username", "nickname", "is_active", "is_staff", "adult", "date_joined", "last_login")
        export_order = fields


@admin.register(User)
class UserAdmin(Exporting, DjangoUserAdmin):
    """The number is never changed; freezing is a deed with a reason, not a box to tick."""

    resource_classes = [UserResource]
    list_display = ("number", "username", "nickname", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "date_joined")
    search_fields = ("number", "username", "nickname")
    ordering = ("-date_joined",)
    date_hierarchy = "date_joined"
    actions = None
    form = PlayerForm
    change_form_template = "admin/operations/user.html"
    readonly_fields = ("number", "is_active", "cool_off_until", "loss_cap", "closed_at", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("牌桌"), {"fields": ("number", "nickname", "color")}),
        (_("限制"), {"fields": ("adult", "cool_off_until", "loss_cap", "ranked", "is_active", "closed_at")}),
        (_("时间"), {"fields": ("date_joined", "last_login")}),
    )
    rights: ClassVar[tuple[Any, ...]] = ((_("权限"), {"fields": RIGHTS}),)

    # -- who may what ------------------------------------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        found = super().get_fieldsets(request, obj)
        return [*found, *self.rights] if obj is not None and request.user.is_superuser else found

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser  # players sign up themselves

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed: bool = super().has_change_permission(request, obj)
        if not allowed or obj is None or request.user.is_superuser:
            return allowed
        return isinstance(request.user, User) and standing.may_touch(request.user, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False  # accounts are closed by their players; the ledger keeps their numbers for ever

    def get_list_filter(self, request: HttpRequest) -> Any:
        found = super().get_list_filter(request)
        return [*found, "is_superuser", "groups"] if request.user.is_superuser else found

    # -- the page ----------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/do/<slug:action>/", wrap(self.at_desk), name="accounts_user_deed"),
            path("<int:pk>/statement/", wrap(self.statement), name="accounts_user_statement"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        player = self.get_object(request, object_id)
        if player is None or not self.has_view_or_change_permission(request, player):
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            self._record_forged(request, player)
        else:
            trail.record(request, "user-view", player)
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **self._about(request, player)}
        )

    def _record_forged(self, request: HttpRequest, player: User) -> None:
        """A field that this admin's form does not have does nothing; that it was sent is kept."""
        form = self.get_form(request, player, change=True)
        known = HARMLESS | set(form.base_fields)
        extra = {name for name in request.POST if name not in known and not name.startswith(("initial-", "usable_"))}
        if extra:
            record_refusal(request, "admin-forged")

    def _about(self, request: HttpRequest, player: User) -> dict[str, Any]:
        """What the page shows above the form."""
        balances = selectors.wallet_balances(owner_ref=player.pk)
        wallets = standing.wallets(player.pk)
        return {
            "player": player,
            "kind": _kind_of(player),
            "purses": [
                {"name": CURRENCY_NAMES[code], "amount": balances[code], "account": wallets.get(code)}
                for code in CURRENCIES
            ],
            "tools": self._tools(request, player),
            "notes": self._notes(request, player),
            "sessions": [
                {"device": devices.described(one, False), "session": one}
                for one in UserSession.objects.filter(user=player).order_by("-last_seen_at")[:8]
            ],
            "mfa": Authenticator.objects.filter(user=player, type=Authenticator.Type.TOTP).exists(),
        }

    def _notes(self, request: HttpRequest, player: User) -> list[Note] | None:
        if not request.user.has_perm("operations.view_note"):
            return None
        return list(Note.objects.filter(player=player).select_related("by").order_by("-pk")[:30])

    def _tools(self, request: HttpRequest, player: User) -> list[dict[str, Any]]:
        if not isinstance(request.user, User):
            return []
        found = [
            {
                "title": deed.title,
                "url": reverse("admin:accounts_user_deed", args=[player.pk, action]),
                "grave": deed.grave,
            }
            for action, deed in DEEDS.items()
            if self._offers(request.user, action, player)
        ]
        if request.user.has_perm("operations.view_statement"):
            found.append({"title": _("账单"), "url": reverse("admin:accounts_user_statement", args=[player.pk])})
        if request.user.has_perm("fairness.view_flag"):
            found.append({"title": _("公平"), "url": reverse("admin:fairness_player", args=[player.number])})
        if request.user.has_perm("trail.view_trail"):
            url = f"{reverse('admin:trail_trail_search')}?subject=accounts.user:{player.pk}"
            found.append({"title": _("对他的操作记录"), "url": url})
        return found

    def _offers(self, by: User, action: str, player: User) -> bool:
        if not by.has_perm(DEEDS[action].permission):
            return False
        if action == "note":
            return True
        if not standing.may_touch(by, player) or player.closed_at is not None:
            return False
        if action == "reset-mfa":
            return Authenticator.objects.filter(user=player).exists()
        return action not in ("freeze", "unfreeze") or action == ("freeze" if player.is_active else "unfreeze")

    # -- deeds -------------------------------------------------------------------------------------------------------

    def at_desk(self, request: HttpRequest, pk: int, action: str) -> HttpResponse:
        """The form of one deed; posted, one call of a service and its trail."""
        deed = DEEDS.get(action)
        if deed is None or not request.user.has_perm(deed.permission) or not self.has_view_permission(request):
            raise PermissionDenied
        player = get_object_or_404(User, pk=pk)
        form = deed.form(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid() and self._done(request, deed, action, player, form):
            return redirect("admin:accounts_user_change", pk)
        context = {
            **self.admin_site.each_context(request), "opts": self.opts, "player": player, "form": form, "title": deed.title,
            "note": deed.note, "grave": deed.grave,
        }  # fmt: skip
        return render(request, "admin/operations/deed.html", context)

    def _done(self, request: HttpRequest, deed: Deed, action: str, player: User, form: forms.Form) -> bool:
        reason = form.cleaned_data["reason"]
        try:
            kept(
                request, f"user-{action}", player, lambda: deed.work(user=player, by=request.user, reason=reason),
                reason=reason,
            )  # fmt: skip
        except (AccountError, LedgerError) as error:
            if isinstance(error, standing.NotYours):
                record_refusal(request)
            form.add_error(None, error.text(get_language() or "zh-hans"))
            return False
        messages.success(request, str(deed.said))
        return True

    def statement(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The player's movements, as the player sees them; the look is kept."""
        if not request.user.has_perm("operations.view_statement"):
            raise PermissionDenied
        player = get_object_or_404(User, pk=pk)
        currency = request.GET.get("currency", COIN)
        currency = currency if currency in CURRENCIES else COIN
        before = request.GET.get("before", "")
        trail.record(request, "statement-view", player, currency=currency, before=before[:18])
        movements = selectors.movements(
            owner_ref=pk,
            currency=currency,
            before=int(before[:18]) if before.isdecimal() else None,
            limit=STATEMENT_PAGE + 1,
        )
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "player": player,
            "title": gettext("%(name)s 的账单") % {"name": player.display_name},
            "currency": currency,
            "currencies": [(code, name, code == currency) for code, name in CURRENCY_NAMES.items()],
            "holdings": selectors.holdings(owner_ref=pk, currency=currency),
            "movements": movements[:STATEMENT_PAGE],
            "older": movements[STATEMENT_PAGE - 1].entry if len(movements) > STATEMENT_PAGE else None,
        }
        return render(request, "admin/operations/statement.html", context)

    # -- changing ----------------------------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """A new nickname comes with its look; what was changed, from what to what, is kept."""
        if "nickname" in form.changed_data:
            obj.look = looks.look(obj.nickname)
        super().save_model(request, obj, form, change)
        changes = {
            name: [_plain(form.initial.get(name)), _plain(form.cleaned_data.get(name))] for name in form.changed_data
        }
        changes = {name: ["…", "…"] if "password" in name else both for name, both in changes.items()}
        trail.record(request, "user-change" if change else "user-add", obj, changes=changes)
        if change and set(form.changed_data) & set(RIGHTS):
            transaction.on_commit(lambda: hooks.signed_out(obj.pk, None))

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """A password set for somebody ends their sessions, and their sockets close."""
        player = self.get_object(request, id)
        if player is not None and not self.has_change_permission(request, player):
            raise PermissionDenied
        before = player.password if player is not None else ""
        response: HttpResponse = super().user_change_password(request, id, form_url)
        if player is not None and User.objects.values_list("password", flat=True).get(pk=player.pk) != before:
            trail.record(request, "user-password", player)
            devices.sign_out_everywhere(user=player)
        return response


def _kind_of(player: User) -> str:
    if player.is_superuser:
        return gettext("超级管理员")
    if staff.is_agent(player):
        return gettext("代理")
    return gettext("工作人员") if player.is_staff else gettext("玩家")


def _plain(value: Any) -> Any:
    """A field's value as the trail can hold it."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, list | tuple) or hasattr(value, "all"):
        return [str(one) for one in (value.all() if hasattr(value, "all") else value)]
    return str(value)
