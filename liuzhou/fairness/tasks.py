"""Counting and weighing in the background, and forgetting old marks."""

from __future__ import annotations

from celery import shared_task
from celery.schedules import crontab

from liuzhou.accounts.days import database_now, day_of
from liuzhou.fairness import intake, marks, weighing

SECONDS = 20.0  # a worker has other things to do


@shared_task
def take() -> None:
    """Take settled hands into the sums."""
    intake.take_all(seconds=SECONDS)


@shared_task
def weigh() -> None:
    """Raise and refresh flags of those who played."""
    weighing.weigh_all(seconds=SECONDS)


@shared_task
def forget() -> None:
    """Places and devices not seen for long."""
    marks.forget(day_of(database_now()))


SCHEDULE = {
    "fairness-take": {"task": "liuzhou.fairness.tasks.take", "schedule": 60.0},
    "fairness-weigh": {"task": "liuzhou.fairness.tasks.weigh", "schedule": 300.0},
    "fairness-forget": {"task": "liuzhou.fairness.tasks.forget", "schedule": crontab(hour=4, minute=40)},
}
