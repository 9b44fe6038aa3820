"""The players' side: becoming an agent, saying yes or no to one, leaving one. Thin."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from liuzhou.accounts.agents import applying, bonds
from liuzhou.accounts.agents.bars import bars
from liuzhou.accounts.agents.forms import ApplyForm
from liuzhou.accounts.agents.kept import kept
from liuzhou.accounts.agents.models import Agent
from liuzhou.accounts.agents.progress import DAYS, progress
from liuzhou.accounts.errors import AccountError
from liuzhou.accounts.pages import player, sentence


@login_required
@never_cache
@require_safe
def agency(request: HttpRequest) -> HttpResponse:
    """The rule and how far one is, the state of the application, one's agent, invitations."""
    user = player(request)
    found = progress(user_id=user.pk)
    context: dict[str, Any] = {
        "tab": "agency",
        "progress": found,
        "bars": bars(found),
        "days": DAYS,
        "agency": Agent.objects.filter(user=user).first(),
        "application": user.agent_applications.order_by("-pk").first(),
        "form": ApplyForm(),
        "mine": bonds.agent_of(user),
        "invitations": bonds.invitations(user),
    }
    return render(request, "agents/agency.html", context)


@login_required
@require_POST
def apply(request: HttpRequest) -> HttpResponse:
    form = ApplyForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("说明太长：最多 200 字。"))
        return redirect("agency")
    user = player(request)
    work = lambda: applying.apply(user=user, note=form.cleaned_data["note"])  # noqa: E731
    return _did(request, "agency-apply", work, _("申请已提交，等管理员审批。"))


@login_required
@require_POST
def withdraw(request: HttpRequest) -> HttpResponse:
    user = player(request)
    return _did(request, "agency-withdraw", lambda: applying.withdraw(user=user), _("申请已撤回。"))


@login_required
@require_POST
def answer(request: HttpRequest, bond: int) -> HttpResponse:
    """Yes or no to an agent who asked by player number."""
    user = player(request)
    if request.POST.get("answer") == "yes":
        return _did(request, "bond-accept", lambda: bonds.accept(player=user, bond=bond), _("已绑定代理。"))
    return _did(request, "bond-decline", lambda: bonds.decline(player=user, bond=bond), _("已谢绝。"))


@login_required
@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    user = player(request)
    return _did(request, "bond-leave", lambda: bonds.leave(player=user), _("已离开代理。"))


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation link: who asks, what it means, yes or no. Nothing is bound by opening it."""
    user = player(request)
    if request.method == "POST":
        if request.POST.get("answer") != "yes":
            messages.info(request, _("没有绑定。"))
            return redirect("lobby")
        return _did(request, "bond-accept", lambda: bonds.join(player=user, token=token), _("已绑定代理。"))
    agent = bonds.active_agent(token)
    current = bonds.agent_of(user)
    context = {
        "agent": agent,
        "token": token,
        "current": current,
        "own": agent is not None and agent.user_id == user.pk,
    }
    return render(request, "agents/invitation.html", context, status=404 if agent is None else 200)


def _did(request: HttpRequest, action: str, work: Callable[[], Any], said: str) -> HttpResponse:
    """Do it, keep it in the trail, say so or why not, and back to the page."""
    try:
        kept(request, action, player(request), work)
    except AccountError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, said)
    return redirect("agency")
