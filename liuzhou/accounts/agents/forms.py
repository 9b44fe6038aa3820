"""What agents, players and admins fill in. Every form that moves cards carries a token: sent twice, it counts once."""

import secrets
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from liuzhou.accounts.agents import handing, orders
from liuzhou.accounts.agents.applying import REASON_LENGTH


def new_token() -> str:
    return secrets.token_hex(12)


def _number(label: Any, most: int) -> forms.IntegerField:
    widget = forms.NumberInput({"inputmode": "numeric", "autocomplete": "off"})
    return forms.IntegerField(label=label, min_value=1, max_value=most, widget=widget)


class Once(forms.Form):
    """A form with a token of its own."""

    token = forms.RegexField(r"^[0-9a-f]{24}\Z", widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["initial"] = {"token": new_token(), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)


class HandoverForm(Once):
    """How many cards to which of the agent's players (the number of the bond)."""

    bond = forms.IntegerField(min_value=1, max_value=2**62, widget=forms.HiddenInput)
    amount = _number(_("转几张房卡"), handing.LARGEST)


class OrderForm(Once):
    amount = _number(_("要进多少张房卡"), orders.LARGEST)
    note = forms.CharField(label=_("备注（可不填）"), required=False, max_length=REASON_LENGTH)


class InviteForm(forms.Form):
    number = forms.RegexField(
        r"^[1-9][0-9]{7}\Z",
        label=_("玩家号"),
        error_messages={"invalid": _("玩家号是 8 位数字。")},
        widget=forms.TextInput({"inputmode": "numeric", "maxlength": "8", "autocomplete": "off"}),
    )


class ApplyForm(forms.Form):
    note = forms.CharField(
        label=_("想说的话（可不填）"),
        required=False,
        max_length=REASON_LENGTH,
        help_text=_("例如打算怎样服务牌友、联系方式。只有管理员看得到。"),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("原因"), max_length=REASON_LENGTH, widget=forms.TextInput({"size": 40, "autocomplete": "off"})
    )


class SureForm(forms.Form):
    """Nothing to fill in: the button is the answer."""
