"""A deed and its trail: both or neither."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model
from django.http import HttpRequest

from ledger import services as ledger
from liuzhou.trail import services as trail

T = TypeVar("T")


def kept(
    request: HttpRequest,
    action: str,
    subject: Model | str,
    work: Callable[[], T],
    *,
    when: Callable[[T], bool] = lambda _done: True,
    **detail: Any,
) -> T:
    """Do the work and record it in one transaction, run again when the ledger was busy. Where `when` says that nothing was
    done (a second click), nothing is recorded."""

    def both() -> T:
        done = work()
        if when(done):
            trail.record(request, action, subject, **detail)
        return done

    return ledger.transact(both)
