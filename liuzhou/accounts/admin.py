"""Players in the admin pages."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.http import HttpRequest

from liuzhou.accounts import looks, names, services
from liuzhou.accounts.errors import AccountError, NicknameReserved
from liuzhou.accounts.forms import refusal
from liuzhou.accounts.models import User


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


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Found by number, username or nickname; the number is never changed."""

    list_display = ("number", "username", "nickname", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("number", "username", "nickname")
    ordering = ("-date_joined",)
    form = PlayerForm
    readonly_fields = ("number", "cool_off_until", "loss_cap", "closed_at", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("牌桌", {"fields": ("number", "nickname", "color")}),
        ("限制", {"fields": ("adult", "cool_off_until", "loss_cap", "ranked", "closed_at")}),
        ("权限", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("时间", {"fields": ("date_joined", "last_login")}),
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """A new nickname comes with its look."""
        if "nickname" in form.changed_data:
            obj.look = looks.look(obj.nickname)
        super().save_model(request, obj, form, change)
