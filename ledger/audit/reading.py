"""Streams of rows from the ledger, in binary and in batches, all of one snapshot."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection, transaction

BATCH = 5_000


@contextmanager
def snapshot() -> Iterator[None]:
    """One read-only view of the database for the whole audit, while posting goes on. (In a transaction: that one's.)"""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def stream(name: str, query: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, fetched in batches; inside `snapshot`."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.ServerCursor(connection.connection, f"audit_{name}") as cursor:
        cursor.itersize = BATCH
        cursor.execute(query, parameters, binary=True)
        yield from cursor


def rows(query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
