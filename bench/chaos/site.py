"""The site that is hurt: PostgreSQL and Valkey of its own (durable), two Daphnes, a worker, beat, all restarted when they die."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import redis

from liuzhou.services.process import free_port
from liuzhou.services.stack import Stack
from liuzhou.services.supervisor import Child, Supervisor
from rooms.trial import answers

BASE = Path(__file__).resolve().parent.parent.parent
HOOK = Path(__file__).resolve().parent / "hook"
WEBS = ("web1", "web2")
UP_SECONDS = 60


class Site:
    """The processes by name; `kill`, `stop` and `shift` hurt them, `up` waits until all answer again."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder = folder
        # Holds the other end of a pipe: PostgreSQL and Valkey end, and the folder goes, however the harness ends.
        self._watch = subprocess.Popen(
            [sys.executable, "-m", "liuzhou.services.watch", str(folder)],
            cwd=BASE, stdin=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        self.stack = Stack(folder)
        self.ports = {name: free_port() for name in WEBS}
        self.log = open(log, "w")  # noqa: SIM115 - closed in `end`
        self.supervisor = Supervisor([], say=self._say, changed=self._record)
        self.environment: dict[str, str] = {}
        self._watching: threading.Thread | None = None

    def _say(self, name: str, line: str) -> None:
        with contextlib.suppress(ValueError):  # a last line after the file was closed
            self.log.write(f"{time.strftime('%H:%M:%S')} {name} | {line}\n")
            self.log.flush()

    def _record(self) -> None:
        """Servers that were started anew, for whoever has to stop them without us."""
        marks = {child.name: mark for child in self.supervisor.children if (mark := child.mark)}
        servers = {name: marks[name] for name in ("postgres", "valkey") if name in marks}
        if servers != {name: self.stack.marks.get(name) for name in servers}:
            self.stack.note(servers)

    @property
    def urls(self) -> dict[str, str]:
        return {name: f"http://127.0.0.1:{port}" for name, port in self.ports.items()}

    # -- beginning and end -------------------------------------------------------------------------------------------

    def start(self) -> None:
        self.environment = {
            **os.environ,
            **self.stack.up(),
            "DJANGO_SETTINGS_MODULE": "liuzhou.settings",
            "LIUZHOU_VAR": str(self.folder),
            "SECRET_KEY": "chaos",
            "PYTHONPATH": os.pathsep.join([str(HOOK), str(BASE)]),
            "PYTHONUNBUFFERED": "1",
            "PYTHONWARNINGS": "ignore",
            "C_FORCE_ROOT": "1",
        }
        for arguments in (["migrate", "--database=owner", "--noinput"], ["collectstatic", "--noinput"]):
            subprocess.run(
                [sys.executable, "manage.py", *arguments],
                cwd=BASE, env=self.environment, check=True, stdout=self.log, stderr=self.log,
            )  # fmt: skip
        self._children()
        for child in self.supervisor.children:
            if child.process is None:
                self.supervisor.launch(child)
        self._watching = threading.Thread(target=self.supervisor.watch, name="supervisor")
        self._watching.start()

    def _children(self) -> None:
        servers = {"postgres": (self.stack.postgres, signal.SIGINT), "valkey": (self.stack.valkey, signal.SIGTERM)}
        for name, process in self.stack.processes.items():
            server, number = servers[name]
            assert server is not None
            self._keep(Child(name, server.spawn, stop_signal=number, patience=20, wave=0, process=process))
        for name, port in self.ports.items():
            web = ["liuzhou.daphne", "-v", "0", "-b", "127.0.0.1", "-p", str(port), "--application-close-timeout", "5"]
            self._keep(Child(name, self.program(name, [*web, "liuzhou.asgi:application"])))
        celery = ["celery", "-q", "-A", "liuzhou.celery"]
        quiet = ["--without-gossip", "--without-mingle", "-l", "WARNING"]
        self._keep(
            Child("worker", self.program("worker", [*celery, "worker", "-n", f"chaos-{os.getpid()}@%h", *quiet]))
        )
        self._keep(Child("beat", self.beat("beat"), wave=2))

    def _keep(self, child: Child) -> None:
        self.supervisor.children.append(child)

    def beat(self, name: str) -> Callable[[], subprocess.Popen[bytes]]:
        arguments = ["celery", "-q", "-A", "liuzhou.celery", "beat", "-l", "WARNING"]
        return self.program(name, [*arguments, "--scheduler", "celery.beat:Scheduler", "--pidfile="])

    def program(self, name: str, arguments: list[str]) -> Callable[[], subprocess.Popen[bytes]]:
        environment = {**self.environment, "CHAOS_CLOCK": str(self.folder / f"clock.{name}")}

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [sys.executable, "-m", *arguments], cwd=BASE, env=environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip

        return start

    def end(self) -> None:
        """Stop everything; what hangs is killed. PostgreSQL and Valkey last."""
        self.supervisor.stop.set()
        if self._watching is not None:
            self._watching.join()
        for child in self.supervisor.children:
            child.patience = min(child.patience, 8)
        self.supervisor.end()
        self._watch.communicate()
        self.log.close()

    # -- hurting it --------------------------------------------------------------------------------------------------

    def pid(self, name: str) -> int:
        child = next(child for child in self.supervisor.children if child.name == name)
        return child.process.pid if child.process and child.process.poll() is None else 0

    def kill(self, name: str) -> None:
        """kill -9 of the process alone: what it started has to cope."""
        if pid := self.pid(name):
            os.kill(pid, signal.SIGKILL)

    def signal(self, name: str, number: signal.Signals) -> None:
        if pid := self.pid(name):
            os.kill(pid, number)

    def shift(self, name: str, seconds: float) -> None:
        """Step the wall clock of one process, while it runs and after its restart."""
        (self.folder / f"clock.{name}").write_text(str(seconds))

    @contextmanager
    def second_beat(self) -> Iterator[None]:
        process = self.beat("beat")()
        try:
            yield
        finally:
            process.kill()
            process.communicate()

    def valkey(self) -> redis.Redis:
        return redis.Redis.from_url(self.environment["REDIS_URL"])

    def memory(self, name: str) -> float:
        """What the process holds, MiB."""
        return psutil.Process(self.pid(name)).memory_info().rss / 2**20

    async def up(self) -> None:
        """Wait until both Daphnes answer with a database and a Valkey behind them."""
        async with asyncio.timeout(UP_SECONDS):
            for url in self.urls.values():
                while not await asyncio.to_thread(answers, url):
                    await asyncio.sleep(0.1)
