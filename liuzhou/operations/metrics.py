"""/metrics in Prometheus' text format: the dashboard's figures, and what this process has of its own."""

import secrets
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from liuzhou.operations import sampling
from liuzhou.operations.models import LedgerCheck
from liuzhou.values import maintenance
from rooms import hub

PASSED_ON = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED", "HTTP_VIA")
HELP = {
    "tables": "Tables at which a hand is running.",
    "rooms": "Open rooms.",
    "players": "Players with a live socket at an open room.",
    "hands_last_minute": "Hands settled in the last whole minute.",
    "cards_sold": "Room cards sold to agents, ever.",
    "cards_used": "Room cards used up by rooms, ever.",
    "coins_in_circulation": "Coins outside the system's accounts.",
    "cards_in_circulation": "Room cards outside the system's accounts.",
    "requests_last_minute": "HTTP requests of all processes in the last whole minute.",
    "errors_last_minute": "HTTP requests answered with 5xx in the last whole minute.",
    "logged_errors_last_minute": "Errors logged outside requests in the last whole minute.",
    "ledger_violations": "Violations found by the last check of the whole ledger; -1: it did not finish, or there was none.",
    "ledger_check_timestamp_seconds": "When the ledger was last checked.",
    "maintenance": "1 under maintenance.",
    "process_sockets": "Sockets of this process.",
    "process_live_rooms": "Rooms open in this process.",
    "process_log_queue": "Actions of this process that wait for their group commit.",
}
RENAMED = {
    "hands": "hands_last_minute",
    "coins": "coins_in_circulation",
    "cards": "cards_in_circulation",
    "requests": "requests_last_minute",
    "errors": "errors_last_minute",
    "logged": "logged_errors_last_minute",
}


def allowed(request: HttpRequest) -> bool:
    """Who brings METRICS_TOKEN; where none is set this machine alone, and nothing that a proxy passed on."""
    if settings.METRICS_TOKEN:
        return secrets.compare_digest(
            request.headers.get("Authorization", "").encode(), f"Bearer {settings.METRICS_TOKEN}".encode()
        )
    if any(name in request.META for name in PASSED_ON):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For anybody else this page does not exist."""
    if not allowed(request):
        raise Http404
    return HttpResponse("".join(_lines()), content_type="text/plain; version=0.0.4; charset=utf-8")


def _lines() -> Iterator[str]:
    for name, number in _figures().items():
        yield f"# HELP liuzhou_{name} {HELP[name]}\n# TYPE liuzhou_{name} gauge\nliuzhou_{name} {number}\n"


def _figures() -> dict[str, Any]:
    found = {RENAMED.get(name, name): number for name, number in sampling.now().items() if name != "sales_seq"}
    check = LedgerCheck.objects.order_by("-pk").first()
    found["ledger_violations"] = -1 if check is None or check.violations is None else check.violations
    found["ledger_check_timestamp_seconds"] = int(check.at.timestamp()) if check else 0
    found["maintenance"] = int(maintenance.current().on)
    return {**found, **_process()}


def _process() -> dict[str, int]:
    live = hub._hub  # a process that serves no socket has none
    if live is None:
        return {"process_sockets": 0, "process_live_rooms": 0, "process_log_queue": 0}
    rooms = list(live.rooms.values())
    sockets = sum(len(room.sockets) for room in rooms)
    return {
        "process_sockets": sockets, "process_live_rooms": len(rooms), "process_log_queue": len(live.writer._waiting),
    }  # fmt: skip
