"""What the ledger does by itself: a seal each minute (for Celery beat: `ledger.tasks.seal`, every 60 s)."""

from celery import shared_task

from ledger import seals

BEAT = {"ledger-seal": {"task": "ledger.tasks.seal", "schedule": 60.0, "options": {"expires": 55}}}


@shared_task
def seal() -> None:
    """Seal what was committed since the last seal; harmless when two run at once."""
    seals.seal()
