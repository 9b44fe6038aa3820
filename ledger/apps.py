"""The ledger as a Django app, and the auditors' group."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

AUDITORS = "auditors"


class LedgerConfig(AppConfig):
    name = "ledger"
    verbose_name = "账本"

    def ready(self) -> None:
        post_migrate.connect(_make_group, sender=self, dispatch_uid="ledger.auditors")


def _make_group(using: str, **signal: Any) -> None:
    """The group whose members see /audit/; made once its permission is there (Django makes that in this signal too)."""
    from django.contrib.auth.models import Group, Permission

    permission = Permission.objects.using(using).filter(content_type__app_label="ledger", codename="audit").first()
    if permission:
        group, _made = Group.objects.using(using).get_or_create(name=AUDITORS)
        group.permissions.add(permission)
