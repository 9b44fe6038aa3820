"""Who is whose player. The agent asks, by link or by player number; the player says yes or no, and can leave again."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from liuzhou.accounts.agents import errors
from liuzhou.accounts.agents.models import Agent, Bond, new_token
from liuzhou.accounts.days import database_now, day_of, start_of
from liuzhou.accounts.models import User

A_DAY = 50  # invitations by number
AGAIN_AFTER = 7  # days after a no


def agent_of(player: User) -> Agent | None:
    """The player's agent, if there is one."""
    bond = Bond.objects.filter(player=player, state=Bond.State.ACTIVE).select_related("agent__user").first()
    return bond.agent if bond else None


def invitations(player: User) -> QuerySet[Bond]:
    """What waits for the player's answer; suspended agents ask nobody."""
    open_ = Bond.objects.filter(player=player, state=Bond.State.OFFERED, agent__state=Agent.State.ACTIVE)
    return open_.select_related("agent__user").order_by("-pk")


def active_agent(token: str) -> Agent | None:
    """Whose invitation link this is; None for an unknown one and for that of a suspended agent."""
    return Agent.objects.filter(token=token, state=Agent.State.ACTIVE).select_related("user").first()


def _can_be_bound(user: User) -> bool:
    staff = user.is_staff or user.is_superuser or Agent.objects.filter(user=user).exists()
    return user.is_active and user.closed_at is None and not staff


def invite(*, agent: Agent, number: str, now: datetime | None = None) -> Bond:
    """Ask the player of that number; nothing is bound yet. The second time it is the same invitation.

    Errors: NoSuchPlayer (whoever cannot be bound counts as nobody), AskedTooSoon, TooManyInvitations."""
    moment = now or database_now()
    with transaction.atomic():
        Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        player = User.objects.filter(number=number).first()
        if player is None or not _can_be_bound(player):
            raise errors.NoSuchPlayer(number=number)
        mine = agent.bonds.filter(player=player)
        known = mine.filter(state__in=(Bond.State.OFFERED, Bond.State.ACTIVE)).first()
        if known is not None:
            return known
        no = (Bond.State.DECLINED, Bond.State.LEFT)
        if mine.filter(state__in=no, answered_at__gt=moment - timedelta(days=AGAIN_AFTER)).exists():
            raise errors.AskedTooSoon(days=AGAIN_AFTER)
        today = start_of(day_of(moment))
        if agent.bonds.filter(via=Bond.Via.NUMBER, created_at__gte=today).count() >= A_DAY:
            raise errors.TooManyInvitations(limit=A_DAY)
        return Bond.objects.create(agent=agent, player=player, via=Bond.Via.NUMBER)


def accept(*, player: User, bond: int) -> Bond:
    """The player says yes to an invitation. NoSuchInvitation, HasAgent, AgentsHaveNone."""
    with transaction.atomic():
        _check_free(player)
        offered = invitations(player).select_for_update(of=("self",)).filter(pk=bond).first()
        if offered is None:
            raise errors.NoSuchInvitation
        return _bind(offered)


def join(*, player: User, token: str) -> Bond:
    """The player says yes on the page of an invitation link. NoSuchInvitation, HasAgent, AgentsHaveNone."""
    try:
        with transaction.atomic():
            agent = active_agent(token)
            if agent is None or agent.user_id == player.pk:
                raise errors.NoSuchInvitation
            _check_free(player, unless=agent)
            bond = agent.bonds.filter(player=player, state__in=(Bond.State.OFFERED, Bond.State.ACTIVE)).first()
            if bond is not None and bond.state == Bond.State.ACTIVE:
                return bond
            return _bind(bond or Bond(agent=agent, player=player, via=Bond.Via.LINK))
    except IntegrityError as error:  # two clicks at once, or an invitation by number in between
        raise errors.NoSuchInvitation from error


def _check_free(player: User, unless: Agent | None = None) -> None:
    """One agent at a time: the player's row is locked, so that of two answers one comes after the other."""
    now = User.objects.select_for_update(no_key=True).get(pk=player.pk)
    if not _can_be_bound(now):
        raise errors.AgentsHaveNone
    current = agent_of(now)
    if current is not None and current != unless:
        raise errors.HasAgent(agent=current)


def _bind(bond: Bond) -> Bond:
    bond.state, bond.answered_at = Bond.State.ACTIVE, Now()
    bond.save()
    return bond


def decline(*, player: User, bond: int) -> None:
    """The player says no. NoSuchInvitation when there is nothing to answer any more."""
    offered = Bond.objects.filter(pk=bond, player=player, state=Bond.State.OFFERED)
    if not offered.update(state=Bond.State.DECLINED, answered_at=Now()):
        raise errors.NoSuchInvitation


def leave(*, player: User) -> Bond:
    """The player leaves the agent, at once and without being asked why. NotBound."""
    with transaction.atomic():
        bond = Bond.objects.select_for_update().filter(player=player, state=Bond.State.ACTIVE).first()
        if bond is None:
            raise errors.NotBound
        bond.state, bond.answered_at, bond.ended_at = Bond.State.LEFT, Now(), Now()
        bond.save()
    return bond


def release(*, agent: Agent, bond: int) -> Bond:
    """The agent takes an invitation back or parts from a player. NotBound when there is nothing to end."""
    with transaction.atomic():
        open_ = agent.bonds.select_for_update().filter(pk=bond, state__in=(Bond.State.OFFERED, Bond.State.ACTIVE))
        found = open_.first()
        if found is None:
            raise errors.NotBound
        found.state, found.ended_at = Bond.State.ENDED, Now()
        found.save()
    return found


def renew_link(*, agent: Agent) -> str:
    """Another invitation link; the old one leads nowhere from now on."""
    agent.token = new_token()
    agent.save(update_fields=["token"])
    return agent.token
