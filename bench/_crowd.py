"""What the benches of many tables share: the site's processes and what they hold, players made in bulk, asked to stop."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import Cookie
from pathlib import Path
from typing import Any

import psutil

from rooms.client import Visitor

MIB = 2**20


def ends_when_asked() -> None:
    """SIGTERM ends a bench as Ctrl-C does: its site ends with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def pids(folder: Path) -> dict[str, int]:
    """The processes of the site under `folder` that run now: web, worker, beat."""
    with contextlib.suppress(OSError, ValueError):
        children = json.loads((folder / "play.json").read_text())["children"]
        return {child["name"]: child["pid"] for child in children}
    return {}


def memory(folder: Path) -> dict[str, float]:
    """MiB that each process of the site holds (RSS); the worker's children each for itself."""
    held: dict[str, float] = {}
    for name, pid in pids(folder).items():
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            held[name] = process.memory_info().rss / MIB
            if name == "worker":
                for number, child in enumerate(sorted(process.children(), key=lambda one: one.pid), 1):
                    held[f"worker child {number}"] = child.memory_info().rss / MIB
    return held


def cpu(folder: Path) -> dict[str, float]:
    """CPU seconds that each process of the site has taken, with its children's."""
    taken = {}
    for name, pid in pids(folder).items():
        process = psutil.Process(pid)
        taken[name] = sum(sum(one.cpu_times()[:2]) for one in [process, *process.children(recursive=True)])
    return taken


def load() -> str:
    """The machine's load average over one minute, for the report."""
    return f"load {os.getloadavg()[0]:.1f}"


def join(folder: Path) -> None:
    """Django in this process on the site's own database and Valkey."""
    known = json.loads((folder / "services.json").read_text())["urls"]
    os.environ.update({**known, "LIUZHOU_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "liuzhou.settings"})
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # blocking is all right here: nobody waits for the bench
    import django

    django.setup()


@dataclass(frozen=True, slots=True)
class Guest:
    """A player made in bulk: the user and the cookie of a session."""

    user: Any
    cookie: str


def guests(count: int) -> list[Guest]:
    """`count` players signed in, with what a new player starts with (`join` first)."""
    from importlib import import_module

    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    from ledger import services as ledger
    from liuzhou.accounts.models import User

    names = [f"g{secrets.token_hex(7)}" for _ in range(count)]
    first = 10_000_000 + secrets.randbelow(80_000_000)
    users = [User(username=name, number=str(first + n), password="!") for n, name in enumerate(names)]
    users = User.objects.bulk_create(users, batch_size=500)
    store = import_module(settings.SESSION_ENGINE).SessionStore
    found = []
    for user in users:
        ledger.grant_signup(user_id=user.pk)
        session = store()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        found.append(Guest(user, f"{settings.SESSION_COOKIE_NAME}={session.session_key}"))
    return found


def visitor(url: str, guest: Guest) -> Visitor:
    """The guest's browser. Nobody hashes a password for it: that takes the site 100 MiB for a moment."""
    found = Visitor(url)
    name, _, value = guest.cookie.partition("=")
    found.jar.set_cookie(
        Cookie(0, name, value, None, False, "127.0.0.1", False, False, "/", True, False, None, True, None, None, {})
    )
    return found


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


@contextlib.contextmanager
def results(path: str) -> Iterator[dict[str, Any]]:
    """What is put in here is written to `path` as JSON at the end, if a path is given."""
    told: dict[str, Any] = {}
    yield told
    if path:
        Path(path).write_text(json.dumps(told, indent=1, ensure_ascii=False))
