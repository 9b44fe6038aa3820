"""`manage.py play` as its user meets it: one run shared by these tests, in their order; then a crash; then own servers."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from liuzhou.services import postgres
from liuzhou.services.process import free_port, read_json
from liuzhou.services.stack import Stack

BASE = Path(__file__).resolve().parent.parent


class Run:
    """A `manage.py play` of its own directory and port, its output in a file."""

    def __init__(self, var: Path, port: int, **env: str) -> None:
        self.var, self.port, self.env = var, port, env
        self.output = var.with_suffix(".out")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, terminal: int | None = None) -> "Run":
        # The servers of the test session are not this run's.
        hidden = ("DATABASE", "REDIS", "LIUZHOU", "DJANGO", "SECRET")
        env = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
        env |= {"LIUZHOU_VAR": str(self.var), "PORT": str(self.port), **self.env}
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "play"],
                cwd=BASE,
                env=env,
                stdout=output if terminal is None else terminal,
                stderr=subprocess.STDOUT,
                # Whoever runs the tests may ignore hang-ups (nohup), and children inherit that.
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            )
        return self

    @property
    def text(self) -> str:
        return self.output.read_text()

    def until_ready(self) -> "Run":
        until(lambda: "已就绪" in self.text or self.ended is not None, 60, lambda: self.text)
        assert self.ended is None, self.text
        return self

    @property
    def ended(self) -> int | None:
        assert self.process
        return self.process.poll()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process
        self.process.send_signal(number)
        return self.process.wait(80)

    def pids(self) -> dict[str, int]:
        """Children by name, the database and Valkey too."""
        found = {child["name"]: child["pid"] for child in read_json(self.var / "play.json").get("children", [])}
        servers = read_json(self.var / "services.json")
        marks = {name: (servers.get(name) or {}).get("mark") for name in ("postgres", "valkey")}
        return found | {name: mark["pid"] for name, mark in marks.items() if mark}

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)


def until(true: Callable[[], Any], seconds: float, why: Callable[[], str] = lambda: "") -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, why()
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kill_all(run: Run) -> None:
    """kill -9 of the supervisor and everything below it, all at once."""
    assert run.process
    family = [*psutil.Process(run.process.pid).children(recursive=True), psutil.Process(run.process.pid)]
    for process in family:
        process.kill()
    run.process.wait(10)
    psutil.wait_procs(family, timeout=10)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The shared run. Its directory is closed to others, as a clone under /root is."""
    home = tmp_path_factory.mktemp("play")
    home.chmod(0o700)
    run = Run(home / "var", free_port()).start()
    yield run
    if run.ended is None:
        run.end()


def test_it_comes_up_step_by_step_and_answers(run: Run) -> None:
    run.until_ready()
    for step in ("[1/4]", "[2/4]", "[3/4]", "[4/4]", f"http://localhost:{run.port}/"):
        assert step in run.text
    assert run.get("/readyz") == (200, json.dumps({"ready": True, "database": "ok", "valkey": "ok"}))
    assert run.get("/healthz") == (200, "ok\n")
    assert set(run.pids()) == {"web", "worker", "beat", "postgres", "valkey"}


def test_nothing_secret_is_readable_by_others_or_printed(run: Run) -> None:
    services = read_json(run.var / "services.json")
    for name in ("services.json", "secret_key", "play.json"):
        assert (run.var / name).stat().st_mode & 0o077 == 0
    for secret in [*services["passwords"].values(), (run.var / "secret_key").read_text()]:
        assert secret not in run.text
        for pid in run.pids().values():
            assert secret not in " ".join(psutil.Process(pid).cmdline())


def test_a_second_run_on_the_same_directory_says_where_the_first_is(run: Run) -> None:
    second = Run(run.var, free_port())
    second.output = run.var.with_name("second.out")
    assert second.start().process.wait(20) == 1
    assert "已经在运行" in second.text
    assert f"http://localhost:{run.port}/" in second.text
    assert run.get("/readyz")[0] == 200


def test_a_taken_port_is_named_with_the_way_out(run: Run, tmp_path: Path) -> None:
    other = Run(tmp_path / "var", run.port).start()
    assert other.process.wait(20) == 1
    assert f"端口 {run.port} 用不了" in other.text
    assert f"make play PORT={run.port + 1}" in other.text


@pytest.mark.parametrize("port", ["0", "70000", "eighty"])
def test_an_impossible_port_is_refused(tmp_path: Path, port: str) -> None:
    wrong = Run(tmp_path / "var", 0, PORT=port).start()
    assert wrong.process.wait(20) != 0
    assert "1–65535" in wrong.text


@pytest.mark.parametrize("name", ["web", "worker", "valkey", "postgres"])
def test_a_child_that_is_killed_is_back_within_a_second(run: Run, name: str) -> None:
    pid = run.pids()[name]
    os.kill(pid, signal.SIGKILL)
    until(lambda: run.pids().get(name, pid) != pid, 1.5, lambda: run.text)
    until(lambda: run.get("/readyz")[0] == 200, 20, lambda: run.text)
    assert f"{name} │ 意外结束 / died (SIGKILL)" in run.text


def test_sigterm_ends_every_child_and_the_database_cleanly(run: Run) -> None:
    family = psutil.Process(run.process.pid).children(recursive=True)
    assert len(family) > 5
    assert run.end(signal.SIGTERM) == 0, run.text
    assert not [process for process in family if alive(process.pid)]
    assert not (run.var / "postgres" / "postmaster.pid").exists()
    assert not (run.var / "play.json").exists()
    control = subprocess.run(
        [postgres.binaries() / "pg_controldata", run.var / "postgres"], capture_output=True, text=True, check=True
    )
    assert "shut down\n" in control.stdout
    assert "强制结束" not in run.text


def test_after_kill_9_of_everything_it_starts_again_with_its_data(run: Run) -> None:
    run.start().until_ready()
    with psycopg.connect(Stack(run.var).urls()["DATABASE_URL"]) as link:
        link.execute("INSERT INTO django_session VALUES ('kept', '', now())")
    kill_all(run)
    # One child survives: the next run has to end it, or the port would be taken.
    assert (run.var / "postgres" / "postmaster.pid").exists()
    run.start().until_ready()
    with psycopg.connect(Stack(run.var).urls()["DATABASE_URL"]) as link:
        assert link.execute("SELECT 1 FROM django_session WHERE session_key = 'kept'").fetchone()


def test_children_that_survive_their_killed_supervisor_are_ended_by_the_next_run(run: Run) -> None:
    before = run.pids()
    run.process.kill()
    run.process.wait(10)
    assert alive(before["web"])
    assert alive(before["postgres"])
    run.start().until_ready()
    assert "清理上次意外中断的进程" in run.text
    assert not [name for name, pid in before.items() if alive(pid)]


def test_ctrl_c_ends_it_too(run: Run) -> None:
    pids = run.pids()
    assert run.end(signal.SIGINT) == 0
    assert "已结束，数据已保存" in run.text
    assert not [name for name, pid in pids.items() if alive(pid)]


def test_a_closed_terminal_ends_it(run: Run) -> None:
    terminal, theirs = pty.openpty()
    run.start(theirs)
    os.close(theirs)
    said = b""
    while "已就绪".encode() not in said:
        assert select.select([terminal], [], [], 60)[0], said.decode()
        try:
            said += os.read(terminal, 4096)
        except OSError:
            pytest.fail(f"it ended by itself:\n{said.decode(errors='replace')}")
    family = psutil.Process(run.process.pid).children(recursive=True)
    os.close(terminal)  # from here on writing fails
    run.process.send_signal(signal.SIGHUP)
    assert run.process.wait(80) == 0
    assert not [process for process in family if alive(process.pid)]


def test_with_servers_of_ones_own_the_embedded_ones_stay_away(
    tmp_path: Path, superuser_url: str, owner_url: str, app_url: str, redis_url: str
) -> None:
    with psycopg.connect(superuser_url, autocommit=True) as link:
        link.execute("CREATE DATABASE own OWNER liuzhou_owner")
    own = Run(
        tmp_path / "var",
        free_port(),
        DATABASE_URL=app_url.removesuffix("liuzhou") + "own",
        DATABASE_OWNER_URL=owner_url.removesuffix("liuzhou") + "own",
        REDIS_URL=redis_url.removesuffix("/0") + "/5",
    ).start()
    own.until_ready()
    assert set(own.pids()) == {"web", "worker", "beat"}
    assert not (own.var / "postgres").exists()
    assert not (own.var / "valkey").exists()
    assert own.end() == 0


def test_an_unreachable_database_is_said_not_traced(tmp_path: Path) -> None:
    lost = Run(
        tmp_path / "var",
        free_port(),
        DATABASE_URL="postgres://me:word@127.0.0.1:1/x",
        REDIS_URL="redis://:w@127.0.0.1:1",
    )
    assert lost.start().process.wait(30) == 1
    assert "数据库角色无法建立" in lost.text
    assert "Traceback" not in lost.text
    assert "word" not in lost.text
