"""The rooms app."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class RoomsConfig(AppConfig):
    name = "rooms"
    verbose_name = pgettext_lazy("plural", "房间")

    def ready(self) -> None:
        from rooms import account_hooks

        account_hooks.register()
