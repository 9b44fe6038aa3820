"""The fairness desk: who plays for whom (issue 7 part 4)."""

from django.apps import AppConfig


class FairnessConfig(AppConfig):
    name = "liuzhou.fairness"
    label = "fairness"
    verbose_name = "公平"

    def ready(self) -> None:
        from liuzhou.fairness import account_hooks

        account_hooks.register()
