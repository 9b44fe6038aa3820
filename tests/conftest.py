"""The servers' addresses as fixtures, and a database that is migrated once and used as the application's role.

`django_db`: each test in a transaction that is rolled back. `real_db`: commits are real and stay (the ledger cannot be
emptied), so names must be unique. The servers themselves are started by tests/settings.py."""

import os
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connections

from tools import browser


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """Migrate as the owner; no `test_` database: what the tests use is thrown away whole."""
    with django_db_blocker.unblock():
        call_command("migrate", database="owner", verbosity=0, interactive=False)
        connections["owner"].close()
    yield
    with django_db_blocker.unblock():
        connections.close_all()


@pytest.fixture
def real_db(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """Database access whose commits are real; also from threads, consumers and other processes."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()


@pytest.fixture(scope="session")
def superuser_url(django_db_setup: None) -> str:
    return os.environ["DATABASE_SUPERUSER_URL"]


@pytest.fixture(scope="session")
def owner_url(django_db_setup: None) -> str:
    return os.environ["DATABASE_OWNER_URL"]


@pytest.fixture(scope="session")
def app_url(django_db_setup: None) -> str:
    return os.environ["DATABASE_URL"]


@pytest.fixture(scope="session")
def auditor_url(django_db_setup: None) -> str:
    return os.environ["DATABASE_AUDITOR_URL"]


@pytest.fixture(scope="session")
def redis_url() -> str:
    return os.environ["REDIS_URL"]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path; what asks for it is skipped, with a line that says so, where there is none."""
    path = browser.find()
    if path is None or os.environ.get("NO_BROWSER"):
        pytest.skip("browser tests: no chromium, chromium-browser or google-chrome on the path (or NO_BROWSER is set)")
    return path
