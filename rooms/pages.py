"""The pages that need no account: 算分器 and 规则. Thin: read the query, ask the pure modules, render."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from liuzhou.rules.errors import CaseError
from liuzhou.rules.presets import PRESETS
from rooms.answer import answer_of
from rooms.calculator import Entry, settle_entry
from rooms.calculator_form import ending_fields, option_fields, preset_tabs, seat_fields, text_fields
from rooms.rulebook import comparison, rulebook


@require_safe
def calculator(request: HttpRequest) -> HttpResponse:
    """The form, and under it the settlement of what the query says; a refusal stands at its field (status 400)."""
    entry = Entry.read(dict(request.GET.lists()))
    sent = "go" in request.GET
    if to := request.GET.get("to"):
        return _shortened(entry.with_preset(to) if to in PRESETS else entry, "&edit=1")
    if sent and entry.started:
        return _shortened(entry, "#answer")
    errors: dict[str, str] = {}
    context: dict[str, Any] = {"entry": entry, "errors": errors, "answer": None}
    if sent or entry.started:
        try:
            case, settlement = settle_entry(entry)
        except CaseError as error:
            if "edit" not in request.GET:  # who has only changed the rule set is not done yet
                errors[error.field] = error.text(get_language() or "")
        else:
            context["answer"] = answer_of(entry, case, settlement)
            context["link"] = request.build_absolute_uri(f"{reverse('calculator')}?{entry.query()}")
    context |= {
        "presets": preset_tabs(entry),
        "options": option_fields(entry, errors),
        "ending": ending_fields(entry),
        "seats": seat_fields(entry, errors),
        "texts": text_fields(entry, errors),
        "can_rob": any(choice.value == "robbed_kong" for choice in ending_fields(entry)),
    }
    return render(request, "calculator/calculator.html", context, status=400 if errors else 200)


def _shortened(entry: Entry, more: str = "") -> HttpResponse:
    """On to the address that is shared: the shortest that says the same."""
    return HttpResponseRedirect(f"{reverse('calculator')}?{entry.query()}{more}")


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return render(request, "rules/index.html", {"table": comparison(), "presets": PRESETS.values()})


@require_safe
def rules_of(request: HttpRequest, preset: str) -> HttpResponse:
    if preset not in PRESETS:
        raise Http404
    language = "en" if (get_language() or "").startswith("en") else "zh"
    return render(request, "rules/preset.html", {**rulebook(preset), "language": language})
