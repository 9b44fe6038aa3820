"""What the admin pages must not show of accounts. (Players have theirs in `liuzhou.operations.admin`.)"""

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin

# Their pages would tell what opens an account: TOTP secrets, recovery codes, the keys of sessions.
for telling in (Authenticator, UserSession):
    if admin.site.is_registered(telling):
        admin.site.unregister(telling)
