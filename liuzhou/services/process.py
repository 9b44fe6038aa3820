"""Starting and ending server processes: as an unprivileged user when we are root, in a session of their own."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

# PostgreSQL refuses to run as root: a root caller hands the server to this user (or to the owner of existing data).
SERVICE_USER = os.environ.get("LIUZHOU_SERVICE_USER", "nobody")


class ServiceError(RuntimeError):
    """A server could not be started, with a sentence for the person in front of the terminal."""


@dataclass(frozen=True)
class Identity:
    """The user a server runs as; `search` when that user needs help to reach the files (a clone under /root)."""

    uid: int
    gid: int
    search: bool = False

    def wrap(self, command: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
        """The command and the keywords for subprocess that make it run as this user."""
        if os.geteuid() != 0:
            return list(command), {}
        if not self.search:
            return list(command), {"user": self.uid, "group": self.gid, "extra_groups": []}
        return [*self._setpriv(), *command], {}

    def _setpriv(self) -> list[str]:
        """Give the server the right to walk through closed parent directories instead of opening them for everybody."""
        tool = shutil.which("setpriv")
        if tool is None:
            raise ServiceError(
                "目录对数据库用户不可达 / The directory cannot be reached by the database's user, and setpriv is "
                "missing: move the project out of the closed directory (such as /root) or run it as an ordinary user."
            )
        caps = f"+{_search_capability()}"
        ids = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        # no_setuid_fixup: otherwise access(2), with which initdb looks for its programs, ignores the capability.
        return [tool, *ids, "--securebits=+no_setuid_fixup", f"--inh-caps={caps}", f"--ambient-caps={caps}"]


def _search_capability() -> str:
    """dac_read_search when this process may pass it on, otherwise dac_override (all that containers usually leave)."""
    try:
        status = Path("/proc/self/status").read_text()
        permitted = int(next(line for line in status.splitlines() if line.startswith("CapPrm")).split()[1], 16)
    except (OSError, StopIteration):
        return "dac_read_search"
    return "dac_read_search" if permitted & (1 << 2) else "dac_override"


def identity_for(directory: Path, *programs: Path) -> Identity:
    """Whom the server that keeps its files in `directory` runs as."""
    if os.geteuid() != 0:
        return Identity(os.geteuid(), os.getegid())
    if directory.exists() and (owner := directory.stat()).st_uid != 0:
        uid, gid = owner.st_uid, owner.st_gid
    else:
        try:
            entry = pwd.getpwnam(SERVICE_USER)
        except KeyError:
            raise ServiceError(
                f"没有这个系统用户 / No such system user: {SERVICE_USER} (LIUZHOU_SERVICE_USER)"
            ) from None
        uid, gid = entry.pw_uid, entry.pw_gid
    reachable = all(_reachable(path.resolve().parent, uid, gid) for path in (directory, *programs))
    return Identity(uid, gid, search=not reachable)


def _reachable(directory: Path, uid: int, gid: int) -> bool:
    for place in (directory, *directory.parents):
        if not place.exists():
            continue
        status = place.stat()
        bit = 0o100 if status.st_uid == uid else 0o010 if status.st_gid == gid else 0o001
        if not status.st_mode & bit:
            return False
    return True


def private_directory(path: Path, identity: Identity) -> None:
    """Make the directory, readable by the server's user alone."""
    path.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(path, identity.uid, identity.gid)
    path.chmod(0o700)


def private_file(path: Path, text: str, identity: Identity | None = None) -> None:
    """Write a file that only its owner may read, in one step (readers never see half of it)."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
    if os.geteuid() == 0:
        # Without an identity: whoever the directory belongs to, so that root's run does not lock its owner out.
        place = path.parent.stat()
        os.chown(part, *((identity.uid, identity.gid) if identity else (place.st_uid, place.st_gid)))
    part.replace(path)


def run(command: Sequence[str], identity: Identity, *, stdin: str = "", cwd: Path | None = None) -> str:
    """Run a server's tool to its end; ServiceError with its output when it fails."""
    full, keywords = identity.wrap(command)
    done: subprocess.CompletedProcess[str] = subprocess.run(
        full, input=stdin, capture_output=True, text=True, cwd=cwd, env=clean_env(), **keywords
    )
    if done.returncode:
        raise ServiceError(f"{Path(command[0]).name}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def spawn(command: Sequence[str], identity: Identity, *, log: Path, cwd: Path) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own, so that Ctrl-C in the terminal reaches it only through us."""
    full, keywords = identity.wrap(command)
    with open(log, "ab") as output:
        return subprocess.Popen(
            full,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=clean_env(),
            start_new_session=True,
            **keywords,
        )


def clean_env() -> dict[str, str]:
    """The environment without variables that would redirect the servers or their tools."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_")) and k != "LANG"}
    return {**kept, "LC_ALL": "C"}


def free_port(preferred: int | None = None) -> int:
    """The preferred port if nobody listens there, otherwise one the system picks."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServiceError("没有空闲端口 / No free port")


def wait_until(ready: Callable[[], bool], *, alive: Callable[[], bool], timeout: float, what: str, log: Path) -> None:
    """Poll `ready`; ServiceError with the end of the log when the process ends or the time is over."""
    deadline = time.monotonic() + timeout
    while not ready():
        if not alive():
            raise ServiceError(f"{what} 启动失败 / {what} did not start. {log}:\n{tail(log)}")
        if time.monotonic() > deadline:
            raise ServiceError(f"{what} 启动超时 / {what} was not ready after {timeout:.0f} s. {log}:\n{tail(log)}")
        time.sleep(0.05)


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


@dataclass(frozen=True)
class Mark:
    """A process told apart from a later one that got the same pid."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> "Mark":
        return cls(pid, psutil.Process(pid).create_time())

    @classmethod
    def read(cls, value: Mapping[str, Any] | None) -> "Mark | None":
        return cls(int(value["pid"]), float(value["started"])) if value else None

    def as_json(self) -> dict[str, float]:
        return {"pid": self.pid, "started": self.started}

    @property
    def alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            # One second of slack: some systems derive the start from a boot time that is adjusted.
            return bool(process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - self.started) < 1)
        except psutil.NoSuchProcess:
            return False

    def end(self, first: signal.Signals, *, timeout: float) -> bool:
        """Signal the process and wait for its end, then kill it; True when the first signal sufficed."""
        for number, patience in ((first, timeout), (signal.SIGKILL, 5.0)):
            if not self.alive:
                return True
            os.kill(self.pid, number)
            if _gone(self, patience):
                return number is first
        return False


def _gone(mark: Mark, timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while mark.alive:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(mark.pid, os.WNOHANG)  # reap it when it is our own child
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def read_json(path: Path) -> dict[str, Any]:
    """The file's object, or {} when there is none (or half of one)."""
    try:
        value = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}
