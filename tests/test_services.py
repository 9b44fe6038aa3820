"""The embedded servers by themselves: started, found again, healed, refused."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from liuzhou.services.process import Mark, ServiceError, free_port, read_json
from liuzhou.services.stack import Stack


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "var"
    Stack(tmp_path / "var").down()


def stack(home: Path) -> Stack:
    return Stack(home, durable=False)


def who(url: str) -> str:
    with psycopg.connect(url) as link:
        return link.execute("SELECT current_user").fetchone()[0]


def test_up_and_down_and_up_again_keeps_data_ports_and_passwords(home: Path) -> None:
    first = stack(home).up()
    with psycopg.connect(first["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE kept (n int)")
    assert redis.Redis.from_url(first["REDIS_URL"]).ping()
    stack(home).down()
    assert stack(home).running() == {}
    assert stack(home).up() == first
    with psycopg.connect(first["DATABASE_URL"]) as link:
        assert link.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_up_when_it_is_up_changes_nothing(home: Path) -> None:
    first = stack(home)
    urls = first.up()
    second = stack(home)
    assert second.up() == urls
    assert second.running() == first.running()


def test_each_role_logs_in_as_itself_and_with_its_own_password_only(home: Path) -> None:
    urls = stack(home).up()
    assert who(urls["DATABASE_URL"]) == "liuzhou_app"
    assert who(urls["DATABASE_OWNER_URL"]) == "liuzhou_owner"
    assert who(urls["DATABASE_AUDITOR_URL"]) == "liuzhou_auditor"
    swapped = urls["DATABASE_URL"].replace("liuzhou_app:", "liuzhou_owner:")
    bare = urls["DATABASE_SUPERUSER_URL"].replace(":" + urls["DATABASE_SUPERUSER_URL"].split(":")[2].split("@")[0], "")
    for url in (swapped, bare):
        with pytest.raises(psycopg.OperationalError):
            who(url)
    with pytest.raises(redis.exceptions.AuthenticationError):
        redis.Redis(port=int(urls["REDIS_URL"].rsplit(":", 1)[1].split("/")[0])).ping()


def test_lost_passwords_are_replaced_and_the_data_stays(home: Path) -> None:
    with psycopg.connect(stack(home).up()["DATABASE_OWNER_URL"]) as link:
        link.execute("CREATE TABLE kept (n int)")
    stack(home).down()
    (home / "services.json").unlink()
    with psycopg.connect(stack(home).up()["DATABASE_URL"]) as link:
        assert link.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_pid_file_whose_pid_is_somebody_elses_now_is_no_obstacle(home: Path) -> None:
    servers = stack(home)
    servers.up()
    lines = (home / "postgres" / "postmaster.pid").read_text().splitlines()
    servers.down()
    (home / "postgres" / "postmaster.pid").write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    assert who(stack(home).up()["DATABASE_URL"]) == "liuzhou_app"


def test_data_of_another_major_version_is_left_alone(home: Path) -> None:
    servers = stack(home)
    servers.up()
    servers.down()
    version = home / "postgres" / "PG_VERSION"
    was = version.read_text()
    version.write_text("15\n")
    with pytest.raises(ServiceError, match="PostgreSQL 15"):
        stack(home).up()
    version.write_text(was)


def test_an_interrupted_initdb_is_begun_again(home: Path) -> None:
    (home / "postgres.new").mkdir(parents=True)
    (home / "postgres.new" / "PG_VERSION").write_text("18\n")
    assert who(stack(home).up()["DATABASE_URL"]) == "liuzhou_app"


def test_the_addresses_are_the_owners_secret(home: Path) -> None:
    stack(home).up()
    assert stat.S_IMODE((home / "services.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "postgres").stat().st_mode) == 0o700


def test_a_mark_is_not_fooled_by_a_reused_pid() -> None:
    mark = Mark.of(os.getpid())
    assert mark.alive
    assert not Mark(os.getpid(), mark.started - 100).alive


def test_a_port_in_use_is_passed_over(home: Path) -> None:
    urls = stack(home).up()
    port = int(urls["DATABASE_URL"].rsplit(":", 1)[1].split("/")[0])
    assert free_port(port) != port


def test_the_command_starts_shows_and_stops(tmp_path: Path) -> None:
    hidden = ("DATABASE", "REDIS", "LIUZHOU", "DJANGO")
    env = {key: value for key, value in os.environ.items() if not key.startswith(hidden)}
    env["LIUZHOU_VAR"] = str(tmp_path / "var")

    def services(action: str) -> str:
        command = [sys.executable, "manage.py", "services", action]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout

    try:
        assert "postgres: pid" in services("up")
        assert read_json(tmp_path / "var" / "services.json")["keep"] is True
        assert "valkey: pid" in services("status")
    finally:
        assert "postgres: not running" in services("down")
