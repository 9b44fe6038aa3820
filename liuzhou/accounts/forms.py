"""The forms of signing up and in: allauth's, with our fields and words."""

from typing import Any

from allauth.account import forms as allauth_forms
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts import names, services
from liuzhou.accounts.errors import AccountError
from liuzhou.accounts.models import User


def _dress(field: forms.Field, *, label: Any, **attributes: str) -> None:
    """Our label; allauth's placeholders repeat the label and go."""
    field.label = label
    field.widget.attrs.pop("placeholder", None)
    field.widget.attrs.update(attributes)


class SignupForm(allauth_forms.SignupForm):
    """Username, password twice, an optional nickname. No e-mail."""

    nickname = forms.CharField(
        label=_("昵称（可不填）"),
        required=False,
        max_length=64,
        help_text=_("牌桌上显示的名字，最多 8 个汉字或 16 个字母。"),
    )
    field_order = ["username", "nickname", "password1", "password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(
            self.fields["username"],
            label=_("用户名"),
            autocapitalize="none",
            spellcheck="false",
            maxlength=str(names.USERNAME_MAX),
        )
        _dress(self.fields["nickname"], label=_("昵称（可不填）"), autocomplete="nickname", maxlength="16")
        _dress(self.fields["password1"], label=_("密码"))
        _dress(self.fields["password2"], label=_("再输入一次密码"))
        self.fields["username"].help_text = _("登录用，2 到 20 个字符。")
        self.fields["password1"].help_text = _("至少 8 个字符，不要只用数字。")

    def clean_nickname(self) -> str:
        nickname = names.clean_nickname(self.cleaned_data.get("nickname") or "")
        try:
            if nickname:
                services.check_nickname(nickname)
        except AccountError as error:
            raise refusal(error) from error
        return nickname

    def try_save(self, request: HttpRequest) -> tuple[User | None, Any]:
        """Allauth's door to the service, which makes the player and the starting balance together."""
        user = services.sign_up(
            username=self.cleaned_data["username"],
            password=self.cleaned_data["password1"],
            nickname=self.cleaned_data.get("nickname", ""),
        )
        return user, None


def refusal(error: AccountError) -> ValidationError:
    """The domain error as a form shows it, in the page's language."""
    return ValidationError(error.text(get_language() or "zh-hans"), code=error.code)


class LoginForm(allauth_forms.LoginForm):
    """Username and password; the session lasts (`ACCOUNT_SESSION_REMEMBER`)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(self.fields["login"], label=_("用户名"), autocapitalize="none", spellcheck="false")
        _dress(self.fields["password"], label=_("密码"))
        self.fields["password"].help_text = ""


class ChangePasswordForm(allauth_forms.ChangePasswordForm):
    """The old password once, the new one twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _dress(self.fields["oldpassword"], label=_("当前密码"))
        _dress(self.fields["password1"], label=_("新密码"))
        _dress(self.fields["password2"], label=_("再输入一次新密码"))
        self.fields["password1"].help_text = _("至少 8 个字符，不要只用数字。")
