"""The audit finds what a superuser changed behind the ledger's back, and nothing in a ledger that nobody touched."""

import io
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from ledger import seals, services
from ledger.audit import Difference, Scope, register_check, report, run_audit, settlements
from ledger.audit.guards import TRIGGERS
from ledger.services import COIN, Line
from tests.ledger.conftest import as_login, key

pytestmark = pytest.mark.usefixtures("real_db")
Fund = Callable[..., int]


@pytest.fixture
def story(fund: Fund) -> dict[str, int]:
    """Two wallets, a few movements between them and the house, a hold, a settlement; all sealed."""
    hand = secrets.randbits(60)
    wallet, other, penalty = fund(100), fund(100), services.system("penalty", COIN)
    for _ in range(3):
        services.post(kind="penalty", key=key(), lines=[Line(wallet, -7), Line(penalty, 7)])
    seats = [services.seat(owner_ref=hand + n, name="s") for n in range(2)]
    services.post(kind="issue", key=key(), lines=[Line(services.system("mint", COIN), -9), Line(seats[0], 9)])
    lines = [Line(seats[0], -9), Line(seats[1], 9)]
    entry = services.post(kind="settlement", key=key(), lines=lines, hand=hand, reason='他说："好"\n\t\\ 😀').id
    services.release(key=key(), hold=services.hold(key=key(), account=other, amount=5).id)
    seals.seal()
    return {"wallet": wallet, "other": other, "entry": entry, "hand": hand}


@pytest.fixture
def tamper(superuser_url: str) -> Callable[..., set[str]]:
    """tamper(sql, …) changes the ledger with its triggers off, says which checks then fail, and rolls all of it back."""

    def change(*statements: str) -> set[str]:
        with as_login(superuser_url), transaction.atomic():
            switch_triggers("DISABLE TRIGGER")
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                    assert cursor.rowcount != 0
            switch_triggers("ENABLE ALWAYS TRIGGER")
            found = run_audit()
            assert found.differences
            transaction.set_rollback(True)
        return set(found.failed)

    return change


def switch_triggers(how: str) -> None:
    tables = ("account", "entry", "line", "seal")
    with connection.cursor() as cursor:
        for table, trigger in TRIGGERS:
            if table in tables:
                cursor.execute(f"ALTER TABLE ledger.{table} {how} {trigger}")


def test_an_untouched_ledger_is_clean(story: dict[str, int]) -> None:
    found = run_audit()
    assert [str(difference) for difference in found.differences] == []
    assert found.ok
    assert found.counts["unsealed"] == 0


def test_a_changed_amount_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    failed = tamper(f"UPDATE ledger.line SET amount = -8 WHERE account_id = {story['wallet']} AND seq = 3")
    assert {"balance", "chain", "sum", "entry", "rules"} <= failed


def test_amounts_changed_on_both_sides_are_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    failed = tamper(
        f"UPDATE ledger.line SET amount = amount * 2, balance = amount * 2 WHERE entry_id = {story['entry']}"
    )
    assert {"chain", "entry"} <= failed


def test_a_changed_balance_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    failed = tamper(f"UPDATE ledger.line SET balance = balance + 1 WHERE account_id = {story['wallet']} AND seq = 2")
    assert {"balance", "chain"} <= failed


def test_a_changed_head_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    assert {"head"} <= tamper(f"UPDATE ledger.account SET balance = balance + 1000 WHERE id = {story['wallet']}")


def test_a_deleted_line_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    middle = tamper(f"DELETE FROM ledger.line WHERE account_id = {story['wallet']} AND seq = 2")
    assert {"sequence", "chain", "entry", "sum", "seal", "rules"} <= middle
    last = tamper(f"DELETE FROM ledger.line WHERE account_id = {story['wallet']} AND seq = 4")
    assert {"head", "entry", "seal"} <= last


def test_a_deleted_entry_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    entry = story["entry"]
    failed = tamper(f"DELETE FROM ledger.line WHERE entry_id = {entry}", f"DELETE FROM ledger.entry WHERE id = {entry}")
    assert {"head", "seal"} <= failed
    assert {"entry", "chain"} <= tamper(f"DELETE FROM ledger.entry WHERE id = {entry}")


def test_an_inserted_line_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    insert = f"""INSERT INTO ledger.line SELECT account_id, 5, entry_id, 3, amount, balance + amount, hash, sha256(hash)
        FROM ledger.line WHERE account_id = {story["wallet"]} AND seq = 4"""
    assert {"chain", "entry", "sum", "head", "rules"} <= tamper(insert)


def test_swapped_lines_are_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    swap = [
        f"UPDATE ledger.line SET seq = {new} WHERE account_id = {story['wallet']} AND seq = {old}"
        for old, new in ((2, 99), (3, 2), (99, 3))
    ]
    assert {"chain", "balance"} <= tamper(*swap)


def test_a_changed_reason_hand_or_time_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    for change in ("reason = ''", "hand = hand + 1", "actor = 1", "kind = 'void'"):
        assert {"entry"} <= tamper(f"UPDATE ledger.entry SET {change} WHERE id = {story['entry']}")
    for change in ("at = at + interval '1 microsecond'", "key = key || 'x'", "xact = xact + 1"):
        assert {"entry"} <= tamper(f"UPDATE ledger.entry SET {change} WHERE id = {story['entry']}")


def test_an_account_given_to_another_is_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    assert {"account"} <= tamper(f"UPDATE ledger.account SET owner_ref = 999999999999 WHERE id = {story['wallet']}")


def test_changed_and_deleted_seals_are_found(story: dict[str, int], tamper: Callable[..., set[str]]) -> None:
    last = "(SELECT max(id) FROM ledger.seal)"
    assert {"seal"} <= tamper(f"UPDATE ledger.seal SET root = sha256(root) WHERE id = {last}")
    assert {"seal"} <= tamper(f"UPDATE ledger.seal SET to_xact = to_xact + 1 WHERE id = {last}")
    services.grant_signup(user_id=story["hand"])
    seals.seal()
    assert {"seal"} <= tamper(f"DELETE FROM ledger.seal WHERE id = {last} - 1")


def test_a_history_rewritten_whole_does_not_match_the_exported_seals(story: dict[str, int], tmp_path: Path) -> None:
    exported = io.StringIO()
    call_command("ledger_seals", stdout=exported)
    file = tmp_path / "seals.jsonl"
    file.write_text(exported.getvalue())
    call_command("audit_ledger", against=file, quiet=True, stdout=io.StringIO())
    rows = [json.loads(line) for line in exported.getvalue().splitlines()]
    rows[-1]["hash"] = "00" * 32
    rows.append(rows[-1] | {"id": rows[-1]["id"] + 1})
    found = run_audit(known={row["id"]: row["hash"] for row in rows})
    assert found.failed == {"seal": 2}


def test_switched_off_guards_are_found(story: dict[str, int], superuser_url: str) -> None:
    with as_login(superuser_url), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE ledger.line DISABLE TRIGGER line_no_change")
            cursor.execute("DROP INDEX ledger.entry_one_settlement")
            cursor.execute("GRANT UPDATE ON ledger.account TO liuzhou_app")
        assert run_audit().failed == {"guards": 3}
        transaction.set_rollback(True)


def test_since_a_seal_only_what_came_after_is_read(story: dict[str, int]) -> None:
    last = max(one.id for one in seals.seals())
    services.grant_signup(user_id=story["hand"])
    services.post(
        kind="penalty", key=key(), lines=[Line(story["wallet"], -1), Line(services.system("penalty", COIN), 1)]
    )
    found = run_audit(since=last)
    assert found.ok
    assert found.counts["entries"] == 3
    assert found.counts["lines"] == 6
    with pytest.raises(CommandError) as error:
        call_command("audit_ledger", since=10**9, quiet=True)
    assert error.value.returncode == 2


def test_other_apps_check_settlements(story: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_checks", {})

    def replay(scope: Scope) -> Iterator[Difference]:
        for settled in settlements(scope):
            if settled.hand == story["hand"]:
                amounts = [line.amount for line in settled.lines]
                yield Difference("", "no replay gives this", entry=settled.entry, hand=settled.hand, found=str(amounts))

    register_check("replay", replay)
    found = run_audit()
    assert found.failed == {"replay": 1}
    assert "replay" in found.checks
    assert found.differences[0].found == "[-9, 9]"


def test_the_command_says_what_it_found_and_exits_with_1(
    story: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = io.StringIO(), io.StringIO()
    call_command("audit_ledger", json=True, stdout=out, stderr=err)
    answer = json.loads(out.getvalue())
    assert answer["ok"] is True
    assert answer["checks"]["chain"] == 0
    assert "100%" in err.getvalue()
    monkeypatch.setattr(report, "_checks", {"replay": lambda scope: [Difference("", "差一金币", entry=story["entry"])]})
    out = io.StringIO()
    with pytest.raises(SystemExit) as code:
        call_command("audit_ledger", quiet=True, stdout=out)
    assert code.value.code == 1
    assert f"[replay] entry {story['entry']}: 差一金币" in out.getvalue()
