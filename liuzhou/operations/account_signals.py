"""A changed password ends the sessions from before, and with them their sockets: told at once, on every process."""

from typing import Any

from allauth.account.signals import password_changed, password_reset, password_set
from django.db import transaction

from liuzhou.accounts import hooks
from liuzhou.accounts.models import User


def register() -> None:
    for signal in (password_changed, password_reset, password_set):
        signal.connect(_close_sockets, dispatch_uid="operations.sockets")


def _close_sockets(sender: Any, user: User, **rest: Any) -> None:
    transaction.on_commit(lambda: hooks.signed_out(user.pk, None))
