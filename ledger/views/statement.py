"""A player's own statement: what is there, and every movement in plain words."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ledger import selectors
from ledger.terms import COIN, CURRENCIES, CURRENCY_NAMES

PAGE = 40


@login_required
@require_safe
def statement(request: HttpRequest) -> HttpResponse:
    """The movements of one currency, newest first; `?before=` an entry number shows the older ones."""
    owner = request.user.pk
    assert owner is not None
    currency = request.GET.get("currency", COIN)
    if currency not in CURRENCIES:
        currency = COIN
    before = request.GET.get("before", "")
    movements = selectors.movements(
        owner_ref=owner, currency=currency, before=int(before[:18]) if before.isdecimal() else None, limit=PAGE + 1
    )
    older = movements[PAGE - 1].entry if len(movements) > PAGE else None
    context = {
        "currency": currency,
        "currencies": _tabs(owner, currency),
        "holdings": selectors.holdings(owner_ref=owner, currency=currency),
        "movements": movements[:PAGE],
        "older": older,
        "first_page": not before,
    }
    return render(request, "ledger/statement.html", context)


def _tabs(owner: int, current: str) -> list[dict[str, object]]:
    balances = selectors.wallet_balances(owner_ref=owner)
    return [
        {"code": code, "name": name, "balance": balances[code], "current": code == current}
        for code, name in CURRENCY_NAMES.items()
    ]
