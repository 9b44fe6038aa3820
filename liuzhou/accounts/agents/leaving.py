"""What is kept of a player here, when they take their data along or close their account."""

from typing import Any

from django.db.models.functions import Now

from liuzhou.accounts.agents.models import Agent, Application, Bond, Handover
from liuzhou.accounts.models import User


def erase(user: User) -> None:
    """A closed account is nobody's player and no applicant; a suspended agent's players are free."""
    agency = Agent.objects.filter(user=user).first()
    open_ = Bond.objects.filter(state__in=(Bond.State.OFFERED, Bond.State.ACTIVE))
    open_.filter(player=user).update(state=Bond.State.ENDED, ended_at=Now())
    if agency is not None:
        open_.filter(agent=agency).update(state=Bond.State.ENDED, ended_at=Now())
        Agent.objects.filter(pk=agency.pk).update(state=Agent.State.SUSPENDED)
    pending = Application.objects.filter(user=user, state=Application.State.PENDING)
    pending.update(state=Application.State.WITHDRAWN, decided_at=Now())
    Application.objects.filter(user=user).update(note="")


def exported(user: User) -> dict[str, Any]:
    """The player's applications, agents and cards received; of an agency what it ordered and handed out."""
    bonds = Bond.objects.filter(player=user).select_related("agent__user").order_by("pk")
    received = Handover.objects.filter(player=user).order_by("pk")
    agency = Agent.objects.filter(user=user).first()
    return {
        "applications": [
            {"note": one.note, "state": one.state, "reason": one.reason, "at": one.created_at.isoformat()}
            for one in user.agent_applications.order_by("pk")
        ],
        "agents": [
            {"agent": one.agent.user.number, "state": one.state, "at": one.created_at.isoformat()} for one in bonds
        ],
        "received": [{"cards": one.amount, "entry": one.entry, "at": one.at.isoformat()} for one in received],
        "agency": agency and {
            "since": agency.since.isoformat(),
            "state": agency.state,
            "orders": list(agency.orders.order_by("pk").values("pk", "amount", "state", "note", "entry")),
            "handovers": list(agency.handovers.order_by("pk").values("player__number", "amount", "entry")),
        },
    }  # fmt: skip
