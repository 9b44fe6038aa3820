"""The rooms app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RoomsConfig(AppConfig):
    name = "rooms"
    verbose_name = _("房间")

    def ready(self) -> None:
        from rooms import account_hooks

        account_hooks.register()
