"""One round trip to a function of the schema `ledger`: prepared, its errors typed, contention retried with the same key."""

import random
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction

from ledger.errors import Busy, translate

T = TypeVar("T")
ATTEMPTS = 12
PAUSE = 0.004  # seconds, times the attempt, at random: two that met do not meet again


def call(query: str, parameters: list[str | None]) -> tuple[Any, ...]:
    """The function's one row. Outside a transaction contention is retried here; inside one it is the caller's (Busy)."""
    if connections[DEFAULT_DB_ALIAS].in_atomic_block:
        return _execute(query, parameters)
    try:
        return _execute(query, parameters)
    except Busy:
        return _retried(lambda: _execute(query, parameters))


def transact(work: Callable[[], T]) -> T:
    """Run work in one transaction, again from its start when it met contention. In an outer transaction: just run it."""
    if connections[DEFAULT_DB_ALIAS].in_atomic_block:
        return work()

    def attempt() -> T:
        try:
            with transaction.atomic():
                return work()
        except DatabaseError as error:  # also deferred checks, at commit
            if known := translate(error):
                raise known from error
            raise

    return _retried(attempt)


def _retried(work: Callable[[], T]) -> T:
    for attempt in range(1, ATTEMPTS):
        try:
            return work()
        except Busy:
            time.sleep(random.random() * PAUSE * attempt)  # noqa: S311
    return work()


def _execute(query: str, parameters: list[str | None]) -> tuple[Any, ...]:
    """Parameters go as text, their types are in the query's casts: one prepared statement whatever the numbers' sizes."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.connection is None:
        connection.ensure_connection()
    connection.validate_no_broken_transaction()
    try:
        with connection.wrap_database_errors:
            row = _cursor(connection).execute(query, parameters, prepare=True).fetchone()
    except DatabaseError as error:
        if known := translate(error):
            raise known from error
        raise
    assert row is not None
    return row


def _cursor(connection: Any) -> psycopg.Cursor[tuple[Any, ...]]:
    """psycopg's own cursor under Django's connection, kept as long as that lives: making one costs a sixth of a call.
    Django forbids prepared statements on its connections; here those that ask for it are allowed, none is by itself."""
    cursor: psycopg.Cursor[tuple[Any, ...]] | None = getattr(connection, "_ledger_cursor", None)
    if cursor is None or cursor.connection is not connection.connection:
        connection.connection.prepare_threshold = sys.maxsize
        cursor = connection._ledger_cursor = psycopg.Cursor(connection.connection)
    return cursor
