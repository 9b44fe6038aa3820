"""The cast of the rooms' tests: 东 南 西 北 at the table and an outsider; and a real site with its worker and beat."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from liuzhou.accounts.models import User
from rooms.trial import started_site

NAMES = ("dong", "nan", "xi", "bei", "outsider")


@pytest.fixture
def make_user(real_db: None) -> Callable[[str], User]:
    """A committed user under a name nobody else has."""
    return lambda name: User.objects.create_user(f"{name}-{uuid.uuid4().hex[:10]}", password="correct horse")


@pytest.fixture
def cast(make_user: Callable[[str], User]) -> list[User]:
    return [make_user(name) for name in NAMES]


@pytest.fixture(scope="session")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`manage.py play` on the tests' own PostgreSQL and Valkey: Daphne, worker, beat. Its address."""
    folder: Path = tmp_path_factory.mktemp("site")
    environment = {"DATABASE_URL": os.environ["DATABASE_URL"], "REDIS_URL": os.environ["REDIS_URL"]}
    with started_site(folder, environment, print) as url:
        yield url
