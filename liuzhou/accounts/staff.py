"""Who of the players is also staff: admins and auditors, and agents, who may do far less. All prove themselves by TOTP."""

import time

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpRequest

from liuzhou.accounts.models import User

AGENTS, AUDITORS = "agents", "auditors"
SEEN = "staff_seen"

Anybody = User | AbstractBaseUser | AnonymousUser


def is_agent(user: Anybody) -> bool:
    """Whether the user is an agent, suspended or not: by the group, or by an agency whose group somebody took away.
    Superusers are none, whatever their groups."""
    if not isinstance(user, User) or user.is_superuser:
        return False
    return User.objects.filter(Q(groups__name=AGENTS) | Q(agency__isnull=False), pk=user.pk).exists()


def is_admin(user: Anybody) -> bool:
    """Staff other than agents."""
    return isinstance(user, User) and user.is_active and user.is_staff and not is_agent(user)


def is_verified(request: HttpRequest) -> bool:
    """Whether this session proved itself by a second factor lately, and was not left alone since.

    Each call counts as a sign of life: a staff session ends by idleness or by age (settings STAFF_IDLE, STAFF_AGE, seconds).
    With the setting STAFF_MFA off (development) being signed in is enough."""
    if not settings.STAFF_MFA:
        return True
    now = time.time()
    proofs = [
        record["at"] for record in get_authentication_records(request, request.user) if record.get("method") == "mfa"
    ]
    if not proofs or now - max(proofs) > settings.STAFF_AGE:
        return False
    if now - max(request.session.get(SEEN, 0), max(proofs)) > settings.STAFF_IDLE:
        return False
    if now - request.session.get(SEEN, 0) > 30:  # not a write per request
        request.session[SEEN] = now
    return True
