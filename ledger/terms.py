"""The ledger's words: currencies, kinds of accounts and entries, and what they are called in plain Chinese."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

COIN: Final = "COIN"
CARD: Final = "CARD"
POINT: Final = "POINT"
CURRENCIES: Final = (COIN, CARD, POINT)
CURRENCY_NAMES: Final[dict[str, Promise]] = {COIN: _("金币"), CARD: _("房卡"), POINT: _("积分")}

SYSTEM_NAMES: Final[dict[str, Promise]] = {
    "mint": _("发行"),
    "grants": _("赠送"),
    "penalty": _("罚没"),
    "compensation": _("补偿"),
    "card_sales": _("房卡消耗"),
}
ACCOUNT_KINDS: Final[dict[str, Promise]] = {
    "system": _("系统"),
    "user": _("玩家"),
    "agent": _("代理"),
    "seat": _("牌桌座位"),
    "hold": _("预留"),
}
# Any kind of `[a-z_]` may be posted; these are the ones with a name of their own.
ENTRY_KINDS: Final[dict[str, Promise]] = {
    "signup": _("注册赠送"),
    "signin": _("每日签到"),
    "relief": _("救济金"),
    "issue": _("发行"),
    "burn": _("销毁"),
    "hold": _("预留"),
    "capture": _("预留扣款"),
    "release": _("预留退回"),
    "sit": _("带入牌桌"),
    "stand": _("离桌带回"),
    "settlement": _("牌局结算"),
    "void": _("牌局作废"),
    "penalty": _("罚没"),
    "compensation": _("补偿"),
    "purchase": _("代理进货"),
    "handover": _("代理转卡"),
    "reversal": _("冲正"),
}


def kind_name(kind: str) -> str:
    """What an entry of this kind is called; a kind without a name is shown as it is."""
    return str(ENTRY_KINDS.get(kind, kind))
