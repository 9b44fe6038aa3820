"""What the operators' side does by itself: a sample a minute, a look over the ledger every ten, healing after maintenance."""

from celery import shared_task
from celery.schedules import crontab

from liuzhou.operations import sampling
from liuzhou.values import maintenance
from rooms import starting

SCHEDULE = {
    "operations-sample": {"task": "liuzhou.operations.tasks.sample", "schedule": 60.0},
    "operations-check-ledger": {
        "task": "liuzhou.operations.tasks.check_ledger",
        "schedule": crontab(minute="*/10"),
        "options": {"expires": 300},
    },
}


@shared_task
def sample() -> None:
    """Keep this minute; and see that no room still waits for a maintenance that is over."""
    sampling.sample()
    if not maintenance.current(fresh=True).on:
        starting.resume(stuck=True)


@shared_task
def check_ledger() -> None:
    sampling.check_ledger()
