"""Agents in Django admin: the admins' side. Rows are read-only; what is done to them are pages of their own, with a reason.

Agents themselves have none of these pages (`door`), only their desk (`desk`), which hangs under the ModelAdmin of agents."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from ledger import sheets
from ledger.errors import LedgerError
from liuzhou.accounts.agents import applying, bars, desk, handing, months, orders, sheet_pages
from liuzhou.accounts.agents.door import by_agent
from liuzhou.accounts.agents.forms import ReasonForm, SureForm
from liuzhou.accounts.agents.kept import kept
from liuzhou.accounts.agents.models import Agent, Application, Bond, Handover, Order
from liuzhou.accounts.agents.progress import DAYS, progress
from liuzhou.accounts.errors import AccountError
from liuzhou.accounts.models import User
from liuzhou.read_only import ReadOnly
from liuzhou.trail import services as trail

PERSON = ("number", "username", "nickname")


class Deed(NamedTuple):
    """Something that can be done to a row: `work(row, admin, reason)`, and what to tell afterwards."""

    title: Any
    permission: str
    form: type[forms.Form]
    work: Callable[[Any, User, str], Any]
    said: Any
    note: Any = ""


class Rows(ReadOnly):
    """Read-only, each look at a row recorded, its deeds behind their permissions. An agent has no rows here at all."""

    actions = None
    list_per_page = 50
    show_full_result_count = False
    change_form_template = "admin/agents/row.html"
    deeds: ClassVar[dict[str, Deed]] = {}

    class Media:
        css = {"all": ["css/agents.css"]}

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not by_agent(request) and super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return not by_agent(request) and super().has_module_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.none() if by_agent(request) else rows

    def get_urls(self) -> list[URLPattern]:
        name = f"agents_{self.opts.model_name}_deed"
        return [
            path("<int:pk>/do/<slug:action>/", self.admin_site.admin_view(self.at_desk), name=name),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is not None and self.has_view_permission(request, row):
            trail.record(request, f"{self.opts.model_name}-view", row)
        tools = self.tools(request, row) if row is not None else []
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "tools": tools})

    def tools(self, request: HttpRequest, row: Any) -> list[dict[str, str]]:
        """The buttons of a row."""
        return [
            {
                "title": str(deed.title),
                "url": reverse(f"admin:agents_{self.opts.model_name}_deed", args=[row.pk, action]),
            }
            for action, deed in self.deeds.items()
            if request.user.has_perm(deed.permission) and self.offers(action, row)
        ]

    def offers(self, action: str, row: Any) -> bool:
        """Whether this deed makes sense for this row now."""
        return True

    def at_desk(self, request: HttpRequest, pk: int, action: str) -> HttpResponse:
        """The form of one deed; posted, one call of a service and its trail."""
        deed = self.deeds.get(action)
        if deed is None or by_agent(request) or not request.user.has_perm(deed.permission):
            raise PermissionDenied
        row = get_object_or_404(self.get_queryset(request), pk=pk)
        form = deed.form(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid() and self._done(request, deed, action, row, form):
            return redirect(f"admin:agents_{self.opts.model_name}_change", pk)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "row": row,
            "form": form,
            "title": deed.title,
            "note": deed.note,
            "about": self.about(row),
        }
        return render(request, "admin/agents/deed.html", context)

    def about(self, row: Any) -> str:
        """What the admin decides about, in a line or a picture."""
        return str(row)

    def _done(self, request: HttpRequest, deed: Deed, action: str, row: Model, form: forms.Form) -> bool:
        assert isinstance(request.user, User)
        by, reason = request.user, form.cleaned_data.get("reason", "")
        try:
            kept(request, f"{self.opts.model_name}-{action}", row, lambda: deed.work(row, by, reason), reason=reason)
        except (AccountError, LedgerError) as error:
            form.add_error(None, error.text(get_language() or "zh-hans"))
            return False
        messages.success(request, str(deed.said))
        return True


class StockedList(ChangeList):
    """The agents of a page with their stocks, asked for at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        held = sheets.agent_stocks([agent.user_id for agent in self.result_list])
        for agent in self.result_list:
            agent.cards = held.get(agent.user_id, 0)


@admin.register(Agent)
class AgentAdmin(Rows):
    list_display = ("person", "number", "state", "stock", "players", "since")
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = tuple(f"user__{name}" for name in PERSON)
    ordering = ("-pk",)
    fields = ("person", "number", "state", "reason", "since", "stock", "players")
    readonly_fields = fields
    deeds: ClassVar[dict[str, Deed]] = {
        "suspend": Deed(
            _("停用代理"),
            "agents.suspend_agent",
            ReasonForm,
            lambda row, by, reason: applying.suspend(agent=row.pk, admin=by, reason=reason),
            _("已停用。"),
            _("停用后立即不能进入管理页面；库存留在账上，玩家的绑定不变。"),
        ),
        "resume": Deed(
            _("恢复代理"),
            "agents.suspend_agent",
            ReasonForm,
            lambda row, by, reason: applying.resume(agent=row.pk, admin=by, reason=reason),
            _("已恢复。"),
        ),
    }

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            *desk.urls(self.admin_site),
            path("<int:pk>/sheet/", wrap(self.sheet), name="agents_agent_sheet"),
            path("<int:pk>/sheet.csv", wrap(self.sheet_csv), name="agents_agent_sheet_csv"),
            path("<int:pk>/movements/", wrap(self.movements), name="agents_agent_movements"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        bound = Count("bonds", filter=Q(bonds__state=Bond.State.ACTIVE))
        return super().get_queryset(request).annotate(bound=bound)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return StockedList

    def offers(self, action: str, row: Agent) -> bool:
        return action == ("suspend" if row.state == Agent.State.ACTIVE else "resume")

    def tools(self, request: HttpRequest, row: Agent) -> list[dict[str, str]]:
        looks = [
            {"title": gettext("月报"), "url": reverse("admin:agents_agent_sheet", args=[row.pk])},
            {"title": gettext("库存往来"), "url": reverse("admin:agents_agent_movements", args=[row.pk])},
        ]
        return looks + super().tools(request, row)

    @admin.display(description=_("代理"), ordering="user__nickname")
    def person(self, agent: Agent) -> str:
        return agent.user.display_name

    @admin.display(description=_("玩家号"), ordering="user__number")
    def number(self, agent: Agent) -> str:
        return agent.user.number

    @admin.display(description=_("库存"))
    def stock(self, agent: Agent) -> str:
        cards = getattr(agent, "cards", None)
        return f"{handing.stock(agent) if cards is None else cards:,}"

    @admin.display(description=_("玩家"), ordering="bound")
    def players(self, agent: Agent) -> int:
        return int(agent.bound)  # type: ignore[attr-defined]

    def _agent(self, request: HttpRequest, pk: int, what: str) -> Agent:
        """The agent an admin looks at; the look is kept."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        agent = get_object_or_404(Agent.objects.select_related("user"), pk=pk)
        trail.record(request, what, agent, query=request.GET.urlencode()[:100])
        return agent

    def sheet(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk, "agent-sheet-view")
        context = {"month": months.month_of(agent, months.parse(request.GET.get("month", "")))}
        return self._shown(request, "sheet", agent, gettext("月报"), context)

    def movements(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk, "agent-movements-view")
        context = sheet_pages.movements_context(request, agent)
        return self._shown(request, "movements", agent, gettext("库存往来"), context)

    def sheet_csv(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return sheet_pages.csv_response(request, get_object_or_404(Agent.objects.select_related("user"), pk=pk))

    def _shown(
        self, request: HttpRequest, template: str, agent: Agent, title: str, context: dict[str, Any]
    ) -> HttpResponse:
        frame = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "agent": agent,
            "title": f"{agent} · {title}",
        }
        return render(request, f"admin/agents/{template}.html", {**frame, **context})


@admin.register(Application)
class ApplicationAdmin(Rows):
    list_display = ("person", "number", "state", "created_at", "best_day", "best_rooms", "decided_by", "decided_at")
    list_filter = ("state",)
    list_select_related = ("user", "decided_by")
    search_fields = tuple(f"user__{name}" for name in PERSON)
    ordering = ("-pk",)
    fields = (
        "person", "number", "note", "state", "created_at", "rooms", "decided_by", "decided_at", "reason", "best_day",
        "best_rooms",
    )  # fmt: skip
    readonly_fields = fields
    deeds: ClassVar[dict[str, Deed]] = {
        "approve": Deed(
            _("批准"),
            "agents.decide_application",
            SureForm,
            lambda row, by, _reason: applying.approve(application=row.pk, admin=by),
            _("已批准，申请人现在是代理。"),
            _("批准后申请人可以进入管理页面的代理工作台，并且不能再坐金币场。"),
        ),
        "reject": Deed(
            _("驳回"),
            "agents.decide_application",
            ReasonForm,
            lambda row, by, reason: applying.reject(application=row.pk, admin=by, reason=reason),
            _("已驳回。"),
            _("申请人会看到原因，可以再次申请。"),
        ),
    }

    def offers(self, action: str, row: Application) -> bool:
        return row.state == Application.State.PENDING

    def about(self, row: Application) -> str:
        return format_html("<p>{} ({})</p>{}", row.user.display_name, row.user.number, self.rooms(row))

    @admin.display(description=_("申请人"), ordering="user__nickname")
    def person(self, application: Application) -> str:
        return application.user.display_name

    @admin.display(description=_("玩家号"), ordering="user__number")
    def number(self, application: Application) -> str:
        return application.user.number

    @admin.display(description=_("近 30 天开房"))
    def rooms(self, application: Application) -> str:
        """How far the applicant is now."""
        found = progress(user_id=application.user_id)
        return render_to_string("agents/_progress.html", {"progress": found, "bars": bars.bars(found), "days": DAYS})


@admin.register(Order)
class OrderAdmin(Rows):
    list_display = ("id", "agent", "amount", "state", "created_at", "decided_by", "decided_at", "entry")
    list_filter = ("state",)
    list_select_related = ("agent__user", "decided_by")
    search_fields = ("=id", *(f"agent__user__{name}" for name in PERSON))
    ordering = ("-pk",)
    fields = (
        "agent", "amount", "note", "state", "created_at", "decided_by", "decided_at", "reason", "proposal_link",
        "entry_link",
    )  # fmt: skip
    readonly_fields = fields
    deeds: ClassVar[dict[str, Deed]] = {
        "issue": Deed(
            _("发货"),
            "agents.issue_order",
            ReasonForm,
            lambda row, by, reason: orders.issue(order=row.pk, admin=by, reason=reason),
            _("已办理。"),
            _("房卡记入代理的库存；数额超过单人权限时，先交另一位管理员复核。"),
        ),
        "reject": Deed(
            _("驳回"),
            "agents.issue_order",
            ReasonForm,
            lambda row, by, reason: orders.reject(order=row.pk, admin=by, reason=reason),
            _("已驳回。"),
            _("代理会看到原因。"),
        ),
    }

    def offers(self, action: str, row: Order) -> bool:
        return row.state == Order.State.OPEN

    def about(self, row: Order) -> str:
        return gettext("%(agent)s 要进 %(amount)s 张房卡。%(note)s") % {
            "agent": row.agent,
            "amount": f"{row.amount:,}",
            "note": row.note,
        }

    @admin.display(description=_("复核申请"))
    def proposal_link(self, order: Order) -> str:
        return _link("admin:ledger_proposal_change", order.proposal)

    @admin.display(description=_("分录"))
    def entry_link(self, order: Order) -> str:
        return _link("admin:ledger_entry_change", order.entry)


def _link(name: str, number: int | None) -> str:
    return format_html('<a href="{}">{}</a>', reverse(name, args=[number]), number) if number else "—"


@admin.register(Bond)
class BondAdmin(Rows):
    list_display = ("id", "agent", "player", "number", "via", "state", "created_at", "answered_at", "ended_at")
    list_filter = ("state", "via")
    list_select_related = ("agent__user", "player")
    search_fields = tuple(f"{who}__{name}" for who in ("agent__user", "player") for name in PERSON)
    ordering = ("-pk",)
    fields = ("agent", "player", "number", "via", "state", "created_at", "answered_at", "ended_at")
    readonly_fields = fields

    @admin.display(description=_("玩家号"), ordering="player__number")
    def number(self, bond: Bond) -> str:
        return bond.player.number


@admin.register(Handover)
class HandoverAdmin(Rows):
    list_display = ("id", "at", "agent", "player", "number", "amount", "entry")
    list_select_related = ("agent__user", "player")
    search_fields = ("=entry", *(f"{who}__{name}" for who in ("agent__user", "player") for name in PERSON))
    date_hierarchy = "at"
    ordering = ("-pk",)
    fields = ("at", "agent", "player", "number", "amount", "entry_link")
    readonly_fields = fields

    @admin.display(description=_("玩家号"), ordering="player__number")
    def number(self, handover: Handover) -> str:
        return handover.player.number

    @admin.display(description=_("分录"))
    def entry_link(self, handover: Handover) -> str:
        return _link("admin:ledger_entry_change", handover.entry)
