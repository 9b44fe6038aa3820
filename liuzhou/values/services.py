"""Reading a value costs nothing: a process asks the database once a second (setting VALUES_SECONDS) for all of them. So a
change holds everywhere within a second. Changing one keeps who, why, and what it was before."""

import logging
import time
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from liuzhou.values.errors import BadValue, NoReason, Unchanged
from liuzhou.values.models import Change
from liuzhou.values.schema import VALUES, check_together

log = logging.getLogger(__name__)

REASON_LENGTH = 200
_known: tuple[float, dict[str, Any]] | None = None


def get(name: str) -> Any:
    """What holds now: the last change, or the deployment's setting."""
    changed = _changed()
    return changed[name] if name in changed else VALUES[name].default()


def current() -> dict[str, Any]:
    """All values, read anew."""
    changed = _read()
    return {name: changed[name] if name in changed else value.default() for name, value in VALUES.items()}


def change(*, name: str, given: object, by: Any, reason: str) -> Change:
    """Set a value (None: back to the deployment's setting) from now on. BadValue, Unchanged, NoReason."""
    reason = cleaned(reason)
    value = VALUES[name]
    new = None if given is None else value.parse(given)
    with transaction.atomic():
        _one_at_a_time()
        stored = _read()
        if (new is None and name not in stored) or (new is not None and stored.get(name, value.default()) == new):
            raise Unchanged(name)
        together = {one: stored[one] if one in stored else VALUES[one].default() for one in VALUES}
        old = together[name]
        check_together({**together, name: value.default() if new is None else new}, name)
        kept = Change.objects.create(name=name, old=old, new=new, by=by, reason=reason)
        transaction.on_commit(forget)
    return kept


def note(*, name: str, old: object, new: object, by: Any, reason: str) -> Change:
    """Keep a change of something that lives elsewhere (a room's price) in the same history."""
    return Change.objects.create(name=name, old=old, new=new, by=by, reason=cleaned(reason))


def history(name: str, limit: int = 50) -> list[Change]:
    """A value's changes, newest first."""
    return list(Change.objects.filter(name=name).select_related("by").order_by("-pk")[:limit])


def cleaned(reason: str) -> str:
    reason = reason.strip()
    if not reason or len(reason) > REASON_LENGTH:
        raise NoReason
    return reason


def forget() -> None:
    """Read anew at the next question."""
    global _known
    _known = None


def _changed() -> dict[str, Any]:
    global _known
    seconds = settings.VALUES_SECONDS
    if seconds is None:  # the settings alone
        return {}
    now = time.monotonic()
    if _known is None or now - _known[0] >= seconds:
        _known = (now, _read())
    return _known[1]


def _read() -> dict[str, Any]:
    rows = Change.objects.filter(name__in=VALUES).order_by("name", "-pk").distinct("name").values_list("name", "new")
    return {name: parsed for name, new in rows if new is not None and (parsed := _parsed(name, new)) is not None}


def _parsed(name: str, stored: object) -> Any:
    """A stored value; one that a newer release does not allow any more counts for nothing."""
    try:
        return VALUES[name].parse(stored)
    except BadValue as error:
        log.warning("stored value ignored: %s", error)
        return None


def _one_at_a_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('liuzhou.values'))")
