"""What a load balancer asks: is the process alive, can it serve."""

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from redis.exceptions import RedisError


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is looked at, so that a database outage restarts nobody."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database is reachable and migrated and Valkey answers; 503 and what is missing otherwise."""
    checks = {"database": _database(), "valkey": _valkey()}
    ready = all(state == "ok" for state in checks.values())
    return JsonResponse({"ready": ready, **checks}, status=200 if ready else 503)


def _database() -> str:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "unreachable"
    return f"{len(missing)} migrations missing" if missing else "ok"


def _valkey() -> str:
    try:
        cache.get("readyz")
    except (RedisError, OSError):
        return "unreachable"
    return "ok"
