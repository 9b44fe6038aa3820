"""Both embedded servers under one directory, and the file that tells the settings where they are."""

import json
import secrets
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from liuzhou.services import postgres as pg
from liuzhou.services import roles
from liuzhou.services import valkey as vk
from liuzhou.services.process import Mark, ServiceError, free_port, private_file, read_json

Report = Callable[[str], None]


def quiet(_: str) -> None:
    """For callers who have nobody to tell."""


class Stack:
    """The servers of one directory: `postgres/` and `valkey/` hold their files, `log/` what they say,
    `services.json` (readable by its owner only) their ports, passwords and pids."""

    def __init__(self, directory: Path, *, postgres: bool = True, valkey: bool = True, durable: bool = True) -> None:
        self.directory = directory.resolve()
        self.file = self.directory / "services.json"
        self.known = read_json(self.file)
        made: dict[str, str] = self.known.get("passwords", {})
        self._password_known = "superuser" in made
        self.passwords = {
            name: made.get(name) or secrets.token_urlsafe(24)
            for name in ("superuser", "owner", "app", "auditor", "valkey")
        }
        self.postgres = self._postgres(durable) if postgres else None
        self.valkey = self._valkey() if valkey else None
        self.marks: dict[str, Mark] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}  # those that this object started

    def port(self, name: str) -> int | None:
        value = self.known.get(name) or {}
        return int(value["port"]) if "port" in value else None

    def _postgres(self, durable: bool) -> pg.Postgres:
        server = pg.Postgres(
            self.directory / "postgres",
            password=self.passwords["superuser"],
            port=self.port("postgres") or 0,
            log=self.directory / "log" / "postgres.log",
            durable=durable,
        )
        return server

    def _valkey(self) -> vk.Valkey:
        return vk.Valkey(
            self.directory / "valkey",
            password=self.passwords["valkey"],
            port=self.port("valkey") or 0,
            log=self.directory / "log" / "valkey.log",
        )

    def urls(self) -> dict[str, str]:
        """The environment variables that lead to these servers."""
        found: dict[str, str] = {}
        if self.postgres:
            found |= {
                "DATABASE_URL": self.postgres.url(roles.APP, self.passwords["app"]),
                "DATABASE_OWNER_URL": self.postgres.url(roles.OWNER, self.passwords["owner"]),
                "DATABASE_AUDITOR_URL": self.postgres.url(roles.AUDITOR, self.passwords["auditor"]),
                "DATABASE_SUPERUSER_URL": self.postgres.url(pg.SUPERUSER, self.passwords["superuser"]),
            }
        if self.valkey:
            found["REDIS_URL"] = self.valkey.url
        return found

    def running(self) -> dict[str, Mark]:
        """Those of our servers that are alive, from whatever run."""
        alive = {}
        if self.postgres and (mark := self.postgres.running()):
            alive["postgres"] = mark
        mark = Mark.read((self.known.get("valkey") or {}).get("mark"))
        if self.valkey and mark and mark.alive:
            alive["valkey"] = mark
        return alive

    def up(self, report: Report = quiet, *, keep: bool = False) -> dict[str, str]:
        """Start what does not run yet and wait until it answers; the environment variables that lead there.
        `keep`: the servers belong to nobody in particular, `manage.py play` leaves them running."""
        self._make_directory()
        alive = self.marks
        if self.postgres:
            if "postgres" not in alive:
                alive["postgres"] = self._start_postgres(report)
            self._provision()
        if self.valkey and "valkey" not in alive:
            alive["valkey"] = self._start_valkey(report)
        self._write(keep)
        return self.urls()

    def _make_directory(self) -> None:
        try:
            self.directory.mkdir(mode=0o755, parents=True, exist_ok=True)
            (self.directory / "log").mkdir(exist_ok=True)
            self.marks = self.running()
            # The passwords are kept before they are used: a run that ends half-way leaves no locked database.
            self._write(self.kept)
        except PermissionError as error:
            raise ServiceError(
                f"没有写权限，之前可能用 root 运行过 / No permission to write {error.filename}, probably made by root. "
                "Run as the same user, or set LIUZHOU_VAR to another directory."
            ) from None

    def _start_postgres(self, report: Report) -> Mark:
        assert self.postgres
        if not (self.postgres.directory / "PG_VERSION").exists():
            report("初始化数据库 / creating the database …")
        self.postgres.prepare(known_password=self._password_known)
        self.postgres.port = free_port(self.postgres.port or None)
        report(f"启动 PostgreSQL / starting PostgreSQL (127.0.0.1:{self.postgres.port}) …")
        return self._await("postgres", self.postgres)

    def _provision(self) -> None:
        assert self.postgres
        words = {
            roles.OWNER: self.passwords["owner"],
            roles.APP: self.passwords["app"],
            roles.AUDITOR: self.passwords["auditor"],
        }
        login = (pg.SUPERUSER, self.passwords["superuser"])
        with psycopg.connect(self.postgres.url(*login, "postgres"), autocommit=True) as connection:
            roles.ensure_roles(connection, words)
            roles.ensure_database(connection, pg.DATABASE)
        with psycopg.connect(self.postgres.url(*login), autocommit=True) as connection:
            roles.ensure_grants(connection)

    def _start_valkey(self, report: Report) -> Mark:
        assert self.valkey
        self.valkey.port = free_port(self.valkey.port or None)
        report(f"启动 Valkey / starting Valkey (127.0.0.1:{self.valkey.port}) …")
        self.valkey.prepare()
        return self._await("valkey", self.valkey)

    def _await(self, name: str, server: pg.Postgres | vk.Valkey) -> Mark:
        process = self.processes[name] = server.spawn()
        server.wait(process)
        return Mark.of(process.pid)

    def note(self, marks: dict[str, Mark]) -> None:
        """Record servers that were started anew by somebody who watches over them."""
        self.marks |= marks
        self._write(self.kept)

    @property
    def kept(self) -> bool:
        """Whether the running servers were started to stay (`manage.py services up`)."""
        return bool(self.known.get("keep"))

    def _write(self, keep: bool) -> None:
        content: dict[str, Any] = {"keep": keep, "passwords": self.passwords, "urls": self.urls()}
        for name, server in (("postgres", self.postgres), ("valkey", self.valkey)):
            if server:
                mark = self.marks.get(name)
                content[name] = {"port": server.port, "mark": mark.as_json() if mark else None}
            elif name in self.known:
                content[name] = self.known[name]
        private_file(self.file, json.dumps(content, indent=1))
        self.known = content

    def down(self, report: Report = quiet) -> None:
        """Stop the servers, the database cleanly; no error when they are down already."""
        alive = self.running()
        for name, number, timeout in (("valkey", vk.STOP_SIGNAL, 10), ("postgres", pg.STOP_SIGNAL, 60)):
            if name in alive:
                report(f"停止 / stopping {name} …")
                if not alive[name].end(signal.Signals(number), timeout=timeout):
                    report(f"{name} 未能正常停止，已强制结束 / {name} had to be killed")
        self.marks = {}
        if self.file.exists():
            self._write(keep=False)
