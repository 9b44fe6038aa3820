"""`manage.py selfplay` against the real site: players sign up through the form and every settlement agrees."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from rooms.management.commands.selfplay import Table


def test_whole_hands_over_real_sockets_settle_as_their_logs_do(site: str) -> None:
    out = StringIO()
    call_command("selfplay", tables=2, hands=1, url=site, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[-1] == "2 hands, 2 settled, 0 mismatches"
    assert re.search(r"p50 [\d.]+ ms, p95 [\d.]+ ms, p99 [\d.]+ ms", out.getvalue())


def test_a_mismatch_is_found(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Table._told
    monkeypatch.setattr(
        Table, "_told", lambda self, hand, result, sums: told(self, hand, result, [n + 1 for n in sums])
    )
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("selfplay", tables=1, hands=1, url=site, stdout=out)
    assert ended.value.code == 1
    assert out.getvalue().splitlines()[-1] == "1 hands, 1 settled, 4 mismatches"


@pytest.mark.parametrize("bad", [{"tables": 0}, {"hands": 0}, {"hands": 17}])
def test_numbers_out_of_range_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(CommandError, match="at least 1"):
        call_command("selfplay", url="http://127.0.0.1:9", **bad)
