"""The ledger in Django admin: read-only, each action behind its permission, refusals told on the form."""

from collections.abc import Callable

import pytest
from django.test import Client

from ledger import desk, selectors
from ledger.models import Account, Entry, Proposal
from ledger.services import COIN
from tests.ledger.conftest import key
from tests.staff import make, signed_in

pytestmark = pytest.mark.usefixtures("real_db")  # a refusal ends the transaction it happens in
Fund = Callable[..., int]
BIG = desk.APPROVAL_ABOVE[COIN] + 1


def staff(name: str, *permissions: str) -> Client:
    return signed_in(make(name, *(f"ledger.{one}" for one in permissions)))


@pytest.fixture
def boss() -> Client:
    return staff("boss", "view_account", "view_entry", "view_proposal", "issue", "freeze", "reverse", "decide")


def act(client: Client, model: str, number: int, action: str, **fields: object) -> int:
    address = f"/admin/ledger/{model}/{number}/desk/{action}/"
    if client.get(address).status_code == 403:
        return 403
    return client.post(address, {"token": key()[-20:], **fields}).status_code


def test_admins_work_at_the_desk(boss: Client, fund: Fund) -> None:
    wallet = fund(10)
    assert act(boss, "account", wallet, "issue", amount=90, reason="活动") == 302
    assert act(boss, "account", wallet, "burn", amount=1_000, reason="太多") == 200  # refused, told on the form
    assert act(boss, "account", wallet, "issue", amount=90, reason="") == 200
    assert act(boss, "account", wallet, "freeze", reason="复核") == 302
    assert Account.objects.get(pk=wallet).frozen
    assert act(boss, "account", wallet, "unfreeze", reason="无误") == 302
    entry = Entry.objects.filter(lines__account=wallet).order_by("-id")[0]
    assert act(boss, "entry", entry.pk, "reverse", reason="误发") == 302
    assert selectors.balance(wallet) == 10


def test_a_second_admin_approves_on_the_page(boss: Client, fund: Fund) -> None:
    wallet = fund(0)
    assert act(boss, "account", wallet, "issue", amount=BIG, reason="大奖") == 302
    proposal = Proposal.objects.order_by("-id")[0].pk
    assert act(boss, "proposal", proposal, "approve", reason="我自己") == 200
    assert act(staff("second", "view_proposal", "decide"), "proposal", proposal, "approve", reason="核对过") == 302
    assert selectors.balance(wallet) == BIG


def test_pages_are_read_only_and_kept_to_their_permissions(boss: Client, fund: Fund) -> None:
    wallet = fund(10)
    entry = Entry.objects.filter(lines__account=wallet)[0].pk
    proposal = desk.issue(key=key(), account=wallet, amount=BIG, actor=1, reason="大奖").proposal or 0
    addresses = [("account", wallet), ("entry", entry), ("proposal", proposal)]
    viewer, nobody = staff("viewer", "view_account", "view_entry", "view_proposal"), staff("nobody")
    for model, number in addresses:
        base = f"/admin/ledger/{model}/"
        for page in (base, f"{base}{number}/change/", f"{base}?q=10"):
            assert boss.get(page).status_code == 200, page
            assert nobody.get(page).status_code == 403, page
        for page in (f"{base}add/", f"{base}{number}/delete/"):
            assert boss.get(page).status_code == 403, page
        assert boss.post(f"{base}{number}/change/", {"balance": 5, "reason": "x"}).status_code == 403
    for model, action in (("account", "issue"), ("account", "freeze"), ("entry", "reverse"), ("proposal", "approve")):
        number = dict(addresses)[model]
        assert act(viewer, model, number, action, reason="x") == 403
        assert viewer.post(f"/admin/ledger/{model}/{number}/desk/{action}/", {"reason": "x"}).status_code == 403
        assert act(boss, model, number, "nonsense") == 403
    assert b"/desk/issue/" in boss.get(f"/admin/ledger/account/{wallet}/change/").content
    assert b"/desk/issue/" not in viewer.get(f"/admin/ledger/account/{wallet}/change/").content
