"""Every page of the admin site that somebody of the staff looks at, and everything they post, leaves a row in the trail,
unless the page recorded it in better words itself. New pages need do nothing for it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from liuzhou.trail import services as trail

View = Callable[..., HttpResponseBase]
# Pages that show nobody's data; the dashboard renews itself.
BARE = {"index", "app_list", "jsi18n", "login", "logout", "password_change", "password_change_done", "view_on_site"}
OWN = "agents_desk_"  # an agent's own pages keep their own trail
QUERY_KEPT = 200


def trailed(view: View) -> View:
    """The view; what it showed or did is recorded afterwards. Refusals are the agents' door's business."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        match = request.resolver_match
        name = match.url_name or "" if match else ""
        if name in BARE or name.startswith(OWN) or getattr(request, "trailed", False):
            return response
        if request.user.is_authenticated and response.status_code < 400 and (match is not None):
            _record(request, name, match.kwargs, response)
        return response

    return run


def _stated(request: HttpRequest) -> dict[str, str]:
    """What a form of the desk says of money and why."""
    return {name: request.POST[name][:200] for name in ("amount", "reason") if name in request.POST}


def _record(request: HttpRequest, name: str, kwargs: dict[str, Any], response: HttpResponseBase) -> None:
    subject = kwargs.get("object_id") or kwargs.get("pk") or kwargs.get("number") or ""
    about = f"{name}:{subject}" if subject else name
    deed = {"deed": kwargs["action"]} if "action" in kwargs else {}
    if request.method == "POST":
        fields = sorted({field[:60] for field in request.POST} - {"csrfmiddlewaretoken"})[:40]
        action = "page-change" if response.status_code in (301, 302, 303) else "page-post"
        trail.record(request, action, about, fields=fields, **deed, **_stated(request))
    elif response.status_code == 200:
        trail.record(request, "page-view", about, query=request.GET.urlencode()[:QUERY_KEPT])
