"""Sealing what was committed, signing the seals, and giving them away, so that nobody can rewrite the past unseen."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.db import connection

from ledger.calls import transact

# What is signed is this and the seal's hash: a signature for another purpose is never one for a seal.
CONTEXT = b"liuzhou ledger seal 1:"
_COLUMNS = (
    "s.id, s.epoch, s.from_xact, s.to_xact, s.entries, (extract(epoch FROM s.at) * 1000000)::bigint, "
    "s.root, s.prev, s.hash"
)


class Seal(NamedTuple):
    """One seal; `at` in microseconds since 1970."""

    id: int
    epoch: int
    from_xact: int
    to_xact: int
    entries: int
    at: int
    root: bytes
    prev: bytes
    hash: bytes


def signing_key() -> Ed25519PrivateKey | None:
    """The key of LEDGER_SEAL_KEY (64 hex digits), if one is set."""
    text = getattr(settings, "LEDGER_SEAL_KEY", None) or os.environ.get("LEDGER_SEAL_KEY", "")
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text)) if text else None


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def seal() -> list[Seal]:
    """Seal everything committed and not yet sealed (a new epoch, after a restore, makes two seals), and sign what is not
    signed. Two at once make each seal once."""
    made = transact(_seal)
    sign_missing()
    return made


def _seal() -> list[Seal]:
    return [_seal_row(row) for row in _rows(f"SELECT {_COLUMNS} FROM ledger.seal() s")]  # noqa: S608


def sign_missing() -> int:
    """Sign the seals that this key has not signed; how many these were. Nothing without a key."""
    key = signing_key()
    if key is None:
        return 0
    public = public_bytes(key)
    query = f"""SELECT {_COLUMNS} FROM ledger.seal s WHERE NOT EXISTS (
        SELECT FROM ledger.seal_signature g WHERE g.seal_id = s.id AND g.public_key = %s) ORDER BY s.id"""  # noqa: S608
    missing = [_seal_row(row) for row in _rows(query, [public])]
    for one in missing:
        _rows("SELECT ledger.sign_seal(%s, %s, %s)", [one.id, public, key.sign(CONTEXT + one.hash)])
    return len(missing)


def verify_signature(public_key: bytes, signature: bytes, seal_hash: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, CONTEXT + seal_hash)
    except (InvalidSignature, ValueError):
        return False
    return True


def seals(*, after: int = 0) -> Iterator[Seal]:
    """The seals in order, those after a number."""
    query = f"SELECT {_COLUMNS} FROM ledger.seal s WHERE s.id > %s ORDER BY s.id"  # noqa: S608
    return (_seal_row(row) for row in _rows(query, [after]))


def signatures(*, after: int = 0) -> dict[int, list[tuple[bytes, bytes]]]:
    """By seal: (public key, signature)."""
    found: dict[int, list[tuple[bytes, bytes]]] = {}
    query = "SELECT seal_id, public_key, signature FROM ledger.seal_signature WHERE seal_id > %s ORDER BY seal_id, at"
    for number, public, signature in _rows(query, [after]):
        found.setdefault(number, []).append((bytes(public), bytes(signature)))
    return found


def exported(*, after: int = 0) -> Iterator[dict[str, Any]]:
    """The seals as JSON objects, to be kept elsewhere; `audit_ledger --against` compares them later."""
    signed = signatures(after=after)
    for one in seals(after=after):
        values = {name: value.hex() if isinstance(value, bytes) else value for name, value in one._asdict().items()}
        pairs = signed.get(one.id, [])
        yield values | {"signatures": [{"public_key": public.hex(), "signature": sign.hex()} for public, sign in pairs]}


def _seal_row(row: tuple[Any, ...]) -> Seal:
    id, epoch, from_xact, to_xact, entries, at, root, prev, hash = row
    return Seal(id, epoch, from_xact, to_xact, entries, at, bytes(root), bytes(prev), bytes(hash))


def _rows(query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
