"""The rooms app."""

from django.apps import AppConfig


class RoomsConfig(AppConfig):
    name = "rooms"
    verbose_name = "房间"

    def ready(self) -> None:
        from rooms import account_hooks

        account_hooks.register()
