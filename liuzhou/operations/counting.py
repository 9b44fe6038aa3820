"""How many requests there were, how many failed, how many errors were logged, minute by minute, over all processes.

A process counts in memory and adds its counts to Valkey every two seconds; the sampler (tasks.py) keeps them for good.
Valkey away: the counts wait. Nothing here imports Django's models: logging is set up before there are any."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse

REQUESTS, ERRORS, LOGGED = "requests", "errors", "logged"
KINDS = (REQUESTS, ERRORS, LOGGED)
FLUSH_SECONDS = 2.0
KEPT_SECONDS = 3 * 3600
MOST_WAITING = 10_000  # minutes × kinds: a Valkey that stays away must not fill the memory

_waiting: Counter[tuple[int, str]] = Counter()
_lock = threading.Lock()
_timer: threading.Timer | None = None
_client: redis.Redis | None = None


def key(minute: int) -> str:
    return f"counts:{minute}"


def count(kind: str) -> None:
    """One more of `kind` in this minute."""
    global _timer
    with _lock:
        _waiting[int(time.time()) // 60, kind] += 1
        if _timer is None:
            _timer = threading.Timer(FLUSH_SECONDS, flush)
            _timer.daemon = True
            _timer.start()


def flush() -> None:
    """Give what was counted to Valkey; what it does not take is tried again with the next count."""
    global _timer, _waiting
    with _lock:
        _timer = None
        taken, _waiting = _waiting, Counter()
    if not taken:
        return
    try:
        with client().pipeline(transaction=True) as pipe:
            for (minute, kind), number in taken.items():
                pipe.hincrby(key(minute), kind, number)
                pipe.expire(key(minute), KEPT_SECONDS)
            pipe.execute()
    except redis.RedisError:
        with _lock:
            if len(_waiting) < MOST_WAITING:
                _waiting.update(taken)


def counted(minute: int) -> dict[str, int] | None:
    """What all processes counted in the minute (number since 1970); None if Valkey does not say."""
    try:
        found = client().hgetall(key(minute))
    except redis.RedisError:
        return None
    return {kind: int(found.get(kind, 0)) for kind in KINDS}


def client() -> redis.Redis:
    global _client
    if _client is None:
        _client = redis.Redis.from_url(
            settings.REDIS_URL, decode_responses=True, socket_timeout=1, socket_connect_timeout=1, max_connections=4
        )
    return _client


class Counting:
    """Outermost: an error further in has become an answer of 500 by the time it comes back here."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        count(REQUESTS)
        if response.status_code >= 500 and request.path != "/readyz":
            count(ERRORS)
        return response


class Handler(logging.Handler):
    """Counts errors of everything that is no request: tasks, sockets, sweeps."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "django.request":
            count(LOGGED)
