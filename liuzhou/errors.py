"""The pages for what went wrong: in the site's look; the page for our own failure needs nothing that can fail."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

logger = logging.getLogger(__name__)

PLAIN = (
    '<!doctype html><html lang="zh-Hans"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>柳州麻将</title>'
    "<h1>出错了 / Something went wrong</h1>"
    "<p>已经记录下来，请稍后再试。牌局不会丢失。</p><p>It has been recorded. Please try again; no game is lost.</p>"
    '<p><a href="/">返回大厅 / Lobby</a></p></html>'
)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 400, _("请求无法识别"), _("请返回上一页再试一次。"))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 403, _("没有权限"), _("这个页面不对你开放。"))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _page(request, 403, _("页面已过期"), _("请刷新页面，再提交一次。浏览器需要允许 Cookie。"))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _page(request, 404, _("找不到这个页面"), _("地址可能有误，或者房间已经结束。"))


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponse(PLAIN, status=500)


def _page(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    """`error.html` in the site's look; if even that fails (no database for the page's header), the plain page."""
    try:
        return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)
    except Exception:  # an error page must not raise
        logger.exception("the error page failed")
        return HttpResponse(PLAIN, status=status)
