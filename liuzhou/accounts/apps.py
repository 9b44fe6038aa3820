"""The accounts app."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class AccountsConfig(AppConfig):
    name = "liuzhou.accounts"
    label = "accounts"
    verbose_name = pgettext_lazy("plural", "玩家")
