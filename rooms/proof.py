"""How a hand's wall is fixed beforehand and proved afterwards (DESIGN 6.9). Pure but for `new_secret`."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence


def new_secret() -> bytes:
    """32 random bytes, committed to by their SHA-256 before anybody's nonce is known."""
    return secrets.token_bytes(32)


def commitment(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def wall_seed(secret: bytes, nonces: Sequence[str], hand_id: int) -> bytes:
    """SHA-256(secret ‖ nonce₀ ‖ … ‖ nonceₙ₋₁ ‖ hand id as 8 bytes, big-endian); an absent nonce is empty."""
    parts = [secret, *(bytes.fromhex(nonce) for nonce in nonces), hand_id.to_bytes(8, "big")]
    return hashlib.sha256(b"".join(parts)).digest()
