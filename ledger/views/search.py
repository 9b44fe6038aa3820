"""Searching lines, one entry with all that hangs on it, one account."""

from typing import Any

from django.core.paginator import EmptyPage
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ledger import exports
from ledger.filters import LineFilter, after, in_batches, totals
from ledger.models import Account, AuditLine, Entry
from ledger.names import names_of
from ledger.terms import CURRENCY_NAMES, SYSTEM_NAMES, kind_name
from ledger.views.access import auditors_only

PAGE = 50
HEAD = (
    "分录号", "行", "时间", "类别", "账户号", "账户类别", "账户名称", "归属", "币种", "金额", "余额", "牌局", "房间",
    "经手人", "原因", "业务编号",
)  # fmt: skip


@auditors_only
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The lines that match the filters, newest first, with totals of all that match."""
    form = LineFilter(request.GET)
    lines = form.lines()
    page = list((lines.filter(_after(request)) if "after" in request.GET else lines)[: PAGE + 1])
    context = {
        "form": form,
        "rows": _with_names(page[:PAGE]),
        "totals": _named_totals(totals(lines)),
        "next": _query(request, after=f"{page[PAGE - 1].entry_id}.{page[PAGE - 1].n}") if len(page) > PAGE else "",
        "query": _query(request),
        "first_page": "after" not in request.GET,
    }
    return render(request, "ledger/audit/search.html", context)


@auditors_only
@require_safe
def export(request: HttpRequest, format: str) -> HttpResponseBase:
    """The same list as a file."""
    form = LineFilter(request.GET)
    if format not in exports.FORMATS or not form.is_valid():
        raise Http404
    lines = form.lines()
    rows = (_cells(line) for line in in_batches(lines))
    return exports.response(
        request, what="lines", format=format, filters=form.used, count=lines.count(), head=HEAD, rows=rows
    )


@auditors_only
@require_safe
def entry(request: HttpRequest, number: int) -> HttpResponse:
    """One entry: its lines, what it refers to, what refers to it, the seal over it."""
    found = get_object_or_404(Entry, pk=number)
    lines = list(AuditLine.objects.filter(entry_id=number).order_by("n"))
    same_hand = Entry.objects.filter(hand=found.hand).exclude(pk=number).order_by("id") if found.hand else []
    context = {
        "entry": found,
        "title": kind_name(found.kind),
        "actor": names_of([found.actor]).get(found.actor or 0, ""),
        "rows": _with_names(lines),
        "followers": Entry.objects.filter(hold=number).union(Entry.objects.filter(reversed=number)),
        "same_hand": same_hand,
        "seal": _seal_over(number),
    }
    return render(request, "ledger/audit/entry.html", context)


@auditors_only
@require_safe
def account(request: HttpRequest, number: int) -> HttpResponse:
    """One account and its chain, newest line first."""
    found = get_object_or_404(Account, pk=number)
    lines = AuditLine.objects.filter(account_id=number).order_by("-seq")
    before = request.GET.get("before", "")
    if before.isdecimal():
        lines = lines.filter(seq__lt=int(before[:18]))
    page = list(lines[: PAGE + 1])
    context = {
        "account": found,
        "owner": account_name(found.kind, found.name, names_of([found.owner_ref]).get(found.owner_ref, "")),
        "siblings": Account.objects.filter(owner_ref=found.owner_ref).exclude(pk=number).order_by("id")[:PAGE]
        if found.owner_ref
        else [],
        "rows": _with_names(page[:PAGE]),
        "older": page[PAGE - 1].seq if len(page) > PAGE else None,
    }
    return render(request, "ledger/audit/account.html", context)


def account_name(kind: str, name: str, owner: str) -> str:
    return str(SYSTEM_NAMES.get(name, name)) if kind == "system" else owner


def _with_names(lines: list[AuditLine]) -> list[dict[str, Any]]:
    names = names_of(line.owner_ref for line in lines)
    return [
        {
            "line": line,
            "who": account_name(line.account_kind, line.account_name, names.get(line.owner_ref, "")),
            "kind": kind_name(line.kind),
            "currency": CURRENCY_NAMES.get(line.currency, line.currency),
        }
        for line in lines
    ]


def _named_totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "name": CURRENCY_NAMES.get(row["currency"], row["currency"])} for row in rows]


def _cells(line: AuditLine) -> list[str | int | None]:
    return [
        line.entry_id, line.n, line.at.isoformat(), line.kind, line.account_id, line.account_kind, line.account_name,
        line.owner_ref, line.currency, line.amount, line.balance, line.hand, line.room, line.actor, line.reason, line.key,
    ]  # fmt: skip


def _after(request: HttpRequest) -> Any:
    entry, _, n = request.GET["after"].partition(".")
    if not (entry.isdecimal() and n.isdecimal()) or len(entry) > 18 or len(n) > 4:
        raise Http404(EmptyPage.__name__)
    return after(int(entry), int(n))


def _query(request: HttpRequest, **more: str) -> str:
    """The address's query without its place in the list, and with what is added."""
    query = request.GET.copy()
    query.pop("after", None)
    for name in [name for name, value in query.items() if value == ""]:
        del query[name]
    query.update(more)
    return query.urlencode()


def _seal_over(entry: int) -> dict[str, Any] | None:
    query = """SELECT s.id, s.at, s.hash FROM audit.entry_seal e JOIN audit.seal s ON s.id = e.seal_id
        WHERE e.entry_id = %s LIMIT 1"""
    with connection.cursor() as cursor:
        cursor.execute(query, [entry])
        row = cursor.fetchone()
    return {"id": row[0], "at": row[1], "hash": bytes(row[2]).hex()} if row else None
