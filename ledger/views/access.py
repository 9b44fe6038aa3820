"""Who may see the audit pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

PERMISSION = "ledger.audit"
View = Callable[..., HttpResponseBase]


def auditors_only(view: View) -> View:
    """Signed in, and with the permission of the auditors' group; others get 403, strangers the sign-in page."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return login_required(checked)
