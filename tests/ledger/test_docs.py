"""The ten queries of docs/audit.md run as they stand, as the auditor's role."""

import re
from pathlib import Path

import psycopg
import pytest

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "audit.md"
QUERIES = re.findall(r"-- (\d+\. [^\n]*)\n(.*?;)\n", DOCUMENT.read_text(encoding="utf-8").split("```sql")[1], re.DOTALL)


def test_there_are_ten() -> None:
    assert len(QUERIES) == 10


@pytest.mark.usefixtures("real_db")
@pytest.mark.parametrize(("title", "query"), QUERIES, ids=[title for title, _ in QUERIES])
def test_the_documented_query_runs(as_auditor: psycopg.Connection, title: str, query: str) -> None:
    rows = as_auditor.execute(query).fetchall()
    if title.startswith("1."):
        assert rows == []
    if title.startswith("4."):
        assert {row[-1] for row in rows} == {0}
    if title.startswith("10."):
        assert all(row[-1] and row[-2] for row in rows)
