"""The second factor (TOTP, allauth's) in our words, and the way on: who set it up to get somewhere is led there."""

from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as base
from allauth.mfa.recovery_codes.views import ViewRecoveryCodesView
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.views import ActivateTOTPView
from django import forms
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

NEXT = "second_factor_next"


class Adapter(DefaultMFAAdapter):
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "cannot_delete_authenticator": _("不能停用动态口令。"),
        "cannot_generate_recovery_codes": _("先设置动态口令，才能生成恢复码。"),
        "incorrect_code": _("口令不正确，或者已经过期。"),
    }


class _Worded:
    """A code's field as phones like it: digits, filled in by themselves, ready to be typed."""

    fields: dict[str, forms.Field]
    label: Any = _("动态口令")
    help_text: Any = _("验证器应用里的 6 位数字。")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = self.fields["code"]
        code.label, code.help_text = self.label, self.help_text
        code.widget.attrs.pop("placeholder", None)
        code.widget.attrs.update({"inputmode": "numeric", "autofocus": True, "maxlength": "12", "spellcheck": "false"})


class ActivateForm(_Worded, ActivateTOTPForm):
    """The first code proves that the app has the secret."""


class AuthenticateForm(_Worded, base.AuthenticateForm):
    help_text = _("验证器应用里的 6 位数字；手机不在身边时，可以用一个恢复码。")


class ReauthenticateForm(_Worded, base.ReauthenticateForm):
    help_text = AuthenticateForm.help_text


class Activate(ActivateTOTPView):
    """Setting TOTP up. The code that activates it is a proof like any later one; then the recovery codes, then on."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
        if wanted and url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
            request.session[NEXT] = wanted
        response: HttpResponse = super().get(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        record_authentication(self.request, self.request.user, "mfa", type="totp")
        return response


class RecoveryCodes(ViewRecoveryCodesView):
    """The codes, and where the player was going when the set-up came in between."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        return {**found, "onward": self.request.session.get(NEXT, "")}


activate = Activate.as_view()
recovery_codes = RecoveryCodes.as_view()
