"""The language a player prefers, where this browser has not chosen one itself."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from liuzhou.accounts import preferences


class PreferredLanguage:
    """Below LocaleMiddleware and the session's user: the header's switch sets a cookie, and that goes before."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.LANGUAGE_COOKIE_NAME not in request.COOKIES and settings.SESSION_COOKIE_NAME in request.COOKIES:
            chosen = preferences.complete(getattr(request.user, "preferences", None))["language"]
            if chosen:
                translation.activate(chosen)
                request.LANGUAGE_CODE = translation.get_language()
        return self.get_response(request)
