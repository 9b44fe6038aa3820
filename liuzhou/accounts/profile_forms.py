"""The forms of one's own account. What may be chosen is the services'; here it gets its words."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts import names, preferences, restraint
from liuzhou.accounts.models import PALETTE, User


class ProfileForm(forms.Form):
    """Name and colour."""

    nickname = forms.CharField(
        label=_("昵称"),
        max_length=64,
        help_text=_("牌桌上显示的名字，最多 8 个汉字或 16 个字母。"),
        widget=forms.TextInput({"autocomplete": "nickname", "maxlength": str(names.NICKNAME_WIDTH)}),
    )
    color = forms.ChoiceField(label=_("头像颜色"), choices=[(color, color) for color in PALETTE])

    @staticmethod
    def of(user: User) -> dict[str, Any]:
        return {"nickname": user.display_name, "color": user.color}


def _switch(label: Any, help_text: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=help_text)


class PreferencesForm(forms.Form):
    """How the table is shown and heard, the language, and whether the leaderboards show the player."""

    sounds = _switch(_("音效"))
    speech = _switch(_("语音报牌"), _("吃、碰、杠、胡由浏览器念出来。"))
    marks = _switch(_("色弱标记"), _("每种花色另加记号，不只靠颜色区分。"))
    auto_pass = _switch(_("默认自动过牌"), _("每局开始时自动过牌是开着的；可以随时关掉。"))
    tiles = forms.ChoiceField(label=_("牌面大小"), choices=[("normal", _("标准")), ("large", _("大"))])
    language = forms.ChoiceField(
        label=_("语言"),
        required=False,
        choices=[("", _("跟随浏览器")), ("zh-hans", "简体中文"), ("en", "English")],
    )
    ranked = _switch(_("参加排行榜"), _("关掉以后，排行榜和本周大牌里都不出现你的名字。"))

    @staticmethod
    def of(user: User) -> dict[str, Any]:
        return {**preferences.complete(user.preferences), "ranked": user.ranked}


class CoolOffForm(forms.Form):
    """A break of one's own wish."""

    length = forms.ChoiceField(
        label=_("休息多久"),
        choices=[("day", _("1 天")), ("three_days", _("3 天")), ("week", _("7 天")), ("month", _("30 天"))],
    )
    sure = forms.BooleanField(label=_("我知道休息期不能缩短"))


class LossCapForm(forms.Form):
    """The daily loss cap."""

    coins = forms.ChoiceField(
        label=_("每天最多输"),
        required=False,
        choices=[("", _("不限")), *((str(cap), f"{cap:,}") for cap in restraint.LOSS_CAPS)],
    )

    @staticmethod
    def of(user: User) -> dict[str, Any]:
        """The wish that is stored last: tomorrow's, if there is one."""
        waiting = user.loss_cap_next_on is not None
        cap = user.loss_cap_next if waiting else user.loss_cap
        return {"coins": str(cap) if cap is not None else ""}


class RealNameForm(forms.Form):
    """Asked only where the operator has a real-name service; neither field is stored."""

    name = forms.CharField(label=_("姓名"), max_length=40)
    document = forms.CharField(label=_("证件号"), max_length=40, widget=forms.TextInput({"autocomplete": "off"}))


class CloseForm(forms.Form):
    """The password, again."""

    password = forms.CharField(
        label=_("密码"), strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    sure = forms.BooleanField(label=_("我知道注销不能撤销，剩下的金币和房卡一并放弃"))
