"""The guards themselves: triggers present and always enabled, unique indexes in force, nobody granted more than planned."""

from collections.abc import Iterator

from ledger.audit.reading import rows
from ledger.audit.report import Difference

IMMUTABLE = ("entry", "line", "account_event", "seal", "seal_signature", "proposal", "decision", "export")
TRIGGERS = {
    ("account", "account_shape"),
    ("account", "account_no_change"),
    ("account", "account_no_delete"),
    ("account", "account_no_truncate"),
    ("entry", "entry_balanced"),
    ("line", "line_balanced"),
    *((table, f"{table}_no_change") for table in IMMUTABLE),
    *((table, f"{table}_no_truncate") for table in IMMUTABLE),
}
INDEXES = {
    "account_pkey",
    "account_identity",
    "entry_pkey",
    "entry_key",
    "entry_one_settlement",
    "entry_one_close",
    "entry_one_reversal",
    "line_pkey",
    "line_of_entry",
    "seal_pkey",
    "seal_once",
}
_TRIGGERS = """SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'ledger'::regnamespace AND NOT t.tgisinternal AND t.tgenabled = 'A'"""
_INDEXES = """SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'ledger'::regnamespace AND i.indisunique AND i.indisvalid AND i.indislive"""
_GRANTS = """SELECT r.rolname, c.relname FROM pg_class c, pg_roles r
    WHERE c.relnamespace = 'ledger'::regnamespace AND c.relkind = 'r' AND (
      r.rolname = 'liuzhou_app' AND has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR r.rolname = 'liuzhou_app' AND has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE')
      OR r.rolname = 'liuzhou_auditor' AND has_any_column_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE'))"""


def check_guards() -> Iterator[Difference]:
    """Each guard that is missing or switched off, each grant that is too many."""
    for table, trigger in sorted(TRIGGERS - {(str(table), str(name)) for table, name in rows(_TRIGGERS)}):
        yield Difference("guards", f"trigger {trigger} on {table} is missing or not ENABLE ALWAYS")
    for index in sorted(INDEXES - {str(name) for (name,) in rows(_INDEXES)}):
        yield Difference("guards", f"unique index {index} is missing or not valid")
    for role, table in rows(_GRANTS):
        yield Difference("guards", f"{role} has rights on ledger.{table} that it must not have")
