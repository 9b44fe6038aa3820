"""Gives a browser that signs in a random device token of its own. Only its keyed hash is ever stored (marks.py)."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from liuzhou.fairness.marks import COOKIE, KEEP_DAYS


class DeviceCookie:
    """`marks.signed_in` leaves a new token on the request; here it goes to the browser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        token = getattr(request, "fairness_device", "")
        if token:
            response.set_cookie(
                COOKIE,
                token,
                max_age=KEEP_DAYS * 24 * 3600,
                httponly=True,
                samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
                path="/accounts/",  # it is read where one signs in, and sent nowhere else
            )
        return response
