"""Who may do what in the database."""

import psycopg
import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_the_application_is_the_role_that_owns_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)")
        assert cursor.fetchone() == ("liuzhou_app", False)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE public.mine (id int)",
        "CREATE SCHEMA mine",
        "ALTER TABLE accounts_user ADD COLUMN mine int",
        "DROP TABLE accounts_user",
        "TRUNCATE accounts_user CASCADE",
        "SET ROLE liuzhou_owner",
        "CREATE ROLE friend",
    ],
)
def test_the_application_cannot_change_the_shape_of_anything(app_url: str, statement: str) -> None:
    with psycopg.connect(app_url) as link, pytest.raises(psycopg.errors.InsufficientPrivilege):
        link.execute(statement)


def test_the_auditor_reads_no_player(auditor_url: str) -> None:
    with psycopg.connect(auditor_url) as link, pytest.raises(psycopg.errors.InsufficientPrivilege):
        link.execute("SELECT * FROM accounts_user")


def test_a_wrong_password_opens_nothing(app_url: str) -> None:
    head, tail = app_url.split("@")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(f"{head}x@{tail}")
