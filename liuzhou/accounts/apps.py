"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "liuzhou.accounts"
    label = "accounts"
    verbose_name = "玩家"
