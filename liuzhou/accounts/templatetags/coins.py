"""What a page shows of the coins the house gives."""

from typing import Any

from django import template

from liuzhou.accounts import coins
from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.models import User

register = template.Library()


@register.inclusion_tag("accounts/_coins.html", takes_context=True)
def coin_gifts(context: Any) -> dict[str, Any]:
    """The sign-in's seven days and the relief, with their buttons; nothing for guests."""
    request = context["request"]
    if not isinstance(request.user, User):
        return {}
    today = day_of(database_now())
    signed = coins.sign_in_state(user_id=request.user.pk, today=today)
    days = [
        {"day": day, "coins": amount, "done": day < signed.day or (day == signed.day and signed.done), "today": day == signed.day}
        for day, amount in enumerate(signed.week, 1)
    ]  # fmt: skip
    relief = coins.relief_state(user_id=request.user.pk, today=today)
    return {"request": request, "signed": signed, "days": days, "relief": relief, "csrf_token": context["csrf_token"]}
