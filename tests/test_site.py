"""What every process shares: health, production settings, the timetable, static files, the pages for what went wrong."""

import json
import os
import subprocess
import sys

import pytest
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client, RequestFactory

from liuzhou import errors, health


@pytest.mark.django_db
def test_readiness_names_what_is_missing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda self, targets: [("rooms", "0002_next")])
    assert client.get("/readyz").json() == {"ready": False, "database": "1 migrations missing", "valkey": "ok"}

    def lost(connection: object) -> None:
        raise OperationalError

    monkeypatch.setattr(health, "MigrationExecutor", lost)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["database"]) == (503, "unreachable")


def test_being_alive_needs_no_database(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


def setting(*names: str, **env: str) -> dict[str, object]:
    """Settings as another environment would have them."""
    code = f"import json; from liuzhou import settings as s; print(json.dumps({{n: getattr(s, n) for n in {names!r}}}))"
    kept = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    done = subprocess.run([sys.executable, "-c", code], env=kept | env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_production_is_strict() -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "ALLOWED_HOSTS", "DEBUG")
    strict = setting(*names, PRODUCTION="1", SECRET_KEY="x" * 50)
    assert strict == {
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        "ALLOWED_HOSTS": ["localhost", "127.0.0.1", "[::1]"],
        "DEBUG": False,
    }


def test_production_needs_a_key_of_its_own() -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        setting("DEBUG", PRODUCTION="1", SECRET_KEY="")
    assert "SECRET_KEY" in refused.value.stderr


def test_the_application_is_liuzhou_app_whoever_logs_in() -> None:
    own = setting("DATABASES", DATABASE_URL="postgres://me:word@db/x")["DATABASES"]
    assert own["default"]["OPTIONS"] == {"options": "-c role=liuzhou_app"}
    assert "OPTIONS" not in own["owner"]
    assert own["owner"]["USER"] == "me"
    itself = setting("DATABASES", DATABASE_URL="postgres://liuzhou_app:word@db/x", LIUZHOU_DB_POOL="4")["DATABASES"]
    assert itself["default"]["OPTIONS"]["pool"]["max_size"] == 4
    assert "options" not in itself["default"]["OPTIONS"]
    assert itself["default"]["CONN_MAX_AGE"] == 0


def test_beat_reads_the_apps_timetables() -> None:
    from liuzhou.celery import app

    app.finalize(auto=True)
    sweep = app.conf.beat_schedule["sweep"]
    assert (sweep["task"], sweep["schedule"]) == ("rooms.tasks.sweep", 0.5)
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


@pytest.mark.parametrize(
    ("entry", "expires"),
    [
        ({"schedule": 0.5}, 2),
        ({"schedule": 30.0}, 30),
        ({"schedule": 0.5, "options": {"expires": 120}}, 120),
    ],
)
def test_a_message_that_nobody_took_expires_unless_its_app_knows_better(entry: dict, expires: float) -> None:
    from liuzhou.celery import _with_expiry

    assert _with_expiry(entry)["options"]["expires"] == expires


@pytest.mark.parametrize(
    ("page", "status"),
    [(errors.bad_request, 400), (errors.forbidden, 403), (errors.not_found, 404), (errors.server_error, 500)],
)
def test_an_error_page_that_fails_becomes_the_plain_one(
    page: object, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.template import loader
    from django.views import defaults

    def broken(*args: object, **keywords: object) -> None:
        raise OperationalError("no database for the header")

    for module in (loader, defaults.loader):
        monkeypatch.setattr(module, "get_template", broken)
    arguments = [] if status == 500 else [Exception()]
    response = page(RequestFactory().get("/"), *arguments)
    assert response.status_code == status
    assert "出错了" in response.content.decode()


def test_every_static_file_can_be_collected(tmp_path: object) -> None:
    env = {k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"} | {"LIUZHOU_VAR": str(tmp_path)}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
