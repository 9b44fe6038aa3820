"""Lockouts after wrong passwords (django-axes): for a name and an address together, so that an empty or unknown name, or
somebody else's attempts, lock nobody out; and for a while only (settings AXES_…)."""

import unicodedata
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.auth_backends import AuthenticationBackend
from axes.backends import AxesStandaloneBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class Backend(AxesStandaloneBackend, AuthenticationBackend):
    """Allauth's, after axes' question whether this name may be tried from this address at all. One backend, so that a wrong
    password is hashed once and sessions name one."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> Any:
        AxesStandaloneBackend.authenticate(self, request, **credentials)  # raises where the attempt is not allowed
        return AuthenticationBackend.authenticate(self, request, **credentials)


def username(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """The name that is tried, as one spelling of it: allauth takes any case and any width."""
    given = (credentials or {}).get("username") or request.POST.get("login") or ""
    return unicodedata.normalize("NFKC", str(given)).casefold()[:150]


def address(request: HttpRequest) -> str:
    """The visitor's address, behind as many proxies as TRUSTED_PROXIES says."""
    try:
        return str(get_adapter().get_client_ip(request) or "")
    except PermissionDenied:  # a socket of this machine has no address
        return ""


def locked_out(
    request: HttpRequest, response: HttpResponse | None = None, credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """What is shown to who tried too often: when to come back, and that only this name from here has to wait."""
    answer = render(request, "operations/locked_out.html", status=429)
    answer["Retry-After"] = "900"
    return answer
