"""The Celery application: tasks of the apps, and beat's schedule as the apps' task modules state it.

An app's `tasks.py` may hold `SCHEDULE = {"name": {"task": "rooms.tasks.sweep", "schedule": 0.5}}`."""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from celery import Celery
from celery.schedules import schedule as every

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "liuzhou.settings")

APPS = ("ledger", "rooms", "liuzhou.fairness", "liuzhou.operations")

app = Celery("liuzhou")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(list(APPS))


@app.on_after_finalize.connect
def read_schedules(sender: Celery, **_: Any) -> None:
    """Add what the task modules ask for. A message nobody took within its own period is worth nothing: it expires,
    or an hour without a worker would end in an hour of sweeps."""
    for name in APPS:
        if not find_spec(f"{name}.tasks"):
            continue
        for key, entry in getattr(import_module(f"{name}.tasks"), "SCHEDULE", {}).items():
            sender.conf.beat_schedule[key] = _with_expiry(entry)


def _with_expiry(entry: dict[str, Any]) -> dict[str, Any]:
    when = entry["schedule"]
    seconds = when.run_every.total_seconds() if isinstance(when, every) else when
    options = dict(entry.get("options", {}))
    if isinstance(seconds, int | float):
        options.setdefault("expires", max(2, seconds))
    return {**entry, "options": options}
