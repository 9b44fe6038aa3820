"""Players in the admin pages."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin

from liuzhou.accounts.models import User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Found by number, username or nickname; the number is never changed."""

    list_display = ("number", "username", "nickname", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("number", "username", "nickname")
    ordering = ("-date_joined",)
    readonly_fields = ("number", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("牌桌", {"fields": ("number", "nickname", "color")}),
        ("权限", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("时间", {"fields": ("date_joined", "last_login")}),
    )
