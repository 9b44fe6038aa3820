"""What of the admin pages an agent may reach at all, whatever the pages themselves would allow: the agent's desk.

`liuzhou.operations.site` asks here before each of its views; a ModelAdmin that is added tomorrow is closed to agents, too.
Who of the staff is refused, and what was posted that no form asks for, goes into the trail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from liuzhou.accounts.staff import is_agent
from liuzhou.trail import services as trail

View = Callable[..., HttpResponseBase]
DESK = "agents_desk_"  # how the names of the agents' own pages begin
HOME = "admin:agents_desk_home"
# Pages of the site itself that every member of staff needs.
COMMON = {"logout", "jsi18n", "password_change", "password_change_done"}


def by_agent(request: HttpRequest) -> bool:
    """Whether an agent asks, suspended or not; looked up once a request."""
    known: bool | None = getattr(request, "_by_agent", None)
    if known is None:
        known = request._by_agent = is_agent(request.user)  # type: ignore[attr-defined]
    return known


def watched(view: View) -> View:
    """The view, closed to agents unless it is theirs; a refusal is recorded with the path and the posted fields' names."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = _for_agents(request) or view(request, *args, **kwargs)
        except PermissionDenied:
            record_refusal(request)
            raise
        if response.status_code == 403:
            record_refusal(request)
        return response

    return run


def _for_agents(request: HttpRequest) -> HttpResponse | None:
    """None for whoever is no agent, and where agents may go; the index leads them to their desk."""
    if not by_agent(request):
        return None
    match = request.resolver_match
    name = match.url_name or "" if match else ""
    if name == "index" and request.method in ("GET", "HEAD"):
        return redirect(HOME)
    if not name.startswith(DESK) and name not in COMMON:
        raise PermissionDenied
    return None


def record_refusal(request: HttpRequest, action: str = "admin-refused") -> None:
    """Field names only: what was in them may be secret."""
    fields = sorted({name[:60] for name in request.POST} - {"csrfmiddlewaretoken"})[:40] if request.POST else []
    path = request.get_full_path()[:300]
    trail.record(request, action, path=path, method=request.method, fields=fields)
