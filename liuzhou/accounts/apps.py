"""The accounts app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "liuzhou.accounts"
    label = "accounts"
    verbose_name = _("玩家")
