"""Becoming an agent, and being suspended: each a verb, one transaction, the row locked, so that of two admins one wins."""

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from ledger import services as ledger
from liuzhou.accounts import hooks
from liuzhou.accounts.agents import errors
from liuzhou.accounts.agents.models import Agent, Application, Bond
from liuzhou.accounts.agents.progress import DAYS, progress
from liuzhou.accounts.models import User
from liuzhou.accounts.staff import AGENTS

REASON_LENGTH = 200


def reason_of(text: str) -> str:
    """The reason without its margins. ReasonNeeded when it is empty or too long."""
    reason = text.strip()
    if not reason or len(reason) > REASON_LENGTH:
        raise errors.ReasonNeeded
    return reason


def apply(*, user: User, note: str = "") -> Application:
    """A player asks to become an agent, before or after the ten rooms. AlreadyAgent, AlreadyApplied."""
    try:
        with transaction.atomic():
            player = User.objects.select_for_update(no_key=True).get(pk=user.pk)
            if player.is_staff or player.is_superuser or Agent.objects.filter(user=player).exists():
                raise errors.AlreadyAgent
            return Application.objects.create(user=player, note=note.strip()[:REASON_LENGTH])
    except IntegrityError as error:
        raise errors.AlreadyApplied from error


def withdraw(*, user: User) -> None:
    """The player takes the pending application back. NoSuchApplication when there is none."""
    pending = Application.objects.filter(user=user, state=Application.State.PENDING)
    if not pending.update(state=Application.State.WITHDRAWN, decided_at=Now()):
        raise errors.NoSuchApplication


def approve(*, application: int, admin: User) -> Agent:
    """Make the applicant an agent, once. Errors: ApplicationDecided (somebody was first), OwnApplication, NotEnoughRooms,
    HasOtherRights, AccountInactive, AtCoinTable."""
    return ledger.transact(lambda: _approve(application, admin))


def _approve(number: int, admin: User) -> Agent:
    wanted = _pending(number, admin)
    user = User.objects.select_for_update(no_key=True).get(pk=wanted.user_id)
    _check_may_be_agent(user)
    found = progress(user_id=user.pk)
    if not found.enough:
        day = found.best_day.isoformat() if found.best_day else "—"
        raise errors.NotEnoughRooms(days=DAYS, day=day, best=found.best, needed=found.needed)
    hooks.check_becoming_agent(user)
    group, _made = Group.objects.get_or_create(name=AGENTS)
    user.groups.add(group)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    # An agent is nobody's player.
    open_bonds = Bond.objects.filter(player=user, state__in=(Bond.State.ACTIVE, Bond.State.OFFERED))
    open_bonds.update(state=Bond.State.ENDED, ended_at=Now())
    wanted.best_day, wanted.best_rooms = found.best_day, found.best
    _decide(wanted, admin, Application.State.APPROVED)
    return Agent.objects.create(user=user)


def _check_may_be_agent(user: User) -> None:
    """An agent has no rights but an agent's: whoever has others already does not become one."""
    if not user.is_active or user.closed_at is not None:
        raise errors.AccountInactive
    if Agent.objects.filter(user=user).exists():
        raise errors.AlreadyAgent
    others = user.groups.exclude(name=AGENTS).exists() or user.user_permissions.exists()
    if user.is_staff or user.is_superuser or others:
        raise errors.HasOtherRights


def reject(*, application: int, admin: User, reason: str) -> Application:
    """Refuse it with a reason the applicant reads; they may apply again. ApplicationDecided, OwnApplication, ReasonNeeded."""
    why = reason_of(reason)
    with transaction.atomic():
        wanted = _pending(application, admin)
        found = progress(user_id=wanted.user_id)
        wanted.best_day, wanted.best_rooms = found.best_day, found.best
        _decide(wanted, admin, Application.State.REJECTED, why)
    return wanted


def _pending(number: int, admin: User) -> Application:
    """The application, locked, if this admin may decide it now."""
    wanted = Application.objects.select_for_update(of=("self",)).select_related("decided_by").filter(pk=number).first()
    if wanted is None:
        raise errors.NoSuchApplication
    if wanted.state != Application.State.PENDING:
        by = wanted.decided_by.display_name if wanted.decided_by else "—"
        raise errors.ApplicationDecided(by=by, state=wanted.get_state_display())
    if wanted.user_id == admin.pk:
        raise errors.OwnApplication
    return wanted


def _decide(wanted: Application, admin: User, state: str, reason: str = "") -> None:
    wanted.state, wanted.decided_by, wanted.reason, wanted.decided_at = state, admin, reason, Now()
    wanted.save()


def suspend(*, agent: int, admin: User, reason: str) -> Agent:
    """No way into the admin pages from the next request on; the stock stays, players stay bound. AgentSuspended."""
    return _switch(agent, admin, Agent.State.SUSPENDED, reason_of(reason))


def resume(*, agent: int, admin: User, reason: str) -> Agent:
    """Let a suspended agent in again. AgentNotSuspended, AccountInactive."""
    return _switch(agent, admin, Agent.State.ACTIVE, reason_of(reason))


@transaction.atomic
def _switch(number: int, admin: User, state: str, reason: str) -> Agent:
    agent = Agent.objects.select_for_update().get(pk=number)
    if agent.user_id == admin.pk:
        raise errors.OwnApplication
    if agent.state == state:
        raise errors.AgentSuspended if state == Agent.State.SUSPENDED else errors.AgentNotSuspended
    user = User.objects.select_for_update(no_key=True).get(pk=agent.user_id)
    if state == Agent.State.ACTIVE and (not user.is_active or user.closed_at is not None):
        raise errors.AccountInactive
    agent.state, agent.reason = state, reason if state == Agent.State.SUSPENDED else ""
    agent.save(update_fields=["state", "reason"])
    user.is_staff = state == Agent.State.ACTIVE
    user.save(update_fields=["is_staff"])
    return agent
