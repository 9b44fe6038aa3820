"""The pages 战绩 and 排行榜. Thin: read the query, ask the selectors, render."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.models import User
from liuzhou.rules.patterns import TYPE_NAMES
from rooms import my_records, rankings, record_charts

PRESETS = {"classic": gettext_lazy("经典"), "baike": gettext_lazy("传统"), "tiantian": gettext_lazy("天天")}
KINDS = {"room": gettext_lazy("房间"), "coins": gettext_lazy("金币场"), "practice": gettext_lazy("练习")}
_ANY = [("", gettext_lazy("全部"))]
LARGEST_ID = 2**63 - 1


def type_name(kind: str) -> str:
    """A type of win in the page's language."""
    zh, en = TYPE_NAMES.get(kind, ("基本胡", "Basic win"))
    return en if (get_language() or "").startswith("en") else zh


class Filters(forms.Form):
    """Which hands are shown."""

    since = forms.DateField(label=gettext_lazy("从"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=gettext_lazy("到"), required=False, widget=forms.DateInput({"type": "date"}))
    preset = forms.ChoiceField(label=gettext_lazy("玩法"), required=False, choices=[*_ANY, *PRESETS.items()])
    kind = forms.ChoiceField(label=gettext_lazy("场次"), required=False, choices=[*_ANY, *KINDS.items()])
    before = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        found = self.cleaned_data
        if found.get("since") and found.get("until") and found["since"] > found["until"]:
            self.add_error("until", _("结束日期早于开始日期。"))
        return found

    @property
    def wanted(self) -> my_records.Wanted:
        found = self.cleaned_data
        return my_records.Wanted(found["since"], found["until"], found["preset"], found["kind"])

    def query(self, **more: object) -> str:
        """The filters as a query string, for links to the same hands."""
        made = QueryDict(mutable=True)
        for name in ("since", "until", "preset", "kind"):
            if value := self.cleaned_data.get(name):
                made[name] = str(value)
        for name, value in more.items():
            made[name] = str(value)
        return made.urlencode()


def _player(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise TypeError("this page needs a signed-in player")
    return request.user


@login_required
@require_safe
def records(request: HttpRequest) -> HttpResponse:
    """My hands, newest first, under their rooms."""
    form = Filters(request.GET)
    if not form.is_valid():
        return render(request, "records/records.html", {"form": form, "tab": "records"}, status=400)
    before = form.cleaned_data["before"]
    page = my_records.page(user=_player(request), wanted=form.wanted, before=before)
    context = {
        "form": form,
        "tab": "records",
        "query": form.query(),
        "sheets": [(sheet, [_told(line) for line in sheet.lines]) for sheet in page.sheets],
        "presets": PRESETS,
        "kinds": KINDS,
        "newest": form.query() if before else None,
        "older": form.query(before=page.older) if page.older else None,
    }
    return render(request, "records/records.html", context)


def _told(line: my_records.Line) -> tuple[my_records.Line, str, str]:
    """A line with what happened, and the types of the win, in words."""
    return line, _what(line), _types(line)


def _what(line: my_records.Line) -> str:
    if line.outcome is None:
        return _("作废") if line.state == "void" else _("中途解散")
    if line.outcome.won:
        return {True: _("自摸"), False: _("胡牌")}.get(bool(line.outcome.drawn), "")
    return _("点炮") if line.outcome.dealt_in else ""


def _types(line: my_records.Line) -> str:
    return " ".join(type_name(kind) for kind in line.outcome.types) if line.outcome else ""


@login_required
@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """What my hands come to."""
    form = Filters(request.GET)
    if not form.is_valid():
        return render(request, "records/statistics.html", {"form": form, "tab": "statistics"}, status=400)
    found = my_records.statistics(user=_player(request), wanted=form.wanted)
    names = {"wins": _("胡牌"), "drawn": _("自摸"), "dealt_in": _("点炮")}
    presets = [
        {"name": PRESETS.get(preset, preset), "tally": tally, "rates": record_charts.rates(tally.rates, names)}
        for preset, tally in sorted(found.presets.items(), key=lambda item: -item[1].hands)
    ]
    context = {
        "form": form,
        "tab": "statistics",
        "query": form.query(),
        "found": found,
        "rates": record_charts.rates(found.total.rates, names),
        "presets": presets,
        "course": record_charts.course(found.course),
    }
    return render(request, "records/statistics.html", context)


TABS = {
    "day": gettext_lazy("今日"),
    "week": gettext_lazy("本周"),
    "all": gettext_lazy("总榜"),
    "hands": gettext_lazy("本周大牌"),
}


@login_required
@require_safe
def leaderboard(request: HttpRequest) -> HttpResponse:
    """积分 of a period, with one's own place, or the week's big hands."""
    tab = request.GET.get("by", "day")
    tab = tab if tab in TABS else "day"
    today = day_of(database_now())
    context: dict[str, Any] = {"tab": tab, "tabs": TABS, "presets": PRESETS}
    if tab == "hands":
        context["hands"] = [(one, " ".join(map(type_name, one.types))) for one in rankings.big_hands(today=today)]
    else:
        context["board"] = rankings.board(period=tab, today=today, viewer=_player(request))
    return render(request, "records/leaderboard.html", context)
