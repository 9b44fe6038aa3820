"""Posting, holding, capturing, releasing, reversing: what is written, what is refused, and that each happens once."""

import secrets
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from ledger import errors, selectors, services
from ledger.models import Entry
from ledger.services import CARD, COIN, POINT, Line
from tests.ledger.conftest import key

pytestmark = pytest.mark.django_db
Fund = Callable[..., int]


def move(source: int, target: int, amount: int, **more: object) -> services.Entry:
    lines = [Line(source, -amount), Line(target, amount)]
    return services.post(**{"kind": "penalty", "key": key(), "lines": lines} | more)  # type: ignore[arg-type]


def refused(error: type[errors.LedgerError], call: Callable[[], object]) -> errors.LedgerError:
    """The call is refused, and the savepoint around it lets the test go on."""
    with pytest.raises(error) as caught, transaction.atomic():
        call()
    assert all((caught.value.code, caught.value.zh, caught.value.en))
    return caught.value


def test_sign_up_grants_once(owner: int) -> None:
    for _ in range(2):
        services.grant_signup(user_id=owner)
    assert selectors.wallet_balances(owner_ref=owner) == {COIN: 2_000, CARD: 8, POINT: 0}
    entries = Entry.objects.filter(key__startswith=f"signup:{owner}:")
    assert entries.count() == 2  # cards and coins never share one


def test_the_same_key_returns_the_same_entry(fund: Fund) -> None:
    wallet, penalty, name = fund(10), services.system("penalty", COIN), key()
    first = move(wallet, penalty, 10, key=name)
    again = move(wallet, penalty, 10, key=name)  # although nothing is left to pay with
    assert first.created
    assert again == (first.id, False)
    assert selectors.balance(wallet) == 0


@pytest.mark.parametrize(
    "other",
    [{"kind": "burn"}, {"reason": "other"}, {"hand": 5}, {"room": 5}, {"actor": 5}, {"amount": 2}],
    ids=lambda other: next(iter(other)),
)
def test_the_same_key_with_another_body_is_refused(fund: Fund, other: dict[str, object]) -> None:
    wallet, penalty, name = fund(10), services.system("penalty", COIN), key()
    move(wallet, penalty, 1, key=name)
    amount = int(str(other.get("amount", 1)))
    rest = {option: value for option, value in other.items() if option != "amount"}
    refused(errors.KeyReused, lambda: move(wallet, penalty, amount, key=name, **rest))


def test_the_order_of_lines_and_lines_of_zero_do_not_matter(fund: Fund) -> None:
    a, b, c = (services.seat(owner_ref=n, name="order") for n in (71, 72, 73))
    move(services.system("mint", COIN), a, 10)
    name = key()
    first = services.post(kind="fee", key=name, lines=[Line(a, -4), Line(b, 4), Line(c, 0)])
    again = services.post(kind="fee", key=name, lines=[Line(b, 4), Line(a, -4)])
    assert again == (first.id, False)


def test_funds_that_are_missing_are_named(fund: Fund) -> None:
    wallet = fund(10)
    error = refused(errors.InsufficientFunds, lambda: move(wallet, services.system("penalty", COIN), 25))
    assert isinstance(error, errors.InsufficientFunds)
    assert error.shortfall == 15
    assert "15" in error.text("zh-hans")
    assert "15" in error.text("en")


def test_points_may_go_below_zero(fund: Fund) -> None:
    wallet = fund(0, POINT)
    move(wallet, services.system("penalty", POINT), 7)
    assert selectors.balance(wallet) == -7


def test_a_refused_key_can_be_used_afterwards(fund: Fund) -> None:
    wallet, penalty, name = fund(10), services.system("penalty", COIN), key()
    refused(errors.InsufficientFunds, lambda: move(wallet, penalty, 11, key=name))
    assert move(wallet, penalty, 9, key=name).created


@pytest.mark.parametrize("amount", [True, 1.0, "1", 10**15 + 1, -(10**16), None])
def test_only_integers_are_taken(fund: Fund, amount: object) -> None:
    wallet = fund(10)
    lines = [Line(wallet, amount), Line(services.system("penalty", COIN), 1)]  # type: ignore[arg-type]
    with pytest.raises(errors.BadLines):
        services.post(kind="burn", key=key(), lines=lines)


def test_lines_that_cannot_be_are_refused(fund: Fund) -> None:
    wallet, mint, cards = fund(10), services.system("mint", COIN), services.system("mint", CARD)

    def try_lines(*lines: tuple[int, int]) -> Callable[[], object]:
        return lambda: services.post(kind="burn", key=key(), lines=[Line(*line) for line in lines])

    refused(errors.BadLines, try_lines((wallet, -1)))
    refused(errors.BadLines, try_lines((wallet, 0), (mint, 0)))
    refused(errors.BadLines, try_lines((wallet, -1), (wallet, 1)))
    refused(errors.Unbalanced, try_lines((wallet, -1), (mint, 2)))
    refused(errors.UnknownAccount, try_lines((wallet, -1), (10**14, 1)))
    refused(errors.Unbalanced, try_lines((wallet, -1), (cards, 1)))
    other = services.system("grants", CARD)
    refused(errors.MixedCurrencies, try_lines((wallet, -1), (mint, 1), (cards, -1), (other, 1)))


def test_coins_and_points_may_share_a_settlement(fund: Fund) -> None:
    seats = [services.seat(owner_ref=n, name=key("seat")) for n in (81, 82)]
    points = [fund(0, POINT, owner=n) for n in (81, 82)]
    move(services.system("mint", COIN), seats[0], 100)
    lines = [Line(seats[0], -30), Line(seats[1], 30), Line(points[0], -3), Line(points[1], 3)]
    hand = secrets.randbits(60)
    services.post(kind="settlement", key=f"hand:{hand}", lines=lines, hand=hand)
    assert [selectors.balance(account) for account in (*seats, *points)] == [70, 30, -3, 3]


def test_a_hand_is_settled_or_voided_once(fund: Fund) -> None:
    wallet, penalty, hand = fund(10), services.system("penalty", COIN), secrets.randbits(60)
    move(wallet, penalty, 1, kind="settlement", hand=hand)
    refused(errors.HandSettled, lambda: move(wallet, penalty, 1, kind="settlement", hand=hand))
    refused(errors.HandSettled, lambda: move(wallet, penalty, 1, kind="void", hand=hand))
    assert move(wallet, penalty, 1, kind="compensation", hand=hand).created


def test_a_settlement_names_its_hand(fund: Fund) -> None:
    def settle() -> None:
        move(fund(10), services.system("penalty", COIN), 1, kind="settlement")
        connection.check_constraints()  # what a commit does

    with pytest.raises(DatabaseError, match="unbalanced"), transaction.atomic():
        settle()


def test_coins_do_not_go_from_player_to_player(fund: Fund, owner: int) -> None:
    mine, theirs, seat = fund(10, owner=owner), fund(10), services.seat(owner_ref=owner + 5_000, name="x")
    refused(errors.PlayerTransfer, lambda: move(mine, theirs, 1))
    refused(errors.PlayerTransfer, lambda: move(mine, seat, 1))
    assert move(mine, services.seat(owner_ref=owner, name="mine"), 1).created
    grants = services.system("grants", COIN)  # one grant to many is no transfer
    lines = [Line(grants, -2), Line(mine, 1), Line(theirs, 1)]
    assert services.post(kind="relief", key=key(), lines=lines).created


def test_cards_go_from_agent_to_player(fund: Fund, owner: int) -> None:
    stock = services.agent(owner_ref=owner)
    move(services.system("mint", CARD), stock, 100, kind="purchase")
    move(stock, fund(0, CARD), 10, kind="handover")
    assert selectors.balance(stock) == 90


def test_accounts_are_of_known_kinds(owner: int) -> None:
    refused(errors.UnknownCurrency, lambda: services.wallet(owner_ref=owner, currency="GOLD"))
    refused(errors.BadAccount, lambda: services.wallet(owner_ref=0, currency=COIN))
    refused(errors.BadAccount, lambda: services.wallet(owner_ref=-1, currency=COIN))
    refused(errors.BadAccount, lambda: services.seat(owner_ref=owner, name=""))
    refused(errors.BadAccount, lambda: services.seat(owner_ref=owner, name="x" * 65))
    refused(errors.BadAccount, lambda: services.system("pocket", COIN))
    assert services.wallet(owner_ref=owner, currency=COIN) == services.wallet(owner_ref=owner, currency=COIN)


def test_a_frozen_account_receives_and_does_not_pay(fund: Fund) -> None:
    wallet, grants = fund(10), services.system("grants", COIN)
    assert services.freeze(account=wallet, frozen=True, actor=1, reason="复核")
    assert not services.freeze(account=wallet, frozen=True, actor=1, reason="复核")
    refused(errors.AccountFrozen, lambda: move(wallet, grants, 1, kind="sit"))
    refused(errors.AccountFrozen, lambda: services.hold(key=key(), account=wallet, amount=1))
    assert move(grants, wallet, 5, kind="relief").created
    assert move(wallet, services.system("penalty", COIN), 5).created  # by an admin
    services.freeze(account=wallet, frozen=False, actor=1, reason="无误")
    assert move(wallet, grants, 1, kind="sit").created


def test_a_hold_is_captured_once(fund: Fund, owner: int) -> None:
    wallet, sales = fund(8, CARD, owner), services.system("card_sales", CARD)
    held = services.hold(key=key(), account=wallet, amount=5, room=7)
    assert selectors.balance(wallet) == 3
    name = key()
    done = services.capture(key=name, hold=held.id, to=sales, amount=2)
    assert services.capture(key=name, hold=held.id, to=sales, amount=2) == (done.id, False)
    refused(errors.HoldClosed, lambda: services.capture(key=key(), hold=held.id, to=sales))
    refused(errors.HoldClosed, lambda: services.release(key=key(), hold=held.id))
    assert selectors.balance(wallet) == 6


def test_a_hold_is_released_once(fund: Fund) -> None:
    wallet = fund(8, CARD)
    held = services.hold(key=key(), account=wallet, amount=8)
    refused(errors.InsufficientFunds, lambda: services.hold(key=key(), account=wallet, amount=1))
    services.release(key=key(), hold=held.id)
    refused(errors.HoldClosed, lambda: services.release(key=key(), hold=held.id))
    assert selectors.balance(wallet) == 8


def test_holds_that_cannot_be_are_refused(fund: Fund) -> None:
    wallet, sales = fund(8, CARD), services.system("card_sales", CARD)
    held = services.hold(key=key(), account=wallet, amount=5)
    for amount in (0, -1, 6):
        refused(
            errors.BadLines, lambda amount=amount: services.capture(key=key(), hold=held.id, to=sales, amount=amount)
        )
    refused(errors.BadLines, lambda: services.capture(key=key(), hold=held.id, to=wallet))
    refused(errors.BadLines, lambda: services.hold(key=key(), account=wallet, amount=0))
    refused(errors.UnknownAccount, lambda: services.hold(key=key(), account=sales, amount=1))
    refused(errors.UnknownHold, lambda: services.release(key=key(), hold=10**14))
    refused(errors.BadKind, lambda: move(wallet, sales, 1, kind="release"))


def test_an_entry_is_reversed_once_with_a_reason(fund: Fund) -> None:
    wallet, penalty = fund(10), services.system("penalty", COIN)
    entry = move(wallet, penalty, 4)
    refused(errors.NotReversible, lambda: services.reverse(key=key(), entry=entry.id, actor=1, reason=""))
    undone = services.reverse(key=key(), entry=entry.id, actor=1, reason="误罚")
    assert selectors.balance(wallet) == 10
    refused(errors.AlreadyReversed, lambda: services.reverse(key=key(), entry=entry.id, actor=1, reason="再来"))
    refused(errors.NotReversible, lambda: services.reverse(key=key(), entry=undone.id, actor=1, reason="反悔"))
    refused(errors.UnknownEntry, lambda: services.reverse(key=key(), entry=10**14, actor=1, reason="?"))


def test_a_reversal_does_not_take_what_is_not_there(fund: Fund) -> None:
    wallet, grants = fund(0), services.system("grants", COIN)
    entry = move(grants, wallet, 4, kind="relief")
    move(wallet, grants, 3, kind="sit")
    error = refused(
        errors.InsufficientFunds, lambda: services.reverse(key=key(), entry=entry.id, actor=1, reason="误发")
    )
    assert error.detail["shortfall"] == 3


def test_a_statement_runs_backwards_with_its_balances(fund: Fund) -> None:
    wallet, penalty = fund(10), services.system("penalty", COIN)
    for amount in (1, 2, 3):
        move(wallet, penalty, amount)
    page = selectors.statement(account=wallet, limit=2)
    assert [(row.amount, row.balance) for row in page] == [(-3, 4), (-2, 7)]
    rest = selectors.statement(account=wallet, before=page[-1].seq)
    assert [(row.amount, row.balance) for row in rest] == [(-1, 9), (10, 10)]


def test_posting_is_prepared_once_whatever_the_amounts(fund: Fund) -> None:
    """Django forbids prepared statements on its connections: without a word from us each post would be parsed anew."""
    wallet, penalty = fund(2**40), services.system("penalty", COIN)
    for amount in (1, 100_000, 2**36):
        move(wallet, penalty, amount)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%ledger.post(%%'")
        assert cursor.fetchone() == (1,)
