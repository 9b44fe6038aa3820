"""What players are told on lobby and table: maintenance first, then the notices of the moment. Each process asks once in
a few seconds."""

import time
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import timezone

from liuzhou.operations.models import Notice
from liuzhou.values import maintenance

SECONDS = 3.0


class Banner(NamedTuple):
    """`key` names it for dismissing: a notice that was changed is a new one. Maintenance is dismissed at a table alone."""

    key: str
    level: str
    text: str


class _Kept(NamedTuple):
    pk: int
    level: str
    zh: str
    en: str
    starts_at: datetime
    ends_at: datetime
    changed_at: datetime


_known: tuple[float, list[_Kept]] | None = None


def banners(lang: str) -> list[Banner]:
    """What to show now, in this language."""
    english = lang.startswith("en")
    state = maintenance.current()
    found = [Banner(f"maintenance.{_stamp(state.since)}", "maintenance", state.text(lang))] if state.on else []
    now = timezone.now()
    for one in _notices(now):
        if one.starts_at <= now < one.ends_at:
            found.append(Banner(f"{one.pk}.{_stamp(one.changed_at)}", one.level, one.en if english else one.zh))
    return found


def _stamp(moment: datetime | None) -> int:
    return int(moment.timestamp()) if moment else 0


def _notices(now: datetime) -> list[_Kept]:
    """Those that have not ended; the ones about to begin too, so that they begin on time."""
    global _known
    if settings.VALUES_SECONDS is None:
        return []
    moment = time.monotonic()
    if _known is None or moment - _known[0] >= min(SECONDS, settings.VALUES_SECONDS * 3):
        rows: Any = Notice.objects.filter(ends_at__gt=now).order_by("starts_at").values_list(*_Kept._fields)
        _known = (moment, [_Kept(*row) for row in rows])
    return _known[1]


def forget() -> None:
    global _known
    _known = None
