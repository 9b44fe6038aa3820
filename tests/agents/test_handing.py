"""Cards from hand to hand: once per form, to one's own players, never more than there are; orders issued once."""

from __future__ import annotations

import re
import secrets
import threading
import uuid

import pytest
from django.db import connection
from django.test import Client

from ledger import desk as ledgers_desk
from ledger import selectors, services, sheets
from ledger.services import CARD
from liuzhou.accounts.agents import applying, bonds, errors, handing, months, orders
from liuzhou.accounts.agents.models import Agent, Bond, Order
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from tests import staff
from tests.agents.conftest import bind, new_agent, new_player

pytestmark = pytest.mark.usefixtures("real_db")
DESK = "/admin/agents/agent/desk/"


def cards(user: User) -> int:
    return selectors.wallet_balances(owner_ref=user.pk)[CARD]


def token() -> str:
    return secrets.token_hex(12)


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a page's form of handing over."""
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    return {name: found[name] for name in ("bond", "amount", "token") if name in found}


def test_find_amount_confirm_receipt() -> None:
    agent = new_agent(cards=100)
    bond = bind(agent)
    client = staff.signed_in(agent.user)
    assert bond.player.nickname in client.get(f"{DESK}players/?q={bond.player.number}").content.decode()
    asked = {**fields(client.get(f"{DESK}handover/?bond={bond.pk}").content.decode()), "amount": "10"}
    confirm = client.get(f"{DESK}handover/do/", asked)
    assert "100 → 90" in confirm.content.decode()
    assert (handing.stock(agent), cards(bond.player)) == (100, 8)  # nothing yet
    sent = fields(confirm.content.decode())
    done = client.post(f"{DESK}handover/do/", sent)
    receipt = client.get(done.headers["Location"])
    handover = agent.handovers.get()
    assert str(handover.entry) in receipt.content.decode()
    assert (handing.stock(agent), cards(bond.player)) == (90, 18)
    again = client.post(f"{DESK}handover/do/", sent, follow=True)  # a second click, or the back button
    assert "没有重复转卡" in again.content.decode()
    assert "没有重复转卡" in client.get(f"{DESK}handover/do/", asked, follow=True).content.decode()
    assert (handing.stock(agent), cards(bond.player)) == (90, 18)
    other = {**sent, "amount": "11"}
    assert "内容却不同" in client.post(f"{DESK}handover/do/", other).content.decode()
    assert Trail.objects.filter(actor=agent.user, action="agent-handover").count() == 1


def test_more_than_the_stock_is_told_with_the_shortfall() -> None:
    agent = new_agent(cards=5)
    bond = bind(agent)
    client = staff.signed_in(agent.user)
    asked = {"bond": bond.pk, "amount": 12, "token": token()}
    for ask in (client.get, client.post):
        answer = ask(f"{DESK}handover/do/", asked)
        assert answer.status_code == 400
        assert "库存只有 5 张，还差 7 张" in answer.content.decode()
    for amount in ("0", "-3", "1.5", "x", "", "1" * 30):
        assert client.post(f"{DESK}handover/do/", {**asked, "amount": amount}).status_code == 400
    assert (handing.stock(agent), cards(bond.player)) == (5, 8)


def test_two_clicks_at_once_are_one_handover_and_the_last_cards_go_once() -> None:
    agent = new_agent(cards=10)
    first, second = bind(agent), bind(agent)
    same, outcomes = token(), []

    def run(bond: Bond, form: str) -> None:
        barrier.wait()
        try:
            outcomes.append(handing.hand_over(agent=agent, bond=bond.pk, amount=6, token=form)[1])
        except errors.StockShort as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    for pair, expected in (([(first, same), (first, same)], [False, True]), ([(second, token())], ["stock_short"])):
        barrier, outcomes = threading.Barrier(len(pair)), []
        threads = [threading.Thread(target=run, args=one) for one in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == expected
    assert (handing.stock(agent), cards(first.player), cards(second.player)) == (4, 14, 8)


def test_only_ones_own_players_and_only_while_they_stay() -> None:
    agent, other = new_agent(cards=10), new_agent(cards=10)
    foreign, mine = bind(other), bind(agent)
    asked = {"amount": "1", "token": token()}
    client = staff.signed_in(agent.user)
    assert client.post(f"{DESK}handover/do/", {**asked, "bond": foreign.pk}).status_code == 403
    assert client.get(f"{DESK}handover/do/", {**asked, "bond": foreign.pk}).status_code == 403
    assert client.get(f"{DESK}handover/?bond={foreign.pk}").status_code == 403
    kept = Trail.objects.filter(actor=agent.user, action="admin-refused").order_by("pk")
    assert kept[0].detail == {"path": f"{DESK}handover/do/", "method": "POST", "fields": ["amount", "bond", "token"]}
    bonds.leave(player=mine.player)
    answer = client.post(f"{DESK}handover/do/", {**asked, "bond": mine.pk}, follow=True)
    assert "没有绑定到你名下" in answer.content.decode()
    assert (handing.stock(agent), handing.stock(other)) == (10, 10)
    with pytest.raises(errors.NotBound):
        handing.hand_over(agent=agent, bond=foreign.pk, amount=1, token=token())


def test_a_suspended_agent_hands_nothing_over(boss: User) -> None:
    agent = new_agent(cards=10)
    bond = bind(agent)
    applying.suspend(agent=agent.pk, admin=boss, reason="x")
    with pytest.raises(errors.AgentSuspended):
        handing.hand_over(agent=agent, bond=bond.pk, amount=1, token=token())
    with pytest.raises(errors.AgentSuspended):
        orders.request_cards(agent=agent, amount=1, token=token())


def test_a_frozen_stock_is_told(boss: User) -> None:
    agent = new_agent(cards=10)
    bond = bind(agent)
    services.freeze(account=handing.stock_account(agent), frozen=True, actor=boss.pk, reason="复核")
    asked = {"bond": bond.pk, "amount": 1, "token": token()}
    answer = staff.signed_in(agent.user).post(f"{DESK}handover/do/", asked)
    assert (answer.status_code, "账户已冻结" in answer.content.decode()) == (400, True)
    assert handing.stock(agent) == 10


# ---- Orders --------------------------------------------------------------------------------------
def order(agent: Agent, amount: int) -> Order:
    return orders.request_cards(agent=agent, amount=amount, token=token())[0]


def test_an_order_is_issued_once_with_a_reason(boss: User) -> None:
    agent = new_agent()
    client, admin, sent = staff.signed_in(agent.user), staff.signed_in(boss), token()
    for _ in range(2):
        assert client.post(f"{DESK}orders/", {"amount": "100", "note": "=1+1", "token": sent}).status_code == 302
    assert Trail.objects.filter(actor=agent.user, action="order-request").count() == 1
    wanted = agent.orders.get()
    page = f"/admin/agents/order/{wanted.pk}/"
    assert "/do/issue/" in admin.get(f"{page}change/").content.decode()
    assert admin.post(f"{page}do/issue/", {"reason": " "}).status_code == 200
    assert handing.stock(agent) == 0
    assert admin.post(f"{page}do/issue/", {"reason": "款已到"}).status_code == 302
    wanted.refresh_from_db()
    assert (wanted.state, wanted.decided_by, handing.stock(agent)) == ("issued", boss, 100)
    assert "已经处理：已发货" in admin.post(f"{page}do/issue/", {"reason": "再来"}).content.decode()
    assert "已经处理" in client.post(f"{DESK}orders/{wanted.pk}/cancel/", follow=True).content.decode()
    movement = selectors.statement(account=handing.stock_account(agent))[0]
    assert (movement.kind, movement.amount, movement.entry) == ("purchase", 100, wanted.entry)
    assert Trail.objects.filter(subject=f"agents.order:{wanted.pk}", action="order-issue", actor=boss).count() == 1


def test_a_large_order_waits_for_a_second_admin(boss: User) -> None:
    agent, second = new_agent(), staff.make("second", "ledger.view_proposal", "ledger.decide")
    large = ledgers_desk.approval_above(CARD) + 1
    wanted = orders.issue(order=order(agent, large).pk, admin=boss, reason="款已到")
    assert (wanted.state, handing.stock(agent)) == ("waiting", 0)
    with pytest.raises(errors.OrderClosed):
        orders.cancel(agent=agent, order=wanted.pk)
    address = f"/admin/ledger/proposal/{wanted.proposal}/desk/approve/"
    sent = {"reason": "核对过", "token": token()}
    assert staff.signed_in(boss).post(address, sent).status_code == 403  # has not that right, and proposed it
    assert staff.signed_in(second).post(address, sent).status_code == 302
    wanted.refresh_from_db()
    assert (wanted.state, wanted.decided_by, handing.stock(agent)) == ("issued", second, large)
    other = orders.issue(order=order(agent, large).pk, admin=boss, reason="款已到")
    ledgers_desk.decide(proposal=other.proposal or 0, approved=False, actor=second.pk, reason="没到账")
    other.refresh_from_db()
    assert (other.state, other.reason, handing.stock(agent)) == ("rejected", "没到账", large)


def test_orders_are_rejected_or_cancelled_while_open(boss: User) -> None:
    agent, other = new_agent(), new_agent()
    mine = order(agent, 5)
    with pytest.raises(errors.OrderClosed):
        orders.cancel(agent=other, order=mine.pk)
    assert staff.signed_in(other.user).post(f"{DESK}orders/{mine.pk}/cancel/").status_code == 403
    assert staff.signed_in(agent.user).post(f"{DESK}orders/{mine.pk}/cancel/").status_code == 302
    with pytest.raises(errors.OrderClosed):
        orders.issue(order=mine.pk, admin=boss, reason="x")
    refused = orders.reject(order=order(agent, 6).pk, admin=boss, reason="先结旧账")
    assert "先结旧账" in staff.signed_in(agent.user).get(f"{DESK}orders/").content.decode()
    assert (refused.state, handing.stock(agent)) == ("rejected", 0)
    for _ in range(orders.OPEN_AT_ONCE):
        order(agent, 1)
    with pytest.raises(errors.TooManyOrders):
        order(agent, 1)


def test_two_admins_issue_an_order_once(boss: User) -> None:
    agent, outcomes, barrier = new_agent(), [], threading.Barrier(2)
    wanted = order(agent, 40)

    def run(admin: User) -> None:
        barrier.wait()
        try:
            orders.issue(order=wanted.pk, admin=admin, reason="x")
            outcomes.append("issued")
        except errors.OrderClosed as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(admin,)) for admin in (boss, staff.make("other"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["issued", "order_closed"]
    assert handing.stock(agent) == 40


# ---- The month -----------------------------------------------------------------------------------
def test_the_months_sheet_adds_up(boss: User) -> None:
    agent = new_agent(cards=100)
    first, second = bind(agent, new_player("=evil")), bind(agent)
    for bond, amount in ((first, 10), (first, 5), (second, 20)):
        handing.hand_over(agent=agent, bond=bond.pk, amount=amount, token=token())
    reversed_ = agent.handovers.get(amount=5)
    ledgers_desk.reverse(key=f"test:{uuid.uuid4().hex}", entry=reversed_.entry, actor=boss.pk, reason="误转")
    month = months.month_of(agent, months.this_month())
    assert (month.opening, month.bought, month.handed, month.other, month.closing) == (0, 100, 35, 5, 70)
    assert month.opening + month.bought - month.handed + month.other == month.closing == handing.stock(agent)
    rows = {row.player: (row.cards, row.times, row.back) for row in month.players}
    assert rows == {first.player: (15, 2, 5), second.player: (20, 1, 0)}
    assert [(day.bought, day.handed, day.other) for day in month.days] == [(100, 35, 5)]
    assert len(month.chart.bars) == 2
    following = months.following(month.first)
    assert sheets.balance_at(handing.stock_account(agent), months.start_of(following)) == 70
    before = months.month_of(agent, month.before)
    assert (before.lines, before.closing) == (0, 0)
    client = staff.signed_in(agent.user)
    page = client.get(f"{DESK}sheet/").content.decode()
    assert "<rect" in page
    assert first.player.nickname in page
    answer = client.get(f"{DESK}sheet.csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert f"'{first.player.nickname}" in text  # no formula in a spreadsheet
    assert len(text.splitlines()) == 1 + 5
    assert Trail.objects.filter(actor=agent.user, action="agent-export").count() == 1
    admin = staff.signed_in(boss)
    for kind in ("sheet/", "movements/", "sheet.csv"):
        assert admin.get(f"/admin/agents/agent/{agent.pk}/{kind}").status_code == 200
    looks = Trail.objects.filter(actor=boss, subject=f"agents.agent:{agent.pk}").values_list("action", flat=True)
    assert sorted(looks) == ["agent-export", "agent-movements-view", "agent-sheet-view"]


@pytest.mark.parametrize("text", ["", "x", "2026-13", "9999-01", "1999-12", "2026-1'"])
def test_months_that_are_none_are_this_month(text: str) -> None:
    assert months.parse(text) == months.this_month()


def test_movements_run_and_page() -> None:
    agent = new_agent(cards=100)
    bond = bind(agent)
    for _ in range(45):
        handing.hand_over(agent=agent, bond=bond.pk, amount=1, token=token())
    client: Client = staff.signed_in(agent.user)
    page = client.get(f"{DESK}movements/").content.decode()
    assert page.count("ag-minus") == 40
    older = re.search(r"\?before=(\d+)", page)
    assert older
    rest = client.get(f"{DESK}movements/?before={older[1]}").content.decode()
    assert (rest.count("ag-minus"), rest.count("ag-plus")) == (5, 1)
