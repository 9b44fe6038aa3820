"""How far the count is, and starting it over."""

from __future__ import annotations

from django.db import transaction

from liuzhou.fairness import intake
from liuzhou.fairness.models import PairDay, PlayerDay, Progress, Sitting, Taken


def state() -> Progress:
    return Progress.objects.get_or_create(pk=1)[0]


def counted() -> int:
    return state().hands


def remaining() -> int:
    """Settled hands that are not in the sums yet."""
    return intake.waiting(state().through).count()


def forget_sums() -> int:
    """Delete the sums and the rows of hands counted; how many hands are to be counted again.

    Waits for a worker that is just counting; whoever counts next starts from the beginning."""
    Progress.objects.get_or_create(pk=1)
    with transaction.atomic():
        progress = Progress.objects.select_for_update().get(pk=1)
        for model in (PairDay, PlayerDay, Sitting, Taken):
            model.objects.all()._raw_delete(using=model.objects.db)
        progress.through, progress.hands, progress.problems = None, 0, 0
        progress.save(update_fields=["through", "hands", "problems"])
    return remaining()
