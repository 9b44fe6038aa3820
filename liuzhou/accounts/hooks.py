"""Where apps above accounts join in: what they know of a player, accounts may not import.

`rooms` registers in its `AppConfig.ready`. Everything here is called in the order of registration."""

from collections.abc import Callable
from typing import Any

from liuzhou.accounts.models import User

Closing = Callable[[User], None]
Export = Callable[[User], Any]
SignedOut = Callable[[int, str | None], None]

_checks: list[Closing] = []
_erasers: list[Closing] = []
_exports: dict[str, Export] = {}
_signed_out: list[SignedOut] = []


def on_closing(check: Closing) -> None:
    """`check(user)` is called before an account is closed, its row locked; it refuses by raising an AccountError."""
    _once(_checks, check)


def on_erasing(erase: Closing) -> None:
    """`erase(user)` takes the player's name out of what the app keeps, in the transaction that closes the account."""
    _once(_erasers, erase)


def on_export(name: str, export: Export) -> None:
    """`export(user)` is what the app stores about the player, ready for JSON, under `name` in the download."""
    _exports[name] = export


def on_signed_out(tell: SignedOut) -> None:
    """`tell(user_id, session_key)` is called after sessions were ended, with None when it was all of them."""
    _once(_signed_out, tell)


def check_closing(user: User) -> None:
    for check in _checks:
        check(user)


def erase(user: User) -> None:
    for eraser in _erasers:
        eraser(user)


def exported(user: User) -> dict[str, Any]:
    return {name: export(user) for name, export in _exports.items()}


def signed_out(user_id: int, session_key: str | None) -> None:
    for tell in _signed_out:
        tell(user_id, session_key)


def _once(registered: list[Any], one: Any) -> None:
    if one not in registered:
        registered.append(one)
