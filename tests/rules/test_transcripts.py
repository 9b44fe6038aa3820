"""Whole hands, word for word: any change to what players are told shows here as a diff."""

import pytest

from tests.rules.transcripts import regenerate


@pytest.mark.parametrize("row", regenerate.rows(), ids=lambda row: row["name"])
def test_transcript(row):
    kept = (regenerate.HERE / f"{row['name']}.txt").read_text()
    assert regenerate.transcript(row["record"]) == kept, "if meant: python -m tests.rules.transcripts.regenerate"
