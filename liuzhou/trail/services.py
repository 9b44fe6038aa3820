"""The one way in which the trail grows."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest

from liuzhou.trail.models import Trail


def record(request: HttpRequest, action: str, subject: Model | str = "", **detail: Any) -> Trail:
    """Keep that the request's user did `action` (a slug, such as `user-freeze` or `statement-view`) to `subject`.

    `detail` must be JSON and must hold no password, secret or hidden tile. Inside a transaction it stands or falls with it."""
    user = request.user if request.user.is_authenticated else None
    about = subject if isinstance(subject, str) else f"{subject._meta.label_lower}:{subject.pk}"
    request.trailed = True  # type: ignore[attr-defined]  # the admin site records only what nobody recorded better
    return Trail.objects.create(actor=user, action=action, subject=about[:80], detail=detail, address=_address(request))


def _address(request: HttpRequest) -> str | None:
    """Where the request came from, behind as many proxies as TRUSTED_PROXIES says."""
    try:
        return get_adapter().get_client_ip(request) or None
    except PermissionDenied:  # a socket of this machine has no address
        return None
