"""The admins' desk: issue, burn, reverse with a reason; a second admin above the limit."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from ledger import desk, errors, selectors, services
from ledger.models import Entry
from ledger.services import CARD, COIN, Line
from tests.ledger.conftest import key

pytestmark = pytest.mark.django_db
Fund = Callable[..., int]
BIG = desk.APPROVAL_ABOVE[COIN] + 1


def refused(error: type[errors.LedgerError], call: Callable[[], object]) -> None:
    with pytest.raises(error), transaction.atomic():
        call()


def test_small_amounts_are_issued_and_burned_at_once(fund: Fund) -> None:
    wallet, name = fund(0), key()
    done = desk.issue(key=name, account=wallet, amount=500, actor=1, reason="活动奖励")
    assert desk.issue(key=name, account=wallet, amount=500, actor=1, reason="活动奖励") == done
    desk.burn(key=key(), account=wallet, amount=200, actor=1, reason="更正")
    assert selectors.balance(wallet) == 300
    entry = Entry.objects.get(pk=done.entry)
    assert (entry.kind, entry.actor, entry.reason) == ("issue", 1, "活动奖励")


def test_a_reason_and_an_amount_are_needed(fund: Fund) -> None:
    wallet = fund(10)
    refused(errors.NoReason, lambda: desk.issue(key=key(), account=wallet, amount=1, actor=1, reason=" "))
    refused(errors.BadLines, lambda: desk.burn(key=key(), account=wallet, amount=0, actor=1, reason="x"))
    refused(errors.InsufficientFunds, lambda: desk.burn(key=key(), account=wallet, amount=11, actor=1, reason="x"))
    mint = services.system("mint", COIN)
    refused(errors.UnknownAccount, lambda: desk.issue(key=key(), account=mint, amount=1, actor=1, reason="x"))


def test_large_amounts_wait_for_another_admin(fund: Fund) -> None:
    wallet, name = fund(0), key()
    done = desk.issue(key=name, account=wallet, amount=BIG, actor=1, reason="大奖")
    assert done.entry is None
    assert desk.issue(key=name, account=wallet, amount=BIG, actor=1, reason="大奖") == done
    refused(errors.KeyReused, lambda: desk.issue(key=name, account=wallet, amount=BIG + 1, actor=1, reason="大奖"))
    assert selectors.balance(wallet) == 0
    proposal = done.proposal or 0
    refused(errors.SecondAdmin, lambda: desk.decide(proposal=proposal, approved=True, actor=1))
    assert desk.decide(proposal=proposal, approved=True, actor=2).entry
    refused(errors.AlreadyDecided, lambda: desk.decide(proposal=proposal, approved=True, actor=3))
    assert selectors.balance(wallet) == BIG


def test_a_rejected_proposal_moves_nothing(fund: Fund) -> None:
    wallet = fund(0)
    proposal = desk.issue(key=key(), account=wallet, amount=BIG, actor=1, reason="大奖").proposal or 0
    desk.decide(proposal=proposal, approved=False, actor=1, reason="撤回")
    refused(errors.AlreadyDecided, lambda: desk.decide(proposal=proposal, approved=True, actor=2))
    assert selectors.balance(wallet) == 0
    refused(errors.UnknownProposal, lambda: desk.decide(proposal=10**14, approved=True, actor=2))


def test_a_large_reversal_waits_too(fund: Fund, settings: Any) -> None:
    settings.LEDGER_APPROVAL_ABOVE = {CARD: 3}
    stock, wallet = services.agent(owner_ref=55), fund(0, CARD)
    services.post(kind="issue", key=key(), lines=[Line(services.system("mint", CARD), -10), Line(stock, 10)])
    entry = services.post(kind="handover", key=key(), lines=[Line(stock, -4), Line(wallet, 4)])
    proposal = desk.reverse(key=key(), entry=entry.id, actor=1, reason="转错人").proposal or 0
    desk.decide(proposal=proposal, approved=True, actor=2)
    assert selectors.balance(wallet) == 0
    refused(errors.UnknownEntry, lambda: desk.reverse(key=key(), entry=10**14, actor=1, reason="x"))


def test_cards_are_sold_to_agents_alone_and_large_orders_wait(owner: int, fund: Fund) -> None:
    stock, told = services.agent(owner_ref=owner), []
    desk.on_decided(told.append)
    try:
        done = desk.purchase(key=key(), account=stock, amount=100, actor=1, reason="进货")
        entry = Entry.objects.get(pk=done.entry)
        assert (entry.kind, selectors.balance(stock)) == ("purchase", 100)
        assert entry.lines.filter(account=services.system("card_sales", CARD), amount=-100).exists()
        refused(
            errors.UnknownAccount,
            lambda: desk.purchase(key=key(), account=fund(0, CARD), amount=1, actor=1, reason="x"),
        )
        large = desk.APPROVAL_ABOVE[CARD] + 1
        proposal = desk.purchase(key=key(), account=stock, amount=large, actor=1, reason="大单").proposal or 0
        assert (selectors.balance(stock), told) == (100, [])
        done = desk.decide(proposal=proposal, approved=True, actor=2, reason="核对过")
        assert told == [desk.Decided(proposal, "purchase", done.entry, 2, "核对过")]
        assert selectors.balance(stock) == 100 + large
    finally:
        desk._told.remove(told.append)
