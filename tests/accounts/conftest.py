"""Players for the tests of accounts, and counters of attempts that start at nought."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from liuzhou.accounts.models import User

PASSWORD = "correct-horse-7"


@pytest.fixture(autouse=True)
def no_attempts_yet() -> Iterator[None]:
    """The rate limits count in the cache, which no rollback empties."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def dong(db: None) -> User:
    return User.objects.create_user("dong", password=PASSWORD, nickname="东")


@pytest.fixture
def dong_client(client: Client, dong: User) -> Client:
    client.force_login(dong)
    return client
