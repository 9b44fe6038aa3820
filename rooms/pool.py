"""Synchronous services from the event loop: a few threads, each with its own database connection (DESIGN 5.7)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection

T = TypeVar("T")
FRESH_SECONDS = 1.0
_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="orm")
_thread = threading.local()


async def orm(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run a synchronous service in the bounded pool; its threads keep their own database connections."""

    def call() -> T:
        _tidy()
        return function(*args, **kwargs)

    return await sync_to_async(call, thread_sensitive=False, executor=_pool)()


def _tidy() -> None:
    """Let go of a connection that failed, or that nobody used for a moment (the database may have gone meanwhile). One in
    use is known to live: to look each time would cost a query per call."""
    now = time.monotonic()
    if connection.errors_occurred or now - getattr(_thread, "used", 0.0) > FRESH_SECONDS:
        close_old_connections()
    _thread.used = now
