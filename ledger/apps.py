"""The ledger as a Django app, and the auditors' group."""

from typing import Any

from django.apps import AppConfig
from django.apps.registry import Apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

AUDITORS = "auditors"


class LedgerConfig(AppConfig):
    name = "ledger"
    verbose_name = _("账本")

    def ready(self) -> None:
        post_migrate.connect(_make_group, sender=self, dispatch_uid="ledger.auditors")


def _make_group(using: str, apps: Apps, **signal: Any) -> None:
    """The group whose members see /audit/; made once its permission is there (Django makes that in this signal too)."""
    try:
        groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    except LookupError:  # only the ledger was migrated
        return
    wanted = {"content_type__app_label": "ledger", "codename": "audit"}
    permission = permissions._default_manager.using(using).filter(**wanted).first()
    if permission:
        group, _made = groups._default_manager.using(using).get_or_create(name=AUDITORS)
        group.permissions.add(permission)
