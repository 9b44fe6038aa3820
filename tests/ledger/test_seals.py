"""Sealing: everything once, also what commits late, by two sealers at once, and after a dump was restored."""

import os
import secrets
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection, connections
from psycopg.conninfo import conninfo_to_dict

from ledger import hashing, seals, services, tasks
from ledger.audit import run_audit
from ledger.services import COIN, Line
from liuzhou.services.postgres import binaries
from tests.ledger.conftest import as_login, key

pytestmark = pytest.mark.usefixtures("real_db")
Fund = Callable[..., int]
POST = "SELECT id FROM ledger.post('issue', %s, ARRAY[%s, %s]::bigint[], ARRAY[-1, 1]::bigint[], NULL, NULL, NULL, '')"


def covered(entry: int) -> int | None:
    """The seal over an entry, None when there is none or the entry is not to be seen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seal_id FROM audit.entry_seal WHERE entry_id = %s", [entry])
        found = cursor.fetchone()
    return found and found[0]


def test_a_seal_covers_what_came_since_the_last(fund: Fund) -> None:
    fund(5)
    tasks.seal()
    assert seals.seal() == []  # nothing new: no empty seals
    fund(5)
    fund(5)
    (made,) = seals.seal()
    before = next(one for one in seals.seals(after=made.id - 2))
    assert made.entries == 2
    assert (made.prev, made.from_xact) == (before.hash, before.to_xact)
    assert run_audit().ok


def test_an_entry_that_commits_late_is_sealed_later(fund: Fund, app_url: str) -> None:
    wallet, mint = fund(1), services.system("grants", COIN)
    with psycopg.connect(app_url) as late:
        (low,) = late.execute(POST, [key(), mint, wallet]).fetchone() or (0,)
        fund(3)
        high = newest()
        assert low < high
        seals.seal()
        assert covered(low) is None  # not seen at all yet
        assert covered(high) is None  # above the mark, as an older transaction still runs
        late.commit()
    seals.seal()
    assert covered(low) is not None
    assert covered(high) is not None
    found = run_audit()
    assert found.ok
    assert found.counts["unsealed"] == 0


def newest() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM ledger.entry")
        return int(cursor.fetchone()[0])


def test_sealers_that_race_make_each_seal_once(fund: Fund) -> None:
    barrier = Barrier(4)

    def race(_: int) -> list[seals.Seal]:
        try:
            barrier.wait()
            return seals.seal()
        finally:
            connections.close_all()

    seals.seal()
    for _ in range(3):
        fund(1)
        with ThreadPoolExecutor(4) as pool:
            made = [one for result in pool.map(race, range(4)) for one in result]
        assert sum(one.entries for one in made) == 1
    assert run_audit().ok


def test_seals_are_signed_when_there_is_a_key(fund: Fund, settings: Any) -> None:
    fund(1)
    seals.seal()
    settings.LEDGER_SEAL_KEY = secrets.token_hex(32)
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(settings.LEDGER_SEAL_KEY))
    fund(1)
    seals.seal()
    rows = list(seals.exported())
    for row in rows:  # the older ones were signed too
        pairs = {one["public_key"]: one["signature"] for one in row["signatures"]}
        signature = bytes.fromhex(pairs[seals.public_bytes(key).hex()])
        key.public_key().verify(signature, seals.CONTEXT + bytes.fromhex(row["hash"]))
        assert not seals.verify_signature(seals.public_bytes(key), signature, bytes(32))
    assert seals.sign_missing() == 0
    assert run_audit().ok


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 13])
def test_the_tree_is_rfc_6962s_and_proves_its_leaves(size: int) -> None:
    leaves = [hashing.leaf(bytes([n] * 32), []) for n in range(size)]
    root = hashing.merkle_root(leaves)
    assert root == recursive(leaves)
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_function_privilege('ledger.merkle_root(bytea[])', 'EXECUTE')")
        assert cursor.fetchone() == (False,)
    for place, leaf in enumerate(leaves):
        assert hashing.follow_path(leaf, hashing.merkle_path(leaves, place)) == root


def recursive(leaves: list[bytes]) -> bytes:
    """The definition in RFC 6962, 2.1: split at the largest power of two below n."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashing.sha256(b"\x01" + recursive(leaves[:split]) + recursive(leaves[split:])).digest()


def test_a_restored_dump_verifies_and_begins_an_epoch(fund: Fund, superuser_url: str, tmp_path: Path) -> None:
    fund(5)
    seals.seal()
    fund(7)  # not sealed when the dump is taken
    copy = restore(superuser_url, tmp_path / "dump")
    with as_login(copy):
        found = run_audit()
        assert [str(one) for one in found.differences] == []
        assert found.counts["unsealed"] == 1
        lines = [Line(services.system("mint", COIN), -3), Line(services.wallet(owner_ref=77, currency=COIN), 3)]
        services.post(kind="issue", key=key("restored"), lines=lines)
        old, new = seals.seal()
        assert old.epoch < new.epoch
        assert (old.entries, new.entries) == (1, 1)
        again = run_audit()
        assert [str(one) for one in again.differences] == []
        assert again.counts["unsealed"] == 0
        assert run_audit(since=old.id).counts["entries"] == 1


def restore(url: str, file: Path) -> str:
    """Dump the database and restore it beside; the address of the copy."""
    name = f"copy_{secrets.token_hex(4)}"
    login = conninfo_to_dict(url)
    copy = url.rsplit("/", 1)[0] + "/" + name
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} OWNER liuzhou_owner")
    env = os.environ | {"PGPASSWORD": str(login["password"])}
    for command in (
        [f"{binaries()}/pg_dump", "-Fc", "-f", file, url],
        [f"{binaries()}/pg_restore", "-e", "-d", copy, file],
    ):
        subprocess.run(command, check=True, env=env)
    return copy
