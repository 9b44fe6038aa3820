"""SQL files as migration operations. The ledger is never unmade by a migration: there is no reverse."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent / "migrations" / "sql"


def run_sql(*names: str) -> list[migrations.RunSQL]:
    return [migrations.RunSQL((SQL / f"{name}.sql").read_text(encoding="utf-8")) for name in names]
