"""The database's roles: who owns the tables, who the application is, who may audit."""

import psycopg
from psycopg import sql

OWNER = "liuzhou_owner"
APP = "liuzhou_app"
AUDITOR = "liuzhou_auditor"


def ensure_roles(connection: psycopg.Connection, passwords: dict[str, str] | None = None) -> None:
    """Create the three roles where they are missing (idempotent). With `passwords` they can log in with them."""
    for role in (OWNER, APP, AUDITOR):
        name = sql.Identifier(role)
        found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        if not found:
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE").format(name))
        if passwords:
            word = sql.Literal(passwords[role])
            connection.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(name, word))


def ensure_database(connection: psycopg.Connection, database: str) -> None:
    """Create the owner's database if it is missing; the connection is in autocommit."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
        return
    statement = sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(database), sql.Identifier(OWNER))
    connection.execute(statement)


def ensure_grants(connection: psycopg.Connection, creator: str = OWNER) -> None:
    """In the application's database: what `creator`'s migrations make in `public` is the application's to read and
    write, never to change in shape. (The schemas `ledger` and `audit` grant for themselves, in the ledger's migrations.)"""
    app, owner = sql.Identifier(APP), sql.Identifier(creator)
    database = sql.Identifier(connection.info.dbname)
    auditor = sql.Identifier(AUDITOR)
    for statement in (
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database),
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}, {}").format(database, app, auditor),
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(app),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}").format(app),
        sql.SQL("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}").format(app),
        sql.SQL(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}"
        ).format(owner, app),
        sql.SQL("ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {}").format(
            owner, app
        ),
    ):
        connection.execute(statement)
