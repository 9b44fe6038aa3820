"""A state machine: any order of operations leaves the ledger as a few lines of plain Python say it must be."""

import secrets
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from ledger import errors, selectors, services
from ledger.audit import run_audit
from ledger.services import CARD, COIN, POINT, Line
from tests.ledger.conftest import key

AMOUNTS = st.integers(1, 40)
OWNERS = st.integers(0, 3)


@dataclass
class Model:
    """What the ledger should say: balances by account, bodies by key, open holds, entries that can be reversed."""

    balances: dict[int, int] = field(default_factory=dict)
    posted: dict[str, tuple[str, tuple[Line, ...]]] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    reversible: dict[int, tuple[Line, ...]] = field(default_factory=dict)
    holds: dict[int, tuple[int, int]] = field(default_factory=dict)

    def affords(self, lines: tuple[Line, ...], overdrafts: set[int]) -> bool:
        return all(id in overdrafts or amount > 0 or self.balances[id] + amount >= 0 for id, amount in lines)

    def apply(self, lines: tuple[Line, ...]) -> None:
        for account, amount in lines:
            self.balances[account] += amount


class Bank(RuleBasedStateMachine):
    holds = Bundle("holds")
    entries = Bundle("entries")
    keys = Bundle("keys")

    @initialize()
    def open(self) -> None:
        base = secrets.randbelow(10**14) + 1
        self.model = Model()
        self.wallets = {
            (n, currency): services.wallet(owner_ref=base + n, currency=currency)
            for n in range(4)
            for currency in (COIN, CARD, POINT)
        }
        self.house = {currency: services.system("compensation", currency) for currency in (COIN, CARD, POINT)}
        self.overdrafts = {*self.house.values(), *(self.wallets[n, POINT] for n in range(4))}
        self.model.balances = {
            account: selectors.balance(account) for account in (*self.wallets.values(), *self.house.values())
        }

    def attempt(self, name: str, kind: str, lines: tuple[Line, ...]) -> int | None:
        """Post, and expect what the model expects; the entry's id when it went in."""
        known = self.model.posted.get(name)
        try:
            with transaction.atomic():
                entry = services.post(kind=kind, key=name, lines=lines)
        except errors.KeyReused:
            assert known is not None
            assert known != (kind, tuple(sorted(lines)))
            return None
        except errors.InsufficientFunds:
            assert known is None
            assert not self.model.affords(lines, self.overdrafts)
            return None
        assert entry.created == (known is None)
        if known is None:
            assert self.model.affords(lines, self.overdrafts)
            self.model.apply(lines)
            self.model.posted[name] = (kind, tuple(sorted(lines)))
            self.model.ids[name] = entry.id
            self.model.reversible[entry.id] = lines
        assert entry.id == self.model.ids[name]
        return entry.id

    @rule(target=keys, owner=OWNERS, currency=st.sampled_from([COIN, CARD, POINT]), amount=AMOUNTS)
    def give(self, owner: int, currency: str, amount: int) -> str:
        name = key()
        self.attempt(name, "issue", (Line(self.house[currency], -amount), Line(self.wallets[owner, currency], amount)))
        return name

    @rule(target=entries, owner=OWNERS, currency=st.sampled_from([COIN, CARD, POINT]), amount=AMOUNTS)
    def take(self, owner: int, currency: str, amount: int) -> int | None:
        return self.attempt(
            key(), "burn", (Line(self.house[currency], amount), Line(self.wallets[owner, currency], -amount))
        )

    @rule(target=entries, payer=OWNERS, shares=st.lists(st.integers(0, 9), min_size=4, max_size=4))
    def settle_points(self, payer: int, shares: list[int]) -> int | None:
        amounts = [-sum(shares) + shares[n] if n == payer else shares[n] for n in range(4)]
        lines = tuple(Line(self.wallets[n, POINT], amount) for n, amount in enumerate(amounts) if amount)
        return self.attempt(key(), "score", lines) if lines else None

    @rule(name=keys, owner=OWNERS, amount=AMOUNTS, same=st.booleans())
    def repeat(self, name: str, owner: int, amount: int, same: bool) -> None:
        if same and name in self.model.posted:
            self.attempt(name, *self.model.posted[name])
        else:
            self.attempt(name, "issue", (Line(self.house[COIN], -amount), Line(self.wallets[owner, COIN], amount)))

    @rule(target=holds, owner=OWNERS, amount=AMOUNTS)
    def hold(self, owner: int, amount: int) -> int | None:
        wallet = self.wallets[owner, CARD]
        try:
            with transaction.atomic():
                held = services.hold(key=key(), account=wallet, amount=amount)
        except errors.InsufficientFunds:
            assert self.model.balances[wallet] < amount
            return None
        self.model.balances[wallet] -= amount
        self.model.holds[held.id] = (wallet, amount)
        return held.id

    @rule(held=holds, share=st.integers(1, 40), capture=st.booleans())
    def close(self, held: int | None, share: int, capture: bool) -> None:
        if held is None:
            return
        wallet, amount = self.model.holds.get(held, (0, 0))
        taken = min(share, amount) if capture else 0
        try:
            with transaction.atomic():
                if capture:
                    services.capture(key=key(), hold=held, to=self.house[CARD], amount=taken or None)
                else:
                    services.release(key=key(), hold=held)
        except errors.HoldClosed:
            assert held not in self.model.holds
            return
        del self.model.holds[held]
        self.model.balances[wallet] += amount - taken
        self.model.balances[self.house[CARD]] += taken

    @rule(entry=entries)
    def reverse(self, entry: int | None) -> None:
        if entry is None:
            return
        opposite = tuple(Line(account, -amount) for account, amount in self.model.reversible.get(entry, ()))
        try:
            with transaction.atomic():
                services.reverse(key=key(), entry=entry, actor=1, reason="冲正")
        except errors.AlreadyReversed:
            assert entry not in self.model.reversible
            return
        except errors.InsufficientFunds:
            assert not self.model.affords(opposite, self.overdrafts)
            return
        del self.model.reversible[entry]
        self.model.apply(opposite)

    @invariant()
    def balances_agree(self) -> None:
        if hasattr(self, "model"):
            found = {account: selectors.balance(account) for account in self.wallets.values()}
            assert found == {account: self.model.balances[account] for account in found}


@pytest.mark.usefixtures("real_db")
def test_any_order_of_operations_gives_what_the_model_says() -> None:
    run_state_machine_as_test(
        Bank,
        settings=settings(
            max_examples=15, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert [str(difference) for difference in run_audit().differences] == []
