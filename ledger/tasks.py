"""What the ledger does by itself: a seal each minute."""

from celery import shared_task

from ledger import seals

SCHEDULE = {"ledger-seal": {"task": "ledger.tasks.seal", "schedule": 60.0}}


@shared_task
def seal() -> None:
    """Seal what was committed since the last seal; harmless when two run at once."""
    seals.seal()
