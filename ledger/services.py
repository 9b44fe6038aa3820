"""The one way in which coins, cards and points move: verbs over the SQL functions, keyword-only, integers."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from django.db import connection

from ledger.calls import call, transact
from ledger.errors import BadLines
from ledger.terms import CARD, COIN, CURRENCIES, POINT
from liuzhou.values import services as values

__all__ = [
    "CARD", "COIN", "CURRENCIES", "POINT", "Entry", "Line", "agent", "capture", "freeze", "grant_signup", "hold", "post",
    "release", "reverse", "seat", "system", "transact", "wallet",
]  # fmt: skip

LARGEST = 10**15  # no amount is larger

_POST = "SELECT id, created FROM ledger.post(%s,%s,%s::bigint[],%s::bigint[],%s::bigint,%s::bigint,%s::bigint,%s)"
_HOLD = "SELECT id, created FROM ledger.hold(%s,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s)"
_CLOSE = (
    "SELECT id, created FROM "
    "ledger.close_hold(%s,%s,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s::bigint,%s)"
)
_REVERSE = "SELECT id, created FROM ledger.reverse(%s,%s::bigint,%s::bigint,%s)"
_OPEN = "SELECT ledger.open_account(%s,%s,%s::bigint,%s)"
_FREEZE = "SELECT ledger.freeze(%s::bigint,%s::boolean,%s::bigint,%s)"


class Line(NamedTuple):
    """What one account gives (below zero) or gets."""

    account_id: int
    amount: int


class Entry(NamedTuple):
    """The entry's number; `created` is False when the key had already been posted with the same body."""

    id: int
    created: bool


def post(
    *,
    kind: str,
    key: str,
    lines: Sequence[Line],
    actor: int | None = None,
    reason: str = "",
    hand: int | None = None,
    room: int | None = None,
) -> Entry:
    """Post one entry: all lines or none, once per key. Lines of zero are left out; what remains sums to zero per currency.

    Raises InsufficientFunds, KeyReused, HandSettled (kinds settlement and void), AccountFrozen, BadLines, Unbalanced, …
    Inside a transaction of the caller an error has broken that transaction; Busy means: run it again (see `transact`).
    """
    moved = sorted(line for line in lines if _whole(line.amount) != 0)
    if len(moved) < 2:
        raise BadLines(why="size")
    accounts = "{" + ",".join(str(_whole(line.account_id)) for line in moved) + "}"
    amounts = "{" + ",".join(str(line.amount) for line in moved) + "}"
    row = call(_POST, [kind, key, accounts, amounts, _text(hand), _text(room), _text(actor), reason])
    return Entry(*row)


def hold(
    *,
    key: str,
    account: int,
    amount: int,
    actor: int | None = None,
    reason: str = "",
    hand: int | None = None,
    room: int | None = None,
) -> Entry:
    """Set an amount of a wallet aside 预留; the entry's id is the hold's, to be captured or released once."""
    row = call(_HOLD, [key, _text(account), _text(amount), _text(hand), _text(room), _text(actor), reason])
    return Entry(*row)


def capture(
    *,
    key: str,
    hold: int,
    to: int,
    amount: int | None = None,
    actor: int | None = None,
    reason: str = "",
    hand: int | None = None,
    room: int | None = None,
) -> Entry:
    """Pay a hold (or `amount` of it, the rest going back) to the account `to`. HoldClosed if it was closed before."""
    return _close("capture", key, hold, to, amount, hand, room, actor, reason)


def release(
    *, key: str, hold: int, actor: int | None = None, reason: str = "", hand: int | None = None, room: int | None = None
) -> Entry:
    """Give a hold back to the wallet it came from. HoldClosed if it was closed before."""
    return _close("release", key, hold, None, None, hand, room, actor, reason)


def _close(
    kind: str,
    key: str,
    hold: int,
    to: int | None,
    amount: int | None,
    hand: int | None,
    room: int | None,
    actor: int | None,
    reason: str,
) -> Entry:
    numbers = [_text(number) for number in (hold, to, amount, hand, room, actor)]
    return Entry(*call(_CLOSE, [kind, key, *numbers, reason]))


def reverse(*, key: str, entry: int, actor: int | None, reason: str) -> Entry:
    """Post the opposite of an entry 冲正, once. NotReversible without a reason, for holds and for reversals."""
    return Entry(*call(_REVERSE, [key, _text(entry), _text(actor), reason]))


def freeze(*, account: int, frozen: bool, actor: int | None, reason: str) -> bool:
    """Freeze or unfreeze an account; False if it was so already. A frozen account receives but does not pay."""
    row = call(_FREEZE, [_text(account), str(frozen), _text(actor), reason])
    return bool(row[0])


def wallet(*, owner_ref: int, currency: str) -> int:
    """The player's wallet in this currency, opened when it is first asked for."""
    return _open("user", "", owner_ref, currency)


def agent(*, owner_ref: int) -> int:
    """The agent's stock of room cards."""
    return _open("agent", "", owner_ref, CARD)


def seat(*, owner_ref: int, name: str, currency: str = COIN) -> int:
    """The escrow of a player at one table; `name` tells the table and the sitting."""
    return _open("seat", name, owner_ref, currency)


def system(name: str, currency: str) -> int:
    """A system account: mint, grants, penalty, compensation, card_sales. May be below zero: it is where money comes from."""
    parameters = connection.settings_dict
    return _system(f"{parameters['HOST']}:{parameters['PORT']}/{parameters['NAME']}", name, currency)


def grant_signup(*, user_id: int) -> None:
    """What a new player starts with (values SIGNUP_COINS, SIGNUP_CARDS: 2,000 and 8), two entries; once however often it is
    called."""
    transact(lambda: _grant_signup(user_id))


def _grant_signup(user_id: int) -> None:
    for currency, amount in ((COIN, values.get("SIGNUP_COINS")), (CARD, values.get("SIGNUP_CARDS"))):
        post(
            kind="signup",
            key=f"signup:{user_id}:{currency}",
            lines=[
                Line(system("grants", currency), -amount),
                Line(wallet(owner_ref=user_id, currency=currency), amount),
            ],
            reason="注册赠送",
        )


@cache
def _system(database: str, name: str, currency: str) -> int:
    """System accounts are made by the migration and never change: asked for once per process and database."""
    return _open("system", name, 0, currency)


def _open(kind: str, name: str, owner_ref: int, currency: str) -> int:
    return int(call(_OPEN, [kind, name, _text(owner_ref), currency])[0])


def _whole(number: object, largest: int = LARGEST) -> int:
    """The number, if it is an integer of a size the ledger takes."""
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > largest:
        raise BadLines(why="amount")
    return number


def _text(number: int | None) -> str | None:
    """A number or reference as the wire has it; nothing that is not an integer gets through."""
    return None if number is None else str(_whole(number, 2**63 - 1))
