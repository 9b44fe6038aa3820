"""Synchronous services from the event loop: a few threads, each with its own database connection (DESIGN 5.7)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

T = TypeVar("T")
_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="orm")


async def orm(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run a synchronous service in the bounded pool; its threads keep their own database connections."""

    def call() -> T:
        close_old_connections()
        return function(*args, **kwargs)

    return await sync_to_async(call, thread_sensitive=False, executor=_pool)()
