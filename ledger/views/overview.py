"""The whole at a glance: daily totals, money supply, largest movements, violations, seals, exports."""

import json
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from ledger import exports, figures, seals
from ledger.charts import stacked
from ledger.models import AuditLine
from ledger.names import names_of
from ledger.terms import ACCOUNT_KINDS, COIN, CURRENCY_NAMES, ENTRY_KINDS, SYSTEM_NAMES, kind_name
from ledger.views.access import auditors_only
from ledger.views.search import account_name

LARGEST = 50
DAYS = 30
LONGEST = 366


class Period(forms.Form):
    """A currency and the days to look at."""

    currency = forms.ChoiceField(label=_("币种"), required=False, choices=list(CURRENCY_NAMES.items()))
    first = forms.DateField(label=_("从"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))
    last = forms.DateField(label=_("到"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))

    def chosen(self) -> tuple[str, date, date]:
        """What was asked for, or the last thirty days of coins; never more than a year."""
        asked = self.cleaned_data if self.is_valid() else {}
        last = asked.get("last") or timezone.localdate()
        first = asked.get("first") or last - timedelta(DAYS - 1)
        first = max(min(first, last), last - timedelta(LONGEST - 1))
        return asked.get("currency") or COIN, first, last


def _rows(query: str, parameters: list[Any] | None = None) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


# The view audit.daily_total, limited by time before it adds up (its own `day` cannot use the index on `at`).
_TOTALS = """SELECT (l.at AT TIME ZONE 'Asia/Shanghai')::date AS day, l.kind, count(DISTINCT l.entry_id) AS entries,
      sum(l.amount) FILTER (WHERE l.amount > 0)::bigint AS moved,
      coalesce(sum(l.amount) FILTER (WHERE l.account_kind <> 'system'), 0)::bigint AS into_circulation
    FROM audit.line l WHERE l.currency = %s AND l.at >= %s AND l.at < %s GROUP BY 1, 2 ORDER BY 1 DESC, 2"""


def _daily(currency: str, first: date, last: date) -> list[dict[str, Any]]:
    start, end = (timezone.make_aware(datetime.combine(day, time())) for day in (first, last + timedelta(1)))
    return _rows(_TOTALS, [currency, start, end])


@auditors_only
@require_safe
def daily(request: HttpRequest) -> HttpResponse:
    """Per day and kind: entries, what moved, what came into circulation; with a chart."""
    form = Period(request.GET)
    currency, first, last = form.chosen()
    rows = _daily(currency, first, last)
    names = {kind: str(name) for kind, name in ENTRY_KINDS.items()}
    context = {
        "form": Period(initial={"currency": currency, "first": first, "last": last}),
        "currency": CURRENCY_NAMES[currency],
        "chart": stacked(rows, names=names, first=first, last=last),
        "rows": [{**row, "name": kind_name(row["kind"])} for row in rows],
        "query": request.GET.urlencode(),
    }
    return render(request, "ledger/audit/daily.html", context)


@auditors_only
@require_safe
def daily_export(request: HttpRequest, format: str) -> HttpResponseBase:
    if format not in exports.FORMATS:
        raise Http404
    currency, first, last = Period(request.GET).chosen()
    rows = _daily(currency, first, last)
    cells = [[row["day"].isoformat(), *list(row.values())[1:]] for row in rows]
    filters = {"currency": currency, "first": first, "last": last}
    head = ("日期", "类别", "分录", "流转", "净投放")
    return exports.response(
        request, what="daily", format=format, filters=filters, count=len(cells), head=head, rows=cells
    )


@auditors_only
@require_safe
def supply(request: HttpRequest) -> HttpResponse:
    """Where all of each currency is, and which kinds of entries brought it there."""
    places = _rows("SELECT * FROM audit.money_supply ORDER BY currency, kind, name")
    kinds = _rows("""SELECT currency, kind, sum(entries)::bigint AS entries, sum(into_circulation)::bigint AS amount
        FROM audit.daily_total GROUP BY 1, 2 HAVING sum(into_circulation) <> 0 ORDER BY 1, 4 DESC""")
    currencies = []
    for code, name in CURRENCY_NAMES.items():
        own = [row for row in places if row["currency"] == code]
        outside = [row for row in own if row["kind"] != "system"]
        currencies.append(
            {
                "name": name,
                "system": [
                    {**row, "name": SYSTEM_NAMES.get(row["name"], row["name"])} for row in own if row not in outside
                ],
                "outside": [{**row, "name": ACCOUNT_KINDS[row["kind"]]} for row in outside],
                "circulation": sum(row["balance"] for row in outside),
                "rest": sum(row["balance"] for row in own),
                "kinds": [{**row, "name": kind_name(row["kind"])} for row in kinds if row["currency"] == code],
            }
        )
    return render(request, "ledger/audit/supply.html", {"currencies": currencies})


@auditors_only
@require_safe
def largest(request: HttpRequest) -> HttpResponse:
    """The largest single movements of the period, system accounts left out."""
    currency, first, last = Period(request.GET).chosen()
    start, end = (timezone.make_aware(datetime.combine(day, time())) for day in (first, last + timedelta(1)))
    lines = AuditLine.objects.filter(currency=currency, at__gte=start, at__lt=end).exclude(account_kind="system")
    both = [*lines.order_by("-amount")[:LARGEST], *lines.order_by("amount")[:LARGEST]]
    unique = {(line.account_id, line.seq): line for line in both}
    top = sorted(unique.values(), key=lambda line: -abs(line.amount))[:LARGEST]
    names = names_of(line.owner_ref for line in top)
    rows = [
        {
            "line": line,
            "who": account_name(line.account_kind, line.account_name, names.get(line.owner_ref, "")),
            "kind": kind_name(line.kind),
            "currency": CURRENCY_NAMES[line.currency],
        }
        for line in top
    ]
    form = Period(initial={"currency": currency, "first": first, "last": last})
    return render(request, "ledger/audit/largest.html", {"form": form, "rows": rows})


LOOK_SECONDS = 20


@auditors_only
@require_http_methods(["GET", "HEAD", "POST"])
def violations(request: HttpRequest) -> HttpResponse:
    """What must not be (the database's rules over all entries), as the last look found it; empty. A POST looks anew.

    The worker looks every ten minutes; a page that only shows what was found costs nothing however long the ledger is."""
    if request.method == "POST":
        try:
            figures.violations(seconds=LOOK_SECONDS, limit=0)
        except OperationalError:
            messages.error(request, _("账本太长，这里查不完；后台每十分钟会自动检查。"))
        return redirect("audit_violations")
    last = _rows("SELECT max(id) AS id, max(at) AS at FROM audit.seal")[0]
    unsealed = _rows("SELECT count(*) AS count FROM audit.entry_seal WHERE seal_id IS NULL")[0]["count"]
    context = {"look": figures.last_look(), "seal": last, "unsealed": unsealed}
    return render(request, "ledger/audit/violations.html", context)


@auditors_only
@require_safe
def seal_list(request: HttpRequest) -> HttpResponse:
    """The seals, newest first, with who signed them."""
    rows = _rows("""SELECT s.id, s.at, s.entries, encode(s.root, 'hex') AS root, encode(s.hash, 'hex') AS hash,
        encode(s.public_key, 'hex') AS signer FROM audit.seal s ORDER BY s.id DESC LIMIT 200""")
    return render(request, "ledger/audit/seals.html", {"rows": rows})


@auditors_only
@require_safe
def seal_export(request: HttpRequest) -> HttpResponse:
    """All seals as JSON lines, to be kept elsewhere and compared with `audit_ledger --against`."""
    rows = list(seals.exported())
    assert request.user.pk is not None
    exports.record(actor=request.user.pk, what="seals", format="json", filters={}, rows=len(rows))
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    headers = {"Content-Disposition": 'attachment; filename="seals.jsonl"', "Cache-Control": "no-store"}
    return HttpResponse(text, content_type="application/x-ndjson", headers=headers)


@auditors_only
@require_safe
def export_list(request: HttpRequest) -> HttpResponse:
    """Who took which list away, and when."""
    rows = _rows(
        "SELECT id, actor, what, format, filters::text AS filters, rows, at FROM audit.export ORDER BY id DESC LIMIT 200"
    )
    names = names_of(row["actor"] for row in rows)
    return render(request, "ledger/audit/exports.html", {"rows": [{**row, "who": names[row["actor"]]} for row in rows]})
