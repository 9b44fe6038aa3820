"""What a finding says in a sentence, for admins who are no statisticians."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from liuzhou.fairness.judging import FACT, LEAST_COMPARISONS
from liuzhou.fairness.models import Flag

MOST_ODDS = 12
# What is compared, whether there is anything to it or not.
SUBJECTS = {
    Flag.Kind.FEEDING: gettext_lazy("碰吃"),
    Flag.Kind.DEALING: gettext_lazy("点炮"),
    Flag.Kind.COINS: gettext_lazy("金币"),
    Flag.Kind.MEETING: gettext_lazy("同桌次数"),
    Flag.Kind.PLACE: gettext_lazy("同设备或同地址"),
    Flag.Kind.WINNING: gettext_lazy("胜率"),
}


def sentence(kind: str, figures: Mapping[str, Any], one: str, other: str) -> str:
    """The figures of a flag or a page in words. `one` gained, `other` gave."""
    values = {**figures, "one": one, "other": other}
    if kind == Flag.Kind.FEEDING:
        return (
            _("在 %(hands)d 局里，%(other)s 打出的牌被 %(one)s 碰吃 %(found)d 次，按机会约 %(low)d–%(high)d 次。")
            % values
        )
    if kind == Flag.Kind.DEALING:
        return _("在 %(hands)d 局里，%(other)s 给 %(one)s 点炮 %(found)d 次，按机会约 %(low)d–%(high)d 次。") % values
    if kind == Flag.Kind.MEETING:
        return (
            _(
                "%(one)s 和 %(other)s 在金币场坐到同一桌 %(found)d 次，按同时段、同底注的来人随机凑桌约 %(low)d–%(high)d 次。"
            )
            % values
        )
    if kind == Flag.Kind.WINNING:
        return _winning(values)
    return _coins(values) if kind == Flag.Kind.COINS else _place(values)


def _winning(values: dict[str, Any]) -> str:
    shown = {name: percent(values[name]) for name in ("rate", "rate_low", "rate_high", "fair", "table")}
    return (
        _(
            "%(one)s 打了 %(hands)d 局，胡了 %(found)d 局（%(rate)s，真实水平约在 %(rate_low)s–%(rate_high)s 之间）；"
            "按人数平分是 %(fair)s，同桌平均是 %(table)s，对手强弱相当时约 %(low)d–%(high)d 局。"
        )
        % {**values, **shown}
    )  # fmt: skip


def _coins(values: dict[str, Any]) -> str:
    coins = values["coins"]
    payer, payee = (values["other"], values["one"]) if coins >= 0 else (values["one"], values["other"])
    said = _("在 %(hands)d 局金币场里，%(payer)s 净付给 %(payee)s %(coins)s 金币") % {
        "hands": values["hands"], "payer": payer, "payee": payee, "coins": f"{abs(coins):,}",
    }  # fmt: skip
    if coins > 0 and values["share"]:
        said += _("，占 %(payee)s 赢得的 %(share)s") % {"payee": payee, "share": percent(values["share"])}
    rest = _(
        "；扣除两人与同桌其他人之间的输赢后，每局仍差 %(edge)+.2f 分（区间 %(low)+.2f–%(high)+.2f），按机会应接近 0。"
    )
    return said + rest % values


def _place(values: dict[str, Any]) -> str:
    said = (
        _("两人同桌的 %(hands)d 局金币场里，%(device)d 局时用过同一台设备，%(address)d 局时来自同一个网络地址。")
        % values
    )
    return said + _("同一地址也可能只是同一个家庭、学校或网吧。")


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def odds(score: float) -> str:
    """How rare a score is. The bound holds however often one looks at a pair."""
    if score >= FACT:
        return _("这是事实，不是统计。")
    if score < 1:
        return _("在机会范围之内。")
    times = 10 ** min(MOST_ODDS, int(score))
    return _("诚实的玩家碰巧出现这样的差别，机会不到 %(times)s 分之一。") % {"times": f"{times:,}"}


def verdict(score: float, limit: float, enough: bool) -> str:
    """What to make of it, given how many are compared."""
    if score >= FACT:
        return ""
    if not enough:
        return _("局数还少，不作判断。")
    if score < 2:
        return _("没有异常。")
    if score < limit:
        return _("值得留意，但在这么多对玩家里难免出现，不足以提出疑点。")
    return _("超过门槛，碰巧难以解释。")


def shown_score(score: float) -> str:
    return _("事实") if score >= FACT else f"{max(0.0, score):.1f}"


def measure(limit: float, comparisons: int) -> str:
    """How the threshold comes about."""
    compared = max(LEAST_COMPARISONS, comparisons)
    return _("门槛 %(limit).1f：同时比较约 %(count)s 对玩家，任何一对被误报的机会合计不超过 1%%。") % {
        "limit": limit, "count": f"{compared:,}",
    }  # fmt: skip
