"""Each role connects and tries what it must not: the application, the auditor, the owner, and a superuser."""

import secrets
from collections.abc import Callable

import psycopg
import pytest
from psycopg import errors as pg

from ledger import services
from ledger.services import COIN, Line
from tests.ledger.conftest import key

pytestmark = pytest.mark.usefixtures("real_db")
Fund = Callable[..., int]
TABLES = ("account", "entry", "line", "account_event", "seal", "seal_signature", "proposal", "decision", "export")
VIEWS = (
    "account", "account_event", "daily_total", "entry", "entry_seal", "export", "line", "money_supply", "proposal", "seal",
    "violation",
)  # fmt: skip
BODY = "ARRAY[1, 2], ARRAY[1, -1], NULL, NULL, NULL, ''"


@pytest.fixture
def entry(fund: Fund) -> int:
    lines = [Line(fund(10), -3), Line(services.system("penalty", COIN), 3)]
    return services.post(kind="penalty", key=key(), lines=lines).id


def refuses(connection: psycopg.Connection, statement: str, *states: type[psycopg.Error]) -> str:
    with pytest.raises(states or (pg.InsufficientPrivilege,)) as error, connection.transaction():
        connection.execute(statement)
    return str(error.value)


@pytest.mark.parametrize("table", TABLES)
def test_the_app_reads_and_does_not_write(as_app: psycopg.Connection, table: str) -> None:
    as_app.execute(f"SELECT * FROM ledger.{table} LIMIT 1")
    refuses(as_app, f"DELETE FROM ledger.{table}")
    refuses(as_app, f"TRUNCATE ledger.{table} CASCADE")
    refuses(as_app, f"INSERT INTO ledger.{table} DEFAULT VALUES")
    column = as_app.execute(f"SELECT * FROM ledger.{table} LIMIT 0").description[-1].name  # type: ignore[index]
    refuses(as_app, f"UPDATE ledger.{table} SET {column} = NULL")
    refuses(as_app, f"ALTER TABLE ledger.{table} DISABLE TRIGGER ALL")
    refuses(as_app, f"SELECT * FROM ledger.{table} FOR UPDATE")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT ledger.write('signup', 'x', ARRAY[1, 2], ARRAY[1, -1], NULL, NULL, NULL, NULL, NULL, '')",
        "SELECT ledger.seal_range(1, 1, 2)",
        "SELECT ledger.fail('x', 'LZ001', '{}')",
        "SELECT nextval('ledger.entry_id_seq')",
        "SET session_replication_role = replica",
        "SET ROLE liuzhou_owner",
        "SET SESSION AUTHORIZATION postgres",
        "CREATE TABLE ledger.mine (a int)",
        "CREATE TABLE audit.mine (a int)",
        "CREATE TABLE public.mine (a int)",
        "CREATE SCHEMA mine",
        "CREATE OR REPLACE FUNCTION ledger.post() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "REFRESH MATERIALIZED VIEW ledger.epoch",
        "DELETE FROM audit.line",
        "INSERT INTO audit.export (actor, what) VALUES (1, 'x')",
        "DROP TABLE ledger.line",
        "COPY ledger.entry FROM PROGRAM 'true'",
    ],
)
def test_the_app_has_no_way_around(as_app: psycopg.Connection, statement: str) -> None:
    refuses(as_app, statement, pg.InsufficientPrivilege, pg.WrongObjectType, pg.ObjectNotInPrerequisiteState)


def test_a_search_path_does_not_deceive_the_functions(as_app: psycopg.Connection, fund: Fund) -> None:
    wallet = fund(10)
    with as_app.transaction():
        as_app.execute("SET LOCAL search_path = pg_temp, ledger, public")
        query = "SELECT created FROM ledger.post('penalty', %s, %s::bigint[], %s::bigint[], NULL, NULL, NULL, '')"
        row = as_app.execute(query, [key(), [services.system("penalty", COIN), wallet], [3, -3]]).fetchone()
    assert row == (True,)
    settings = as_app.execute(
        "SELECT proname, prosecdef, proconfig FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace AND prosecdef"
    ).fetchall()
    assert len(settings) >= 10
    for name, _, config in settings:
        assert "search_path=pg_catalog, pg_temp" in config, name


def test_only_doors_are_executable(as_app: psycopg.Connection, as_auditor: psycopg.Connection) -> None:
    query = """SELECT proname FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace
        AND has_function_privilege(%s, oid, 'EXECUTE') ORDER BY 1"""
    doors = [
        "close_hold", "decide", "freeze", "hold", "open_account", "post", "propose", "record_export", "reverse", "seal",
        "sign_seal",
    ]  # fmt: skip
    assert [name for (name,) in as_app.execute(query, ["liuzhou_app"])] == doors
    assert as_app.execute(query, ["liuzhou_auditor"]).fetchall() == []


@pytest.mark.parametrize("view", VIEWS)
def test_the_auditor_reads_the_views(as_auditor: psycopg.Connection, view: str) -> None:
    as_auditor.execute(f"SELECT * FROM audit.{view} LIMIT 5").fetchall()
    refuses(as_auditor, f"DELETE FROM audit.{view}", pg.InsufficientPrivilege, pg.ObjectNotInPrerequisiteState)
    options = as_auditor.execute(
        "SELECT reloptions FROM pg_class WHERE oid = %s::regclass", [f"audit.{view}"]
    ).fetchone()
    assert options == (["security_barrier=true"],)


def test_no_view_is_forgotten(as_auditor: psycopg.Connection) -> None:
    query = "SELECT relname FROM pg_class WHERE relnamespace = 'audit'::regnamespace AND relkind = 'v' ORDER BY 1"
    assert set(VIEWS) <= {name for (name,) in as_auditor.execute(query)}


@pytest.mark.parametrize(
    "statement",
    [
        *(f"SELECT * FROM ledger.{table}" for table in TABLES),
        "SELECT * FROM ledger.epoch",
        "SELECT * FROM public.accounts_user",
        "SELECT * FROM public.django_session",
        "SELECT ledger.seal()",
        "SELECT * FROM ledger.post('signup', 'x', ARRAY[1, 2], ARRAY[1, -1], NULL, NULL, NULL, '')",
        "CREATE TEMP TABLE mine (a int)",
        "CREATE TABLE audit.mine (a int)",
        "SET ROLE liuzhou_app",
    ],
)
def test_the_auditor_sees_and_does_nothing_else(as_auditor: psycopg.Connection, statement: str) -> None:
    refuses(as_auditor, statement)


@pytest.mark.parametrize("role", ["as_owner", "superuser"])
def test_nobody_changes_what_was_written(request: pytest.FixtureRequest, role: str, entry: int) -> None:
    connection: psycopg.Connection = request.getfixturevalue(role)
    if role == "superuser":  # ENABLE ALWAYS: also where triggers are otherwise skipped
        connection.execute("SET session_replication_role = replica")
    for statement in (
        f"UPDATE ledger.entry SET reason = 'x' WHERE id = {entry}",
        f"DELETE FROM ledger.entry WHERE id = {entry}",
        f"UPDATE ledger.line SET amount = 1 WHERE entry_id = {entry}",
        f"DELETE FROM ledger.line WHERE entry_id = {entry}",
        "TRUNCATE ledger.line",
        "TRUNCATE ledger.entry CASCADE",
        "TRUNCATE ledger.account CASCADE",
        "DELETE FROM ledger.account",
        "UPDATE ledger.account SET owner_ref = 5",
        "UPDATE ledger.account SET overdraft = true",
        "TRUNCATE ledger.seal CASCADE",
        "TRUNCATE ledger.proposal CASCADE",
    ):
        assert "immutable" in refuses(connection, statement, psycopg.DatabaseError), statement


NEW_ENTRY = """INSERT INTO ledger.entry (id, kind, key, size, at, epoch, xact, request, hash) OVERRIDING SYSTEM VALUE
    VALUES ({id}, '{kind}', '{key}', {size}, now(), 1, 1, sha256('a'), sha256('b'));"""
NEW_LINE = """INSERT INTO ledger.line (account_id, seq, entry_id, n, amount, balance, prev, hash)
    VALUES ({account}, {seq}, {entry}, {n}, {amount}, 0, sha256('a'), sha256('b'));"""


def new_entry(size: int = 2, kind: str = "issue") -> tuple[int, str]:
    number = 10**15 + secrets.randbits(40)
    return number, NEW_ENTRY.format(id=number, kind=kind, key=key(), size=size)


def new_line(entry: int, n: int, amount: int, account: int = 1) -> str:
    return NEW_LINE.format(account=account, seq=10**12 + secrets.randbits(40), entry=entry, n=n, amount=amount)


def test_not_even_the_owner_commits_an_entry_out_of_balance(as_owner: psycopg.Connection, entry: int) -> None:
    coins, cards = services.system("mint", COIN), services.system("mint", "CARD")
    one, alone = new_entry()
    assert "unbalanced" in refuses(as_owner, alone, psycopg.DatabaseError)
    for first, second, account in ((5, -4, coins), (5, 5, coins), (5, -5, cards), (5, -5, 10**14)):
        one, insert = new_entry()
        statement = insert + new_line(one, 1, first, coins) + new_line(one, 2, second, account)
        assert "unbalanced" in refuses(as_owner, statement, psycopg.DatabaseError), (first, second, account)
    for kind in ("settlement", "capture", "reversal"):
        one, insert = new_entry(kind=kind)
        statement = insert + new_line(one, 1, 5) + new_line(one, 2, -5)
        assert "unbalanced" in refuses(as_owner, statement, psycopg.DatabaseError), kind


def test_nobody_adds_lines_to_an_entry_later(as_owner: psycopg.Connection, entry: int) -> None:
    pair = new_line(entry, 3, 5) + new_line(entry, 4, -5)
    assert "unbalanced" in refuses(as_owner, pair, psycopg.DatabaseError)
    assert "unbalanced" in refuses(as_owner, new_line(10**14, 1, 5), psycopg.DatabaseError)
    refuses(as_owner, new_line(entry, 2, 5), pg.UniqueViolation)


def test_checking_early_does_not_open_a_door(as_owner: psycopg.Connection) -> None:
    one, insert = new_entry()
    statement = insert + new_line(one, 1, 5) + new_line(one, 2, -5) + "SET CONSTRAINTS ALL IMMEDIATE;"
    with as_owner.transaction(force_rollback=True):
        as_owner.execute(statement)
        assert "unbalanced" in refuses(as_owner, new_line(one, 3, 5), psycopg.DatabaseError)
