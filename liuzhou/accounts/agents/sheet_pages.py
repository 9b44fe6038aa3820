"""What the agent's desk and the admins' pages show alike: movements of the stock, and the month as CSV."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from ledger import exports, selectors
from liuzhou.accounts.agents import handing, months
from liuzhou.accounts.agents.models import Agent, Handover
from liuzhou.trail import services as trail

PAGE = 40


def movements_context(request: HttpRequest, agent: Agent) -> dict[str, Any]:
    """A page of the stock's movements, newest first; `?before=` the number the page before ended with."""
    before = request.GET.get("before", "")
    number = int(before) if before.isdecimal() and len(before) < 19 else None
    found = selectors.statement(account=handing.stock_account(agent), before=number, limit=PAGE + 1)
    shown = found[:PAGE]
    handed = Handover.objects.filter(agent=agent, entry__in=[move.entry for move in shown]).select_related("player")
    players = {one.entry: one for one in handed}
    return {
        "moves": [(move, players.get(move.entry)) for move in shown],
        "older": shown[-1].seq if len(found) > PAGE else None,
        "first_page": number is None,
        "stock": handing.stock(agent),
    }


def csv_response(request: HttpRequest, agent: Agent) -> HttpResponseBase:
    """The month's lines as CSV, streamed; the export is in the ledger's list and in the trail."""
    first = months.parse(request.GET.get("month", ""))
    count, rows = months.csv_rows(agent, first)
    month = f"{first:%Y-%m}"
    trail.record(request, "agent-export", agent, month=month, rows=count)
    filters = {"agent": agent.user.number, "month": month}
    return exports.response(
        request,
        what="agent-month",
        format="csv",
        filters=filters,
        count=count,
        head=[str(name) for name in months.HEAD],
        rows=rows,
    )
