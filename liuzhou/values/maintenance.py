"""Maintenance: no room opens and no hand starts; hands that run are played to their end. Known to every process within a
second (setting VALUES_SECONDS)."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from liuzhou.values.errors import BadValue, Unchanged
from liuzhou.values.models import Maintenance
from liuzhou.values.services import _one_at_a_time, cleaned

TEXT_LENGTH = 200


@dataclass(frozen=True, slots=True)
class State:
    """`since`: when it last changed; for a site that never was under maintenance None."""

    on: bool = False
    zh: str = ""
    en: str = ""
    until: datetime | None = None
    since: datetime | None = None

    def text(self, lang: str) -> str:
        """What players are told."""
        english = lang.startswith("en")
        until = f"{timezone.localtime(self.until):%m-%d %H:%M}" if self.until else ""
        if english:
            what, when = self.en or "The site is under maintenance", f" Expected back {until}." if until else ""
            return f"{what.rstrip('.')}. No new rooms or hands; running hands finish.{when}"
        what, when = self.zh or "系统维护中", f"预计 {until} 恢复。" if until else ""
        return f"{what.rstrip('。')}。暂不能开新房间和新牌局，进行中的牌局会打完。{when}"


class UnderMaintenance(Exception):
    """Refused because of maintenance; `text(lang)` says until when."""

    code = "maintenance"

    def __init__(self, state: State) -> None:
        super().__init__(self.code)
        self.state = state

    def text(self, lang: str) -> str:
        return self.state.text(lang)


_known: tuple[float, State] | None = None


def current(*, fresh: bool = False) -> State:
    """Whether there is maintenance; `fresh` asks the database, otherwise the answer may be a second old."""
    global _known
    seconds = settings.VALUES_SECONDS
    if seconds is None:
        return State()
    now = time.monotonic()
    if fresh or _known is None or now - _known[0] >= seconds:
        _known = (now, _read())
    return _known[1]


def check() -> None:
    """Raise UnderMaintenance if nothing new may begin."""
    if (state := current()).on:
        raise UnderMaintenance(state)


def start(*, zh: str, en: str, until: datetime | None, by: Any, reason: str) -> Maintenance:
    """Begin maintenance, or change what players are told during it. BadValue for an end in the past, NoReason."""
    if until is not None and until <= timezone.now():
        raise BadValue("until", f"{timezone.localtime(until):%Y-%m-%d %H:%M}", "要晚于现在", "later than now")
    for name, text in (("zh", zh), ("en", en)):
        if len(text) > TEXT_LENGTH:
            raise BadValue(name, text, f"最多 {TEXT_LENGTH} 字", f"at most {TEXT_LENGTH} characters")
    return _keep(on=True, zh=zh.strip(), en=en.strip(), until=until, by=by, reason=cleaned(reason))


def end(*, by: Any, reason: str) -> Maintenance:
    """Maintenance is over; Unchanged if there was none. What has to go on is the caller's (rooms.starting.resume)."""
    return _keep(on=False, by=by, reason=cleaned(reason))


def forget() -> None:
    global _known
    _known = None


def _keep(*, on: bool, **values: Any) -> Maintenance:
    with transaction.atomic():
        _one_at_a_time()
        if not on and not _read().on:
            raise Unchanged("maintenance")
        kept = Maintenance.objects.create(on=on, **values)
        transaction.on_commit(forget)
    forget()
    return kept


def _read() -> State:
    last = Maintenance.objects.order_by("-pk").values_list("on", "zh", "en", "until", "at").first()
    return State(*last) if last is not None else State()
