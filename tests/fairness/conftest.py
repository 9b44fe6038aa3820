"""The cast, and a desk that has counted whatever other tests left behind."""

from __future__ import annotations

import time

import pytest

from liuzhou.accounts.models import User
from liuzhou.fairness import intake
from liuzhou.fairness.models import Progress, Taken
from rooms.models import Hand
from tests.fairness import world


@pytest.fixture
def players(db: None) -> list[User]:
    """东 南 西 北."""
    return [world.player(name) for name in ("东", "南", "西", "北")]


@pytest.fixture
def desk(db: None) -> None:
    """Hands of other tests are none of ours."""
    before = Hand.objects.exclude(pk__in=Taken.objects.values("hand"))
    Taken.objects.bulk_create(Taken(hand=hand, weighed=True) for hand in before.defer("secret"))
    Taken.objects.update(weighed=True)
    Progress.objects.update_or_create(pk=1, defaults={"through": None, "hands": 0, "problems": 0})


def count() -> int:
    """Take everything in; a site that runs beside the tests may be at it for a moment."""
    for _ in range(50):
        if (done := intake.take(most=1000)) is not None:
            return done
        time.sleep(0.1)
    raise AssertionError("somebody holds the count")
