"""The fairness desk: who plays for whom (issue 7 part 4)."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FairnessConfig(AppConfig):
    name = "liuzhou.fairness"
    label = "fairness"
    verbose_name = _("公平")

    def ready(self) -> None:
        from liuzhou.fairness import account_hooks

        account_hooks.register()
