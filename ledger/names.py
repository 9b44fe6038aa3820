"""Who an owner number is: names for the pages, and owners for what somebody typed. Works with any user model."""

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Q

FOUND = 50  # at most so many owners for one search


def names_of(owners: Iterable[int | None]) -> dict[int, str]:
    """What each owner is called, with the public number where there is one; `#id` for an account that is gone."""
    wanted = {owner for owner in owners if owner}
    names = {owner: f"#{owner}" for owner in wanted}
    for user in get_user_model()._default_manager.filter(pk__in=wanted):
        name = getattr(user, "display_name", "") or user.get_username()
        number = getattr(user, "number", "")
        names[user.pk] = f"{name} ({number})" if number else name
    return names


def find_owners(text: str) -> list[int]:
    """The owners a text may mean: `#id`, a player number, or (a part of) a name."""
    text = text.strip()
    if text.startswith("#") and text[1:].isdecimal():
        return [int(text[1:])]
    users = get_user_model()._default_manager
    exact = Q()
    for field in ("number", "username", "nickname"):
        exact |= _lookup(field, "iexact", text)
    found = list(users.filter(exact).values_list("pk", flat=True)[:FOUND])
    if found:
        return found
    part = _lookup("username", "icontains", text) | _lookup("nickname", "icontains", text)
    return list(users.filter(part).values_list("pk", flat=True)[:FOUND])


def _lookup(field: str, how: str, text: str) -> Q:
    try:
        get_user_model()._meta.get_field(field)
    except FieldDoesNotExist:
        return Q(pk__in=[])
    return Q(**{f"{field}__{how}": text})
