"""Handing cards over 转卡: from the agent's stock to the card wallet of one of their players, once per form."""

from ledger import selectors
from ledger import services as ledger
from ledger.errors import InsufficientFunds
from ledger.services import CARD, Line
from liuzhou.accounts.agents import errors
from liuzhou.accounts.agents.models import Agent, Bond, Handover

LARGEST = 100_000


def stock_account(agent: Agent) -> int:
    """The ledger's account of the agent's stock."""
    return ledger.agent(owner_ref=agent.user_id)


def stock(agent: Agent) -> int:
    """How many cards the agent has."""
    return selectors.balance(stock_account(agent))


def own_bond(agent: Agent, bond: int) -> Bond:
    """One of the agent's own players. NotBound."""
    found = agent.bonds.filter(pk=bond, state=Bond.State.ACTIVE).select_related("player").first()
    if found is None:
        raise errors.NotBound
    return found


def check(*, agent: Agent, bond: int, amount: int) -> Bond:
    """What can be told before anything is done. NotBound, BadAmount, StockShort."""
    if not 1 <= amount <= LARGEST:
        raise errors.BadAmount(most=LARGEST)
    found = own_bond(agent, bond)
    if (held := stock(agent)) < amount:
        raise errors.StockShort(stock=held, shortfall=amount - held)
    return found


def done_with(*, agent: Agent, token: str) -> Handover | None:
    """The handover that this form was already used for."""
    return agent.handovers.filter(token=token).select_related("player").first()


def hand_over(*, agent: Agent, bond: int, amount: int, token: str) -> tuple[Handover, bool]:
    """Move the cards; False beside the handover when the form had done it before.

    Errors: AgentSuspended, NotBound, BadAmount, StockShort, TokenReused (the form was used for somebody or something else).
    """
    if not 1 <= amount <= LARGEST:
        raise errors.BadAmount(most=LARGEST)
    try:
        return ledger.transact(lambda: _hand_over(agent.pk, bond, amount, token))
    except InsufficientFunds as error:
        raise errors.StockShort(stock=amount - error.shortfall, shortfall=error.shortfall) from error


def _hand_over(number: int, bond: int, amount: int, token: str) -> tuple[Handover, bool]:
    agent = Agent.objects.select_for_update(no_key=True).get(pk=number)  # an agent's handovers come one after another
    if agent.state != Agent.State.ACTIVE:
        raise errors.AgentSuspended
    known = done_with(agent=agent, token=token)
    asked = agent.bonds.select_for_update(of=("self",)).filter(pk=bond).select_related("player").first()
    if known is not None:
        if asked is None or (known.player_id, known.amount) != (asked.player_id, amount):
            raise errors.TokenReused
        return known, False
    if asked is None or asked.state != Bond.State.ACTIVE:
        raise errors.NotBound
    player = asked.player
    lines = [Line(stock_account(agent), -amount), Line(ledger.wallet(owner_ref=player.pk, currency=CARD), amount)]
    key, reason = f"handover:{agent.pk}:{token}", f"{agent.user.number} → {player.number}"
    entry = ledger.post(kind="handover", key=key, lines=lines, actor=agent.user_id, reason=reason)
    return Handover.objects.create(agent=agent, player=player, amount=amount, token=token, entry=entry.id), True
