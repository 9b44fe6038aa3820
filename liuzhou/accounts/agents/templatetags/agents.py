"""What the lobby says of agencies: an invitation that waits, and the way to one's desk."""

from typing import Any

from django import template

from liuzhou.accounts.agents import bonds
from liuzhou.accounts.agents.models import Agent
from liuzhou.accounts.models import User

register = template.Library()


@register.inclusion_tag("agents/_lobby.html", takes_context=True)
def agency_strip(context: dict[str, Any]) -> dict[str, Any]:
    """Nothing for guests, and for players whom nobody asked."""
    user = context["request"].user
    if not isinstance(user, User):
        return {}
    own = user.is_staff and Agent.objects.filter(user=user, state=Agent.State.ACTIVE).exists()
    return {"own": own, "invited": bonds.invitations(user).exists()}
