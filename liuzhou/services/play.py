"""`make play`: the servers, the migrations, the pages, the worker and beat — started, watched over, ended together."""

import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from liuzhou.services import postgres, valkey
from liuzhou.services.process import Mark, ServiceError, private_file, read_json
from liuzhou.services.stack import Stack
from liuzhou.services.supervisor import Child, Flag, Supervisor

BASE_DIR = Path(__file__).resolve().parent.parent.parent
READY_WITHIN = 90.0


class Stopped(Exception):
    """Somebody asked us to end before everything was up."""


class Play:
    """One run. `run()` returns the exit status: 0 after a signal, 1 when it could not start."""

    def __init__(self, *, var: Path, host: str, port: int, answers_to: str, say: Callable[[str], None]) -> None:
        self.var = var
        self.host = host
        self.port = port
        self.answers_to = answers_to  # a Host header that the application accepts
        self._print = say
        self.hurry = Flag()
        self.stack = Stack(var, postgres=not os.environ.get("DATABASE_URL"), valkey=not os.environ.get("REDIS_URL"))
        self.supervisor = Supervisor([], say=lambda name, line: self.say(f"{name:>8} │ {line}"), changed=self._record)
        self._lock: IO[str] | None = None

    def say(self, line: str) -> None:
        """Print. When the terminal is gone (closed window, `| head`), end, as the signal would ask that may not reach us."""
        try:
            self._print(line)
        except OSError:
            self._print = lambda line: None
            self.supervisor.stop.set()

    # -- the run ------------------------------------------------------------------------------------------------------

    def run(self) -> int:
        self._listen_to_signals()
        status = 1
        try:
            self._claim()
            self._end_leftovers()
            self._check_port()
            self._start_servers()
            self._prepare()
            self._start_application()
            self.say(f"\n✓ 已就绪，在浏览器打开 / ready, open in a browser:  {self.url}\n  (Ctrl-C 结束 / to stop)\n")
            self.supervisor.watch()
            status = 0
        except Stopped:
            status = 0
        except ServiceError as error:
            if self.supervisor.stop.is_set():  # a step was interrupted by the Ctrl-C that we are answering
                status = 0
            else:
                self.say(f"✗ {error}")
        finally:
            self._end()
        return status

    @property
    def url(self) -> str:
        shown = "localhost" if self.host in ("127.0.0.1", "0.0.0.0", "::", "localhost") else self.host  # noqa: S104
        return f"http://{shown}:{self.port}/"

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # under nohup
            signal.signal(number, self._asked_to_stop)

    def _asked_to_stop(self, number: int, frame: object) -> None:
        if self.supervisor.stop.is_set() and number == signal.SIGINT:
            self.hurry.set()  # a second Ctrl-C: do not wait for tasks; the database still ends cleanly
        self.supervisor.stop.set()

    # -- before ------------------------------------------------------------------------------------------------------

    def _claim(self) -> None:
        """One run per directory; the lock goes with the process, whatever way it ends."""
        try:
            self.var.mkdir(parents=True, exist_ok=True)
            self._lock = open(self.var / "play.lock", "a")  # noqa: SIM115 — held until the process ends
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock = None
            run = read_json(self.var / "play.json")
            raise ServiceError(
                f"已经在运行 / already running: {run.get('url', '?')} (pid {run.get('pid', '?')}). "
                "另开一份请用别的目录 / for a second one use another LIUZHOU_VAR and PORT."
            ) from None
        except PermissionError as error:
            raise ServiceError(
                f"没有写权限，之前可能用 root 运行过 / No permission to write {error.filename}, probably made by root. "
                "Run as the same user, or set LIUZHOU_VAR to another directory."
            ) from None

    def _end_leftovers(self) -> None:
        """A run that was killed leaves its children behind: they hold the port and the database."""
        alive = [mark for entry in read_json(self.var / "play.json").get("children", []) if (mark := Mark.read(entry))]
        alive = [mark for mark in alive if mark.alive]
        if alive:
            self.say("清理上次意外中断的进程 / ending what an interrupted run left behind …")
        for mark in alive:
            mark.end(signal.SIGTERM, timeout=8)
        if not self.stack.kept and self.stack.running():
            self.stack.down(self.say)

    def _check_port(self) -> None:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise ServiceError(
                    f"端口 {self.port} 用不了（{error.strerror}），换一个 / port {self.port} cannot be used, choose another: "
                    f"make play PORT={self.port + 1}"
                ) from None

    def _start_servers(self) -> None:
        self._step("1/4", "数据库和缓存 / database and cache")
        for server, variable in ((self.stack.postgres, "DATABASE_URL"), (self.stack.valkey, "REDIS_URL")):
            if server is None:
                self.say(f"    使用 {variable} 指定的服务器 / using the server of {variable}")
        if not (self.stack.postgres or self.stack.valkey):
            return
        kept = self.stack.kept and bool(self.stack.running())
        try:
            self.stack.up(lambda line: self.say(f"    {line}"), keep=kept)
        finally:
            self._adopt_servers()
        if kept:
            self.say("    services up 启动的服务器继续使用 / using the servers that `services up` started")

    def _adopt_servers(self) -> None:
        """Watch over the servers that we started."""
        ways = {
            "postgres": (self.stack.postgres, postgres.STOP_SIGNAL),
            "valkey": (self.stack.valkey, valkey.STOP_SIGNAL),
        }
        for name, process in self.stack.processes.items():
            server, number = ways[name]
            assert server
            child = Child(name, server.spawn, stop_signal=number, patience=60, wave=0, process=process)
            self.supervisor.children.append(child)

    def _prepare(self) -> None:
        self._step("2/4", "数据库迁移 / migrations")
        if self.stack.postgres is None:
            self._manage("init_database", keep=lambda line: False)
        applied = self._manage("migrate", "--database=owner", "--noinput", keep=lambda line: False)
        self.say(f"    {sum('Applying' in line for line in applied)} 项新迁移 / migrations applied")
        self._step("3/4", "静态文件 / static files")
        self._manage("collectstatic", "--noinput", "--verbosity=1", keep=lambda line: "static file" in line)

    def _manage(self, *arguments: str, keep: Callable[[str], bool] = lambda line: True) -> list[str]:
        """Run a manage.py command, show the lines worth showing (on failure the last ones), and return them all."""
        command = [sys.executable, str(BASE_DIR / "manage.py"), *arguments, "--no-color"]
        lines: list[str] = []
        with subprocess.Popen(
            command, cwd=BASE_DIR, env=self._env(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                if self.supervisor.stop.is_set():
                    process.terminate()
                lines.append(line.rstrip())
                if line.strip() and keep(line):
                    self.say(f"    {line.strip()}")
        if self.supervisor.stop.is_set():
            raise Stopped
        if process.returncode:
            raise ServiceError(f"manage.py {arguments[0]} 失败 / failed:\n" + "\n".join(lines[-25:]))
        return lines

    # -- the application -----------------------------------------------------------------------------------------------

    def _start_application(self) -> None:
        self._step("4/4", "网页、任务、定时 / pages, worker, beat")
        celery = ["-m", "celery", "-q", "-A", "liuzhou.celery"]
        quiet = ["--without-gossip", "--without-mingle", "-l", "WARNING"]
        web = [
            "-m",
            "liuzhou.daphne",
            "-v",
            "0",
            "-b",
            self.host,
            "-p",
            str(self.port),
            "--application-close-timeout",
            "5",
        ]
        # Beat keeps its timetable in memory: nothing in it needs to survive, and a file can be broken by a crash.
        beat = [*celery, "beat", "-l", "WARNING", "--scheduler", "celery.beat:Scheduler", "--pidfile="]
        for name, arguments, wave in (
            ("web", [*web, "liuzhou.asgi:application"], 1),
            ("worker", [*celery, "worker", "-n", f"play-{os.getpid()}@%h", *quiet], 1),
            ("beat", beat, 2),
        ):
            child = Child(name, self._starter(arguments), wave=wave, patience=30)
            self.supervisor.children.append(child)
            self.supervisor.launch(child)
        self._await_ready()

    def _starter(self, arguments: list[str]) -> Callable[[], "subprocess.Popen[bytes]"]:
        def start() -> "subprocess.Popen[bytes]":
            return subprocess.Popen(
                [sys.executable, *arguments],
                cwd=BASE_DIR,
                env=self._env(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

        return start

    def _env(self) -> dict[str, str]:
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "liuzhou.settings"),
            "LIUZHOU_VAR": str(self.var),
            "PYTHONUNBUFFERED": "1",
            "PYTHONWARNINGS": "ignore",
            "C_FORCE_ROOT": "1",  # the worker takes JSON only; running it as root is the caller's choice
        }

    def _await_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN
        web = next(child for child in self.supervisor.children if child.name == "web")
        while not self._ready():
            self.supervisor.watch(0.2)
            if self.supervisor.stop.is_set():
                raise Stopped
            if web.deaths >= 3 or time.monotonic() > deadline:
                raise ServiceError(
                    f"网页没有启动成功，原因见上 / the pages did not come up, see above ({self._state()})"
                )

    def _ready(self) -> bool:
        return self._state().startswith("200")

    def _state(self) -> str:
        """What /readyz answers now."""
        local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        connection = http.client.HTTPConnection(local, self.port, timeout=10)
        try:
            connection.request("GET", "/readyz", headers={"Host": self.answers_to})
            answer = connection.getresponse()
            return f"{answer.status} {answer.read(300).decode(errors='replace')}"
        except (OSError, http.client.HTTPException) as error:
            return str(error)
        finally:
            connection.close()

    # -- the record and the end ------------------------------------------------------------------------------------------

    def _record(self) -> None:
        """Write down who runs, for a next run that finds them without us."""
        marks = {child.name: mark for child in self.supervisor.children if (mark := child.mark)}
        servers: dict[str, Mark] = {name: marks.pop(name) for name in ("postgres", "valkey") if name in marks}
        if servers and servers != {name: self.stack.marks.get(name) for name in servers}:
            self.stack.note(servers)
        run: dict[str, Any] = {
            "pid": os.getpid(),
            "url": self.url,
            "children": [{"name": name, **mark.as_json()} for name, mark in marks.items()],
        }
        private_file(self.var / "play.json", json.dumps(run, indent=1))

    def _end(self) -> None:
        if self._lock is None:
            return  # not our directory
        self.supervisor.stop.set()
        if self.supervisor.children:
            self.say("\n正在结束 / stopping …")
            if self.supervisor.end(hurry=self.hurry):
                self.say("已结束，数据已保存 / stopped, everything saved")
        (self.var / "play.json").unlink(missing_ok=True)
        self._lock.close()

    def _step(self, number: str, what: str) -> None:
        if self.supervisor.stop.is_set():
            raise Stopped
        self.say(f"[{number}] {what}")
