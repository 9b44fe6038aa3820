"""The staff's door in front of the audit pages, which the ledger cannot know of: a second factor proved lately, and a trail
of what was looked at and taken away, there and of finished hands."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from liuzhou.accounts import staff
from liuzhou.trail import services as trail

AUDIT, HANDS = "/audit/", "/hands/"
QUERY_KEPT = 200


def _looks_at_hands(user: Any) -> bool:
    """Staff who see every finished hand; players are not asked for their permissions."""
    return (user.is_staff or user.is_superuser) and user.has_perm("rooms.view_hand")


class StaffDoor:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        if request.path_info.startswith(HANDS) and _looks_at_hands(request.user):
            trail.record(request, "hand-view", path=request.path[:120])  # staff see hands that they did not play
            return None
        if not request.path_info.startswith(AUDIT) or not request.user.has_perm("ledger.audit"):
            return None  # strangers and players get the answers they always got
        if not staff.is_verified(request):
            door = "mfa_reauthenticate" if is_mfa_enabled(request.user) else "mfa_activate_totp"
            return redirect(f"{reverse(door)}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}")
        name = request.resolver_match.url_name or "" if request.resolver_match else ""
        action = "audit-export" if "export" in name and name != "audit_exports" else "audit-view"
        trail.record(request, action, path=request.path[:120], query=request.GET.urlencode()[:QUERY_KEPT])
        return None
