"""What the fairness desk does when a player signs in, takes their data along, or closes the account."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in

from liuzhou.accounts import hooks
from liuzhou.accounts.models import User
from liuzhou.fairness import marks
from liuzhou.fairness.models import Mark


def register() -> None:
    user_logged_in.connect(marks.signed_in, dispatch_uid="fairness")
    hooks.on_erasing(erase_marks)
    hooks.on_export("marks", marks_of)


def erase_marks(user: User) -> None:
    """Places and devices go; the sums of hands stay, as the hands do."""
    Mark.objects.filter(user=user).delete()


def marks_of(user: User) -> list[dict[str, Any]]:
    """Hashes say nothing to their owner: that there is one, of which kind, from when to when."""
    found = Mark.objects.filter(user=user).order_by("first_on", "pk")
    return [{"kind": mark.kind, "first": mark.first_on.isoformat(), "last": mark.last_on.isoformat()} for mark in found]
