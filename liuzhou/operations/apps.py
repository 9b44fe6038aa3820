"""The operators' side of the site: what admins see and steer."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class OperationsConfig(AppConfig):
    name = "liuzhou.operations"
    label = "operations"
    verbose_name = _("运营")

    def ready(self) -> None:
        from liuzhou.operations import account_signals, groups

        account_signals.register()
        post_migrate.connect(groups.make, sender=self, dispatch_uid="operations.admins")
