"""The fairness desk in Django admin: the queue of flags, and the pages of a flag, a player, a pair. For admins with the right
alone; each look at somebody and each decision goes to the trail."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts.models import User
from liuzhou.accounts.staff import is_admin
from liuzhou.fairness import decisions, pages, rebuilding, words
from liuzhou.fairness.decisions import DecisionError
from liuzhou.fairness.models import Flag
from liuzhou.read_only import ReadOnly
from liuzhou.trail import services as trail

VIEW, DECIDE = "fairness.view_flag", "fairness.decide_flag"


def may(request: HttpRequest, permission: str) -> bool:
    """Agents never, whatever they were given."""
    return is_admin(request.user) and request.user.has_perm(permission)


def check(request: HttpRequest, permission: str) -> None:
    if not may(request, permission):
        raise PermissionDenied


class DecisionForm(forms.Form):
    """What an admin makes of a flag. `seen` is the number of decisions the page showed."""

    verdict = forms.ChoiceField(
        label=_("结论"), choices=[(each, Flag.State(each).label) for each in Flag.DECIDED], widget=forms.RadioSelect
    )
    reason = forms.CharField(
        label=_("理由"), max_length=decisions.REASON_LENGTH, widget=forms.Textarea({"rows": 3, "cols": 60})
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class StateFilter(admin.SimpleListFilter):
    """The queue shows what waits for somebody, unless asked for more."""

    title = _("状态")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("all", _("全部")), *[(state.value, state.label) for state in Flag.State if state != Flag.State.OPEN]]

    def choices(self, changelist: Any) -> Any:
        yield {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": Flag.State.OPEN.label,
        }
        for value, title in self.lookup_choices:
            yield {
                "selected": self.value() == value,
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": title,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Flag]) -> QuerySet[Flag]:
        if self.value() == "all":
            return queryset
        return queryset.filter(state=self.value() or Flag.State.OPEN)


@admin.register(Flag)
class FlagAdmin(ReadOnly):
    change_list_template = "admin/fairness/queue.html"
    list_display = ("what", "said", "points", "state", "days", "updated_at")
    list_display_links = ("what",)
    list_filter = (StateFilter, "kind")
    search_fields = (
        "one__number",
        "other__number",
        "one__nickname",
        "other__nickname",
        "one__username",
        "other__username",
    )
    search_help_text = _("玩家号、昵称或用户名")
    list_select_related = ("one", "other")
    list_per_page = 30
    actions = None
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    # ---- Who may ------------------------------------------------------------------------------

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may(request, VIEW)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, VIEW)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("player/<slug:number>/", wrap(self.player), name="fairness_player"),
            path("pair/<slug:number>/<slug:other>/", wrap(self.pair), name="fairness_pair"),
            path("find/", wrap(self.find), name="fairness_find"),
            path("<int:flag_id>/decide/", wrap(self.decide), name="fairness_decide"),
            *super().get_urls(),
        ]

    # ---- The queue ----------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[Flag]:
        waiting = Case(When(state=Flag.State.OPEN, then=Value(0)), default=Value(1), output_field=IntegerField())
        return super().get_queryset(request).annotate(waiting=waiting).order_by("waiting", "-score", "-pk")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        check(request, VIEW)
        if wanted := _typed(request, "q"):
            trail.record(request, "fairness-search", text=wanted)
        extra = {
            "title": gettext("疑点"),
            "progress": rebuilding.state(),
            "remaining": rebuilding.remaining(),
            "period": pages.period(),
        }
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    @admin.display(description=_("疑点"), ordering="kind")
    def what(self, flag: Flag) -> SafeString:
        names = flag.one.display_name if flag.other is None else f"{flag.one.display_name} ← {flag.other.display_name}"
        return format_html("{} {}", flag.get_kind_display(), names)

    @admin.display(description=_("说明"))
    def said(self, flag: Flag) -> str:
        return pages.said_of(flag)

    @admin.display(description=_("证据分"), ordering="score")
    def points(self, flag: Flag) -> str:
        return words.shown_score(flag.score)

    @admin.display(description=_("期间"), ordering="first_day")
    def days(self, flag: Flag) -> str:
        return f"{flag.first_day:%Y-%m-%d} – {flag.last_day:%m-%d}"

    # ---- Pages --------------------------------------------------------------------------------

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        check(request, VIEW)
        flag = get_object_or_404(Flag.objects.select_related("one", "other"), pk=_number(object_id))
        trail.record(request, "fairness-flag", flag)
        return self._flag_page(request, flag, None)

    def _flag_page(self, request: HttpRequest, flag: Flag, form: DecisionForm | None) -> HttpResponse:
        past = list(flag.decisions.select_related("by"))
        if form is None:
            form = DecisionForm(initial={"seen": len(past)})
        return self._render(
            request,
            "flag",
            f"{flag.get_kind_display()} #{flag.pk}",
            flag=flag,
            said=pages.said_of(flag),
            odds=words.odds(flag.score),
            score=words.shown_score(flag.score),
            past=[(each, pages.said_of_decision(flag, each.evidence)) for each in past],
            form=form if may(request, DECIDE) else None,
        )

    def decide(self, request: HttpRequest, flag_id: int) -> HttpResponse:
        """Posted by the flag's page."""
        check(request, VIEW)
        check(request, DECIDE)
        flag = get_object_or_404(Flag.objects.select_related("one", "other"), pk=flag_id)
        if request.method != "POST":
            return redirect("admin:fairness_flag_change", flag_id)
        form = DecisionForm(request.POST)
        if form.is_valid() and self._decided(request, flag, form):
            messages.success(request, gettext("已记录。只有之后出现的新证据才会让它再次进入待处理。"))
            return redirect("admin:fairness_flag_changelist")
        return self._flag_page(request, flag, form)

    def _decided(self, request: HttpRequest, flag: Flag, form: DecisionForm) -> bool:
        assert isinstance(request.user, User)  # `check` has seen to it
        try:
            made = decisions.decide(flag_id=flag.pk, by=request.user, **form.cleaned_data)
        except DecisionError as error:
            form.add_error(None, error.text(get_language() or "zh-hans"))
            return False
        trail.record(request, "fairness-decide", flag, verdict=made.verdict, reason=made.reason, decision=made.pk)
        return True

    def player(self, request: HttpRequest, number: str) -> HttpResponse:
        check(request, VIEW)
        player = get_object_or_404(User, number=number)
        trail.record(request, "fairness-player", player)
        page = pages.player_page(player, _weeks(request))
        return self._render(request, "player", player.display_name, page=page, cards=_cards(page.flags))

    def pair(self, request: HttpRequest, number: str, other: str) -> HttpResponse:
        check(request, VIEW)
        one, two = get_object_or_404(User, number=number), get_object_or_404(User, number=other)
        if one == two:
            return redirect("admin:fairness_player", number)
        trail.record(request, "fairness-pair", one, other=two.pk)
        trail.record(request, "fairness-pair", two, other=one.pk)
        page = pages.pair_page(one, two, _weeks(request))
        title = f"{page.one.display_name} – {page.other.display_name}"
        return self._render(request, "pair", title, page=page, cards=_cards(page.flags))

    def find(self, request: HttpRequest) -> HttpResponse:
        """A player by one word, a pair by two; where a word means several, they are listed."""
        check(request, VIEW)
        wanted = [_typed(request, name) for name in ("one", "other")]
        if not any(wanted):
            return redirect("admin:fairness_flag_changelist")
        trail.record(request, "fairness-search", text=" ".join(wanted).strip())
        found = [pages.search(text) if text else [] for text in wanted]
        if all(len(users) == 1 for users in found):
            return redirect("admin:fairness_pair", found[0][0].number, found[1][0].number)
        if sorted(map(len, found)) == [0, 1] and "" in wanted:
            return redirect("admin:fairness_player", next(users[0].number for users in found if users))
        return self._render(
            request, "find", gettext("查找玩家"), wanted=wanted, found=list(zip(wanted, found, strict=True))
        )

    def _render(self, request: HttpRequest, template: str, title: str, **values: Any) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **values}
        return render(request, f"admin/fairness/{template}.html", context)


def _typed(request: HttpRequest, name: str) -> str:
    """What somebody typed into a search box, as the database can take it."""
    return request.GET.get(name, "").replace("\x00", "").strip()[:80]


def _weeks(request: HttpRequest) -> int:
    wanted = request.GET.get("weeks", "")
    return int(wanted) if wanted in ("1", "4", "12") else 0


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0


def _cards(flags: list[Flag]) -> list[dict[str, Any]]:
    return [
        {
            "flag": flag,
            "said": pages.said_of(flag),
            "url": reverse("admin:fairness_flag_change", args=[flag.pk]),
            "score": words.shown_score(flag.score),
        }
        for flag in flags
    ]
