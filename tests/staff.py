"""Staff in tests: signed in as allauth leaves a session after the password and a TOTP code."""

import secrets
from typing import Any

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth import get_user
from django.contrib.auth.models import Permission
from django.http import HttpRequest
from django.test import Client

from liuzhou.accounts.models import User


def signed_in(user: User) -> Client:
    """A client whose session has proved itself by a second factor just now."""
    client = Client()
    client.force_login(user)
    prove(client)
    return client


def prove(client: Client, ago: float = 0.0) -> None:
    request = HttpRequest()
    request.session = client.session
    request.session.pop(AUTHENTICATION_METHODS_SESSION_KEY, None)
    record_authentication(request, get_user(request), "mfa", type="totp")
    request.session[AUTHENTICATION_METHODS_SESSION_KEY][-1]["at"] -= ago
    request.session.save()


def make(name: str, *permissions: str, **fields: Any) -> User:
    """A member of staff with these permissions (`app.codename`), under a name nobody has."""
    user = User.objects.create_user(f"{name}-{secrets.token_hex(4)}", password="x", is_staff=True, **fields)
    for permission in permissions:
        app, codename = permission.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return user
