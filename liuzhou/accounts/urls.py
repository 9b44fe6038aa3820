"""Pages of accounts: of allauth's only those that need no e-mail."""

from allauth.account import views as allauth
from django.urls import include, path

from liuzhou.accounts import pages, second_factor
from liuzhou.accounts.views import SignupView

urlpatterns = [
    path("signup/", SignupView.as_view(), name="account_signup"),
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/set/", allauth.password_set, name="account_set_password"),
    path("2fa/totp/activate/", second_factor.activate, name="mfa_activate_totp"),
    path("2fa/recovery-codes/", second_factor.recovery_codes, name="mfa_view_recovery_codes"),
    path("2fa/", include("allauth.mfa.urls")),
    path("agent/", include("liuzhou.accounts.agents.urls")),
    path("profile/", pages.profile_page, name="profile"),
    path("devices/", pages.devices_page, name="devices"),
    path("limits/", pages.limits_page, name="limits"),
    path("export.json", pages.export, name="account_export"),
    path("close/", pages.close, name="account_close"),
    path("coins/sign-in/", pages.sign_in, name="coins_sign_in"),
    path("coins/relief/", pages.relieve, name="coins_relief"),
]
