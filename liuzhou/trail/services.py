"""The one way in which the trail grows."""

from typing import Any

from django.db.models import Model
from django.http import HttpRequest

from liuzhou.trail.models import Trail


def record(request: HttpRequest, action: str, subject: Model | str = "", **detail: Any) -> Trail:
    """Keep that the request's user did `action` (a slug, such as `user-freeze` or `statement-view`) to `subject`.

    `detail` must be JSON and must hold no password, secret or hidden tile. Inside a transaction it stands or falls with it."""
    user = request.user if request.user.is_authenticated else None
    about = subject if isinstance(subject, str) else f"{subject._meta.label_lower}:{subject.pk}"
    return Trail.objects.create(
        actor=user, action=action, subject=about[:80], detail=detail, address=request.META.get("REMOTE_ADDR") or None
    )
