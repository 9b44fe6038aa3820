"""Where apps above accounts join in: what they know of a player, accounts may not import.

`rooms` registers in its `AppConfig.ready`. Everything here is called in the order of registration."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from liuzhou.accounts.models import User

Closing = Callable[[User], None]
Export = Callable[[User], Any]
SignedOut = Callable[[int, str | None], None]
RoomsOpened = Callable[[int, datetime], dict[date, int]]

_checks: list[Closing] = []
_erasers: list[Closing] = []
_exports: dict[str, Export] = {}
_signed_out: list[SignedOut] = []
_becoming_agent: list[Closing] = []
_rooms_opened: list[RoomsOpened] = []


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


def on_becoming_agent(check: Closing) -> None:
    """`check(user)` is called before a player becomes an agent, the row locked; it refuses by raising an AccountError."""
    _once(_becoming_agent, check)


def on_rooms_opened(count: RoomsOpened) -> None:
    """`count(user_id, since)` tells how many rooms of the player count towards an agency, by the day they were opened."""
    _once(_rooms_opened, count)


def check_becoming_agent(user: User) -> None:
    for check in _becoming_agent:
        check(user)


def rooms_opened(user_id: int, since: datetime) -> dict[date, int]:
    days: dict[date, int] = {}
    for count in _rooms_opened:
        for day, rooms in count(user_id, since).items():
            days[day] = days.get(day, 0) + rooms
    return days


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
