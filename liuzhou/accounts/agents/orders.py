"""Wholesale orders 进货: an agent asks, an admin issues or rejects, a large one waits for a second admin at the ledger's desk."""

from django.db import transaction
from django.db.models.functions import Now

from ledger import desk
from ledger import services as ledger
from liuzhou.accounts.agents import errors
from liuzhou.accounts.agents.applying import reason_of
from liuzhou.accounts.agents.handing import stock_account
from liuzhou.accounts.agents.models import Agent, Order
from liuzhou.accounts.models import User

LARGEST = 1_000_000
OPEN_AT_ONCE = 5


def request_cards(*, agent: Agent, amount: int, token: str, note: str = "") -> tuple[Order, bool]:
    """Ask for cards; the same form twice is one order (False beside it the second time).

    Errors: BadAmount, TooManyOrders, AgentSuspended, TokenReused."""
    if not 1 <= amount <= LARGEST:
        raise errors.BadAmount(most=LARGEST)
    with transaction.atomic():
        locked = Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        if locked.state != Agent.State.ACTIVE:
            raise errors.AgentSuspended
        known = locked.orders.filter(token=token).first()
        if known is not None:
            if known.amount != amount:
                raise errors.TokenReused
            return known, False
        if locked.orders.filter(state__in=(Order.State.OPEN, Order.State.WAITING)).count() >= OPEN_AT_ONCE:
            raise errors.TooManyOrders(limit=OPEN_AT_ONCE)
        return Order.objects.create(agent=locked, amount=amount, note=note.strip()[:200], token=token), True


def cancel(*, agent: Agent, order: int) -> Order:
    """The agent takes an open order back. OrderClosed when an admin was first."""
    with transaction.atomic():
        wanted = _open(order, agent)
        wanted.state, wanted.decided_at = Order.State.CANCELLED, Now()
        wanted.save()
    return wanted


def issue(*, order: int, admin: User, reason: str) -> Order:
    """Give the agent the cards, once: the order is issued, or waits for a second admin above the desk's limit.

    Errors: OrderClosed, OwnOrder, AgentSuspended, ReasonNeeded."""
    why = reason_of(reason)
    return ledger.transact(lambda: _issue(order, admin, why))


def _issue(number: int, admin: User, reason: str) -> Order:
    wanted = _open(number)
    if wanted.agent.user_id == admin.pk:
        raise errors.OwnOrder
    if wanted.agent.state != Agent.State.ACTIVE:
        raise errors.AgentSuspended
    account = stock_account(wanted.agent)
    done = desk.purchase(key=f"order:{number}", account=account, amount=wanted.amount, actor=admin.pk, reason=reason)
    wanted.state = Order.State.ISSUED if done.entry else Order.State.WAITING
    wanted.entry, wanted.proposal = done.entry, done.proposal
    wanted.decided_by, wanted.reason, wanted.decided_at = admin, reason, Now()
    wanted.save()
    return wanted


def reject(*, order: int, admin: User, reason: str) -> Order:
    """Refuse an open order with a reason the agent reads. OrderClosed, ReasonNeeded."""
    why = reason_of(reason)
    with transaction.atomic():
        wanted = _open(order)
        wanted.state, wanted.decided_by, wanted.reason, wanted.decided_at = Order.State.REJECTED, admin, why, Now()
        wanted.save()
    return wanted


def decided(decision: desk.Decided) -> None:
    """The second admin has decided at the ledger's desk; in the transaction of the decision."""
    if decision.kind != "purchase":
        return
    state = Order.State.ISSUED if decision.entry else Order.State.REJECTED
    waiting = Order.objects.filter(proposal=decision.proposal, state=Order.State.WAITING)
    changes = {"reason": decision.reason[:200]} if state == Order.State.REJECTED else {}
    waiting.update(state=state, entry=decision.entry, decided_by=decision.decider, decided_at=Now(), **changes)


def _open(number: int, agent: Agent | None = None) -> Order:
    """The order, locked, if it is still open (and the agent's own)."""
    orders = Order.objects.select_for_update(of=("self",)).select_related("agent__user")
    if agent is not None:
        orders = orders.filter(agent=agent)
    wanted = orders.filter(pk=number).first()
    if wanted is None or wanted.state != Order.State.OPEN:
        raise errors.OrderClosed(state=wanted.get_state_display() if wanted else "—")
    return wanted
