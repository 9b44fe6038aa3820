"""The cast of the rooms' tests: 东 南 西 北 at the table and an outsider; and a real site with its worker and beat."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from http.cookiejar import Cookie
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from ledger import services as ledger
from liuzhou.accounts.models import User
from rooms.client import Visitor
from rooms.trial import started_site

NAMES = ("dong", "nan", "xi", "bei", "outsider")


@pytest.fixture
def make_user(real_db: None) -> Callable[[str], User]:
    """A committed user under a name nobody else has, with the coins and cards of a new player."""

    def make(name: str) -> User:
        user = User.objects.create_user(f"{name}-{uuid.uuid4().hex[:10]}", password="correct horse")
        ledger.grant_signup(user_id=user.pk)
        return user

    return make


@pytest.fixture
def cast(make_user: Callable[[str], User]) -> list[User]:
    return [make_user(name) for name in NAMES]


@pytest.fixture(scope="session")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`manage.py play` on the tests' own PostgreSQL and Valkey: Daphne, worker, beat. Its address."""
    folder: Path = tmp_path_factory.mktemp("site")
    environment = {"DATABASE_URL": os.environ["DATABASE_URL"], "REDIS_URL": os.environ["REDIS_URL"]}
    with started_site(folder, environment, print) as url:
        yield url


def visitor_for(user: User, url: str) -> Visitor:
    """The user signed in, without going through the form: a session of the real store and its cookie."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    visitor = Visitor(url)
    name = settings.SESSION_COOKIE_NAME
    visitor.jar.set_cookie(
        Cookie(
            0,
            name,
            session.session_key,
            None,
            False,
            "127.0.0.1",
            True,
            False,
            "/",
            True,
            False,
            None,
            False,
            None,
            None,
            {},
        )
    )
    return visitor
