"""A cast for the ledger: owners nobody else uses, funded wallets, and direct connections as each role."""

import itertools
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dj_database_url
import psycopg
import pytest
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from ledger import services
from ledger.audit import report
from ledger.services import COIN, Line

_owners = itertools.count(secrets.randbelow(10**11) * 10_000 + 1)


@pytest.fixture
def owner() -> int:
    return next(_owners)


@pytest.fixture
def fund() -> Callable[..., int]:
    """fund(amount, currency=COIN, owner=a new one) -> a wallet with that in it."""

    def make(amount: int, currency: str = COIN, owner: int | None = None) -> int:
        wallet = services.wallet(owner_ref=owner or next(_owners), currency=currency)
        if amount:
            lines = [Line(services.system("mint", currency), -amount), Line(wallet, amount)]
            services.post(kind="issue", key=key("fund"), lines=lines, reason="test")
        return wallet

    return make


def key(prefix: str = "test") -> str:
    """An idempotency key nobody has used."""
    return f"{prefix}:{secrets.token_hex(10)}"


@contextmanager
def as_login(url: str) -> Iterator[None]:
    """In this thread Django's default connection is another one: another login, another database."""
    own = connections["default"]
    connections["default"] = DatabaseWrapper(
        {**own.settings_dict, **dj_database_url.parse(url), "OPTIONS": {}}, "default"
    )
    try:
        yield
    finally:
        connections["default"].close()
        connections["default"] = own


@pytest.fixture
def superuser(superuser_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def as_owner(owner_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(owner_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def as_app(app_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(app_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def as_auditor(auditor_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(auditor_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(autouse=True)
def no_other_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hands of these tests are numbers alone: what other apps would check about them is theirs to test."""
    monkeypatch.setattr(report, "_checks", {})
