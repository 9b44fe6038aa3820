"""Where allauth asks us: which usernames are possible, and what its refusals say."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from axes.handlers.proxy import AxesProxyHandler
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts.names import USERNAME_MAX, USERNAME_MIN


class AccountAdapter(DefaultAccountAdapter):
    """Usernames are NFKC; messages are written for players."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": _("这个用户名已被使用，请换一个。"),
        "username_blacklisted": _("这个用户名不能使用，请换一个。"),
        "username_password_mismatch": _("用户名或密码不正确。"),
        "too_many_login_attempts": _("登录失败次数过多，请过几分钟再试。"),
        "incorrect_password": _("密码不正确。"),
        "enter_current_password": _("当前密码不正确。"),
        "account_inactive": _("这个帐号已停用。"),
        "rate_limited": _("操作太频繁，请稍后再试。"),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name = unicodedata.normalize("NFKC", username)
        if not USERNAME_MIN <= len(name) <= USERNAME_MAX:
            raise ValidationError(
                _("用户名要有 %(min)d 到 %(max)d 个字符。"),
                code="username_length",
                params={"min": USERNAME_MIN, "max": USERNAME_MAX},
            )
        return str(super().clean_username(name, shallow=shallow))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Who is locked out is told so (429, by axes' middleware), not that allauth's own limit is reached, too."""
        if not AxesProxyHandler.is_allowed(request, credentials):
            request.axes_locked_out = True  # type: ignore[attr-defined]
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Allauth counts failures for each name; here for each name and address, so that nobody keeps the owner of a name
        from signing in elsewhere by failing on purpose."""
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{self.get_client_ip(request)}"

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to the lobby, where the message says that it worked."""
        return "/"
