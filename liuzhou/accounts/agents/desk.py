"""The agent's desk 代理工作台, inside the admin pages: each page knows whose it is and takes the fields it names, no others."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from ledger.errors import LedgerError
from liuzhou.accounts.agents import bonds, handing, months, orders, sheet_pages
from liuzhou.accounts.agents.errors import NoSuchPlayer, TooManyInvitations
from liuzhou.accounts.agents.forms import HandoverForm, InviteForm, OrderForm
from liuzhou.accounts.agents.invitation import drawn, link_of
from liuzhou.accounts.agents.kept import kept
from liuzhou.accounts.agents.models import Agent, Bond, Handover
from liuzhou.accounts.days import database_now, day_of, start_of
from liuzhou.accounts.errors import AccountError
from liuzhou.accounts.staff import is_agent
from liuzhou.trail import services as trail
from liuzhou.trail.models import Trail

PAGE = 40
LATEST = 6
MISSED, MISSES = "agent-invite-miss", 20


class Page(NamedTuple):
    """`fields` are what may be posted; None: nothing can be."""

    name: str
    route: str
    view: Callable[..., HttpResponseBase]
    fields: frozenset[str] | None = None


def current(request: HttpRequest) -> Agent:
    """The agency of whoever asks; 403 for anybody else, suspended agents among them."""
    agent = Agent.objects.filter(user=request.user.pk, state=Agent.State.ACTIVE).select_related("user").first()
    if agent is None or not is_agent(request.user):
        raise PermissionDenied
    return agent


def entered(page: Page) -> Callable[..., HttpResponseBase]:
    """The page behind its own door: a field nobody asked for is a forgery, refused (and recorded) whatever its value."""

    def run(request: HttpRequest, **values: Any) -> HttpResponseBase:
        agent = current(request)
        if request.method == "POST":
            if page.fields is None or set(request.POST) - page.fields - {"csrfmiddlewaretoken"} or request.FILES:
                raise PermissionDenied
        elif request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "POST"])
        return page.view(request, agent, **values)

    return run


def urls(site: admin.AdminSite) -> list[URLPattern]:
    """The desk's pages under the ModelAdmin of agents."""
    return [
        path(f"desk/{page.route}", site.admin_view(entered(page)), name=f"agents_desk_{page.name}") for page in PAGES
    ]


def shown(
    request: HttpRequest, template: str, title: str, context: dict[str, Any], agent: Agent, status: int = 200
) -> HttpResponse:
    """A page with the desk's frame."""
    frame = {**admin.site.each_context(request), "title": title, "agent": agent, "desk": True}
    return render(request, f"admin/agents/{template}.html", {**frame, **context}, status=status)


def sentence(error: AccountError | LedgerError) -> str:
    return error.text(get_language() or "zh-hans")


def home(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Balance, this month, what is open, the latest."""
    context = {
        "stock": handing.stock(agent),
        "month": months.month_of(agent, months.this_month()),
        "players": agent.bonds.filter(state=Bond.State.ACTIVE).count(),
        "asked": agent.bonds.filter(state=Bond.State.OFFERED).count(),
        "open_orders": agent.orders.filter(state__in=("open", "waiting")).order_by("-pk"),
        "latest": agent.handovers.select_related("player").order_by("-pk")[:LATEST],
    }
    return shown(request, "home", _("代理工作台"), context, agent)


# ---- Players -------------------------------------------------------------------------------------
def players(request: HttpRequest, agent: Agent, form: InviteForm | None = None) -> HttpResponse:
    """The agent's own players, found by number or name, and those who have not answered yet."""
    wanted = request.GET.get("q", "").strip()[:40]
    mine = agent.bonds.filter(state=Bond.State.ACTIVE).select_related("player").order_by("-answered_at")
    if wanted:
        mine = mine.filter(Q(player__number=wanted) | Q(player__nickname__icontains=wanted))
    context = {
        "bonds": mine[:200],
        "asked": agent.bonds.filter(state=Bond.State.OFFERED).select_related("player").order_by("-pk"),
        "q": wanted,
        "form": form or InviteForm(),
        "stock": handing.stock(agent),
    }
    return shown(request, "players", _("我的玩家"), context, agent, 400 if form and form.errors else 200)


def invite(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Ask a player by number."""
    form = InviteForm(request.POST or None)
    if request.method != "POST":
        return redirect("admin:agents_desk_players")
    if form.is_valid():
        number = form.cleaned_data["number"]
        try:
            _check_misses(agent)
            kept(request, "agent-invite", agent, lambda: bonds.invite(agent=agent, number=number), number=number)
        except AccountError as error:
            if isinstance(error, NoSuchPlayer):
                trail.record(request, MISSED, agent, number=number)
            form.add_error("number", sentence(error))
        else:
            messages.success(request, _("已邀请玩家 %(number)s，等对方同意。") % {"number": number})
            return redirect("admin:agents_desk_players")
    return players(request, agent, form)


def _check_misses(agent: Agent) -> None:
    """Player numbers are not found out by trying: so many that are nobody's a day, and no more."""
    today = start_of(day_of(database_now()))
    if Trail.objects.filter(actor=agent.user, action=MISSED, at__gte=today).count() >= MISSES:
        raise TooManyInvitations(limit=MISSES)


def release(request: HttpRequest, agent: Agent, bond: int) -> HttpResponse:
    """Take an invitation back, or part from a player: a page that asks, then the deed."""
    _own(agent, bond)
    found = agent.bonds.select_related("player").get(pk=bond)
    if request.method != "POST":
        return shown(request, "release", _("解除绑定"), {"bond": found}, agent)
    try:
        kept(request, "agent-release", found, lambda: bonds.release(agent=agent, bond=bond))
    except AccountError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, _("已解除。"))
    return redirect("admin:agents_desk_players")


def link(request: HttpRequest, agent: Agent) -> HttpResponse:
    """The invitation link, as text and as a picture; another one on demand."""
    if request.method == "POST":
        kept(request, "agent-link", agent, lambda: bonds.renew_link(agent=agent))
        messages.success(request, _("已换新链接，旧链接失效。"))
        return redirect("admin:agents_desk_link")
    return shown(request, "link", _("邀请链接"), {"link": link_of(request, agent)}, agent)


def picture(request: HttpRequest, agent: Agent) -> HttpResponse:
    return HttpResponse(drawn(link_of(request, agent)), content_type="image/svg+xml")


# ---- Handing over --------------------------------------------------------------------------------
def handover(request: HttpRequest, agent: Agent) -> HttpResponse:
    """How many, to whom; the form leads to the page that shows it all once more."""
    wanted = request.GET.get("bond", "")
    if not (wanted.isdecimal() and len(wanted) < 19):
        return redirect("admin:agents_desk_players")
    _own(agent, int(wanted))
    form = HandoverForm(initial={"bond": int(wanted), "amount": request.GET.get("amount", "")[:7]})
    return _amount_page(request, agent, int(wanted), form)


def _amount_page(request: HttpRequest, agent: Agent, bond: int, form: HandoverForm) -> HttpResponse:
    try:
        found = handing.own_bond(agent, bond)
    except AccountError as error:  # invited and not bound, or gone meanwhile: not even the name is shown
        messages.error(request, sentence(error))
        return redirect("admin:agents_desk_players")
    context = {"form": form, "bond": found, "stock": handing.stock(agent)}
    return shown(request, "handover", _("转卡"), context, agent, 400 if form.errors else 200)


def carry_out(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Everything once more, before anything is done; posted, the deed, once however often the button is pressed, and the
    receipt. The page before the deed is a GET: going back to it leads on to the receipt."""
    form = HandoverForm(request.POST if request.method == "POST" else request.GET)
    bond = _bond_of(agent, form)
    if not form.is_valid():
        return _amount_page(request, agent, bond, form)
    amount, token = form.cleaned_data["amount"], form.cleaned_data["token"]
    try:
        if request.method == "POST":
            return _handed_over(request, agent, bond, amount, token)
        if known := handing.done_with(agent=agent, token=token):
            return _done_before(request, known)
        found = handing.check(agent=agent, bond=bond, amount=amount)
    except (AccountError, LedgerError) as error:
        form.add_error("amount", sentence(error))
        return _amount_page(request, agent, bond, form)
    held = handing.stock(agent)
    context = {"form": form, "bond": found, "amount": amount, "stock": held, "left": held - amount}
    return shown(request, "confirm", _("确认转卡"), context, agent)


def _handed_over(request: HttpRequest, agent: Agent, bond: int, amount: int, token: str) -> HttpResponse:
    found, created = kept(
        request,
        "agent-handover",
        agent,
        lambda: handing.hand_over(agent=agent, bond=bond, amount=amount, token=token),
        when=lambda done: done[1],
        bond=bond,
        amount=amount,
    )
    if not created:
        return _done_before(request, found)
    messages.success(request, _("转卡成功。"))
    return redirect("admin:agents_desk_receipt", found.pk)


def _done_before(request: HttpRequest, known: Handover) -> HttpResponse:
    messages.info(request, _("这张单子之前已经办好，没有重复转卡。"))
    return redirect("admin:agents_desk_receipt", known.pk)


def _bond_of(agent: Agent, form: HandoverForm) -> int:
    """The bond the form names, which must be, or have been, the agent's own; another's is a forgery."""
    text = form.data.get("bond", "")
    number = int(text) if text.isdecimal() and len(text) < 19 else 0
    _own(agent, number)
    return number


def _own(agent: Agent, bond: int) -> None:
    if not agent.bonds.filter(pk=bond).exists():
        raise PermissionDenied


def receipt(request: HttpRequest, agent: Agent, pk: int) -> HttpResponse:
    """What was handed to whom, under which number of the ledger."""
    found = agent.handovers.select_related("player").filter(pk=pk).first()
    if found is None:
        raise PermissionDenied
    bond = agent.bonds.filter(player=found.player, state=Bond.State.ACTIVE).first()
    context = {"handover": found, "stock": handing.stock(agent), "bond": bond}
    return shown(request, "receipt", _("转卡回单"), context, agent)


# ---- Orders --------------------------------------------------------------------------------------
def order_list(request: HttpRequest, agent: Agent) -> HttpResponse:
    """The agent's orders, and the form of a new one."""
    form = OrderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        asked = form.cleaned_data
        try:
            kept(
                request,
                "order-request",
                agent,
                lambda: orders.request_cards(
                    agent=agent, amount=asked["amount"], token=asked["token"], note=asked["note"]
                ),
                when=lambda done: done[1],
                amount=asked["amount"],
            )
        except AccountError as error:
            form.add_error("amount", sentence(error))
        else:
            messages.success(request, _("进货单已提交，等管理员办理。"))
            return redirect("admin:agents_desk_orders")
    context = {"form": form, "orders": agent.orders.order_by("-pk")[:PAGE], "stock": handing.stock(agent)}
    return shown(request, "orders", _("进货"), context, agent, 400 if form.errors else 200)


def order_cancel(request: HttpRequest, agent: Agent, pk: int) -> HttpResponse:
    if not agent.orders.filter(pk=pk).exists():
        raise PermissionDenied
    if request.method == "POST":
        try:
            kept(request, "order-cancel", f"agents.order:{pk}", lambda: orders.cancel(agent=agent, order=pk))
        except AccountError as error:
            messages.error(request, sentence(error))
        else:
            messages.success(request, _("进货单已取消。"))
    return redirect("admin:agents_desk_orders")


# ---- Movements and the month ---------------------------------------------------------------------
def movements(request: HttpRequest, agent: Agent) -> HttpResponse:
    context = sheet_pages.movements_context(request, agent)
    return shown(request, "movements", _("库存往来"), context, agent)


def sheet(request: HttpRequest, agent: Agent) -> HttpResponse:
    context = {"month": months.month_of(agent, months.parse(request.GET.get("month", "")))}
    return shown(request, "sheet", _("月报"), context, agent)


def sheet_csv(request: HttpRequest, agent: Agent) -> HttpResponseBase:
    return sheet_pages.csv_response(request, agent)


PAGES = (
    Page("home", "", home),
    Page("players", "players/", players),
    Page("invite", "players/invite/", invite, frozenset({"number"})),
    Page("release", "players/<int:bond>/release/", release, frozenset()),
    Page("link", "link/", link, frozenset()),
    Page("qr", "link/qr.svg", picture),
    Page("handover", "handover/", handover),
    Page("carry_out", "handover/do/", carry_out, frozenset({"bond", "amount", "token"})),
    Page("receipt", "handover/<int:pk>/", receipt),
    Page("orders", "orders/", order_list, frozenset({"amount", "note", "token"})),
    Page("order_cancel", "orders/<int:pk>/cancel/", order_cancel, frozenset()),
    Page("movements", "movements/", movements),
    Page("sheet", "sheet/", sheet),
    Page("sheet_csv", "sheet.csv", sheet_csv),
)
