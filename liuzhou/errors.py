"""The pages for what went wrong: Django's, in the site's look (templates/4xx.html, 500.html), and a last one that needs
neither database nor template for when even those fail."""

import logging
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views import csrf, defaults

from liuzhou.accounts.agents import door

logger = logging.getLogger(__name__)

PLAIN = (
    '<!doctype html><html lang="zh-Hans"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>柳州麻将</title>'
    "<h1>出错了 / Something went wrong</h1>"
    "<p>已经记录下来，请稍后再试。牌局不会丢失。</p><p>It has been recorded. Please try again; no game is lost.</p>"
    '<p><a href="/">返回大厅 / Lobby</a></p></html>'
)


def _safely(status: int, view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The page, or the plain one when it fails (its header asks the database who is looking)."""

    def page(request: HttpRequest, *args: Any, **keywords: Any) -> HttpResponse:
        try:
            return view(request, *args, **keywords)
        except Exception:
            logger.exception("the page for status %d failed", status)
            return HttpResponse(PLAIN, status=status)

    return page


def _crossed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A post without the site's own mark; by a member of staff to the admin pages, it is recorded like any refusal there."""
    user = getattr(request, "user", None)
    if user is not None and user.is_staff and request.path.startswith("/admin/"):
        door.record_refusal(request)
    response: HttpResponse = csrf.csrf_failure(request, reason=reason)
    return response


bad_request = _safely(400, defaults.bad_request)
forbidden = _safely(403, defaults.permission_denied)
csrf_failure = _safely(403, _crossed)
not_found = _safely(404, defaults.page_not_found)
server_error = _safely(500, defaults.server_error)
