"""The hashes of the ledger, recomputed in plain Python: what docs/audit.md describes, with the standard library alone.

All are SHA-256. `int8` is a signed 64-bit integer, `int4` a signed 32-bit one, both big-endian; times are microseconds
since 1970. JSON is written as `json.dumps(value, ensure_ascii=False)` does, in UTF-8."""

import json
from collections.abc import Sequence
from hashlib import sha256
from struct import Struct

ZERO = bytes(32)
_LINE = Struct(">qqqiqq")
_ENTRY = Struct(">qqqq")
_SEAL = Struct(">qqqqqq")


def _json(*values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode()


def account_genesis(*, id: int, kind: str, name: str, owner_ref: int, currency: str) -> bytes:
    """What an account's first line is chained to: who the account is."""
    return sha256(_json(id, kind, name, owner_ref, currency)).digest()


def request(
    *,
    kind: str,
    hand: int | None,
    room: int | None,
    hold: int | None,
    reversed: int | None,
    actor: int | None,
    reason: str,
    accounts: Sequence[int],
    amounts: Sequence[int],
) -> bytes:
    """The body of an entry: what has to be the same when a key is used again."""
    lines = (" ".join(map(str, accounts)), " ".join(map(str, amounts)))
    return sha256(_json(kind, hand, room, hold, reversed, actor, reason, *lines)).digest()


def entry(*, request: bytes, id: int, at: int, epoch: int, xact: int, key: str) -> bytes:
    """The body, and when and under which number and key it was written."""
    return sha256(request + _ENTRY.pack(id, at, epoch, xact) + key.encode()).digest()


def line(
    prev: bytes, account_id: int, seq: int, entry_id: int, n: int, amount: int, balance: int, entry_hash: bytes
) -> bytes:
    """A line, chained to the line before it of the same account and to its entry."""
    return sha256(prev + _LINE.pack(account_id, seq, entry_id, n, amount, balance) + entry_hash).digest()


def leaf(entry_hash: bytes, line_hashes: Sequence[bytes]) -> bytes:
    """An entry with its lines, as a seal covers it."""
    return sha256(b"\x00" + entry_hash + b"".join(line_hashes)).digest()


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The tree head of RFC 6962 over leaves that are hashed already; an odd one is carried up as it is."""
    level = list(leaves)
    while len(level) > 1:
        pairs = [sha256(b"\x01" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def merkle_path(leaves: Sequence[bytes], index: int) -> list[tuple[str, bytes]]:
    """The sisters from a leaf to the root, each with its side: proof that the leaf is in the tree."""
    path: list[tuple[str, bytes]] = []
    level = list(leaves)
    while len(level) > 1:
        sister = index ^ 1
        if sister < len(level):
            path.append(("left" if sister < index else "right", level[sister]))
        pairs = [sha256(b"\x01" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        level, index = pairs + level[len(pairs) * 2 :], index // 2
    return path


def follow_path(hash: bytes, path: Sequence[tuple[str, bytes]]) -> bytes:
    """The root that a leaf's path leads to."""
    for side, sister in path:
        hash = sha256(b"\x01" + (sister + hash if side == "left" else hash + sister)).digest()
    return hash


def seal(
    *, prev: bytes, root: bytes, id: int, epoch: int, from_xact: int, to_xact: int, entries: int, at: int
) -> bytes:
    """A seal, chained to the seal before it."""
    return sha256(prev + root + _SEAL.pack(id, epoch, from_xact, to_xact, entries, at)).digest()
