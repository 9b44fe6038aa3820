"""The admin site: staff alone, signed in by allauth with a second factor (TOTP), for a short time."""

from typing import Any
from urllib.parse import urlencode

from allauth.mfa.utils import is_mfa_enabled
from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts import staff
from liuzhou.accounts.agents import door
from liuzhou.operations import watching


class Site(admin.AdminSite):
    """Django's own sign-in page is never shown: there is one door, and it knows TOTP, lockouts and the trail."""

    site_header = site_title = _("柳州麻将 运营")
    index_title = _("总览")
    index_template = "admin/dashboard.html"

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and staff.is_verified(request)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Each view behind the agents' door, which also records who of the staff was refused what; and trailed."""
        return super().admin_view(door.watched(watching.trailed(view)), cacheable)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The dashboard, for those who may see it; for others the list of their pages."""
        from liuzhou.operations import dashboard  # models: the site is made before there are any

        shown = dashboard.context(request) if request.user.has_perm("operations.view_dashboard") else {}
        return super().index(request, {**shown, **(extra_context or {})})

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Where whoever may not enter yet is sent: to sign in, to set TOTP up, or to prove themselves again."""
        wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
        if not url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
            wanted = reverse("admin:index")
        if self.has_permission(request):
            return redirect(wanted)
        if not request.user.is_authenticated:
            door = "account_login"
        elif not super().has_permission(request):
            raise PermissionDenied
        elif is_mfa_enabled(request.user):
            door = "mfa_reauthenticate"
        else:
            door = "mfa_activate_totp"
        return redirect(f"{reverse(door)}?{urlencode({REDIRECT_FIELD_NAME: wanted})}")
