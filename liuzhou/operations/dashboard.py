"""The dashboard: each figure as a number and over time. A handful of indexed queries and one round to Valkey; the look over
the whole ledger is a task's, its answer is shown with its age."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from liuzhou.operations import charts, sampling
from liuzhou.operations.models import LedgerCheck, Notice
from liuzhou.values import maintenance

SPANS = {
    "day": (_("24 小时"), timedelta(days=1), timedelta(minutes=10)),
    "month": (_("30 天"), timedelta(days=30), timedelta(hours=4)),
}
LATE = timedelta(minutes=25)  # a check of the ledger is due every ten minutes


@dataclass(frozen=True)
class Figure:
    """A tile of the dashboard; `bad` marks what needs somebody."""

    title: str | Promise
    number: str
    note: str
    chart: charts.Chart
    bad: bool = False


def context(request: HttpRequest) -> dict[str, Any]:
    chosen = request.GET.get("span", "day")
    span = chosen if chosen in SPANS else "day"
    _name, length, width = SPANS[span]
    until = timezone.now()
    since = until - length
    now, rows = sampling.now(), sampling.series(since=since, width=width)

    def chart(name: str, from_zero: bool = True) -> charts.Chart:
        points = [(row["bucket"], float(row[name])) for row in rows if row[name] is not None]
        return charts.over_time(points, since=since, until=until, width=width, from_zero=from_zero)

    return {
        "figures": [*_live(now, chart), *_money(now, chart), _violations(since, until), _errors(now, chart)],
        "spans": [(key, name, key == span) for key, (name, _length, _width) in SPANS.items()],
        "maintenance": maintenance.current(),
        "notices": Notice.objects.filter(starts_at__lte=until, ends_at__gt=until).count(),
    }


def _live(now: dict[str, Any], chart: Callable[..., charts.Chart]) -> list[Figure]:
    rooms = gettext("开着的房间 %(rooms)d") % {"rooms": now["rooms"]}
    return [
        Figure(_("进行中的牌桌"), f"{now['tables']:,}", rooms, chart("tables")),
        Figure(_("在线玩家"), f"{now['players']:,}", gettext("坐在牌桌上、连着的"), chart("players")),
        Figure(_("每分钟局数"), f"{now['hands']:,}", gettext("上一分钟打完的"), chart("hands")),
    ]


def _money(now: dict[str, Any], chart: Callable[..., charts.Chart]) -> list[Figure]:
    used = gettext("房间已用掉 %(used)s") % {"used": f"{now['cards_used']:,}"}
    outside = gettext("在玩家、代理和牌桌手里")
    return [
        Figure(_("售出房卡"), f"{now['cards_sold']:,}", used, chart("cards_sold", False)),
        Figure(_("流通金币"), f"{now['coins']:,}", outside, chart("coins", False)),
        Figure(_("流通房卡"), f"{now['cards']:,}", outside, chart("cards", False)),
    ]


def _violations(since: datetime, until: datetime) -> Figure:
    points = [(at, float(count)) for at, count in sampling.violations_since(since)]
    drawn = charts.over_time(points, since=since, until=until, width=timedelta(minutes=15))
    last = LedgerCheck.objects.order_by("-pk").first()
    if last is None:
        return Figure(_("账本违规"), "—", gettext("还没有检查过，十分钟内会有"), drawn)
    when = f"{timezone.localtime(last.at):%m-%d %H:%M}"
    if last.violations is None:
        return Figure(
            _("账本违规"), "?", gettext("%(when)s 没能查完，请运行 audit_ledger") % {"when": when}, drawn, bad=True
        )
    late = until - last.at > LATE
    note = gettext("%(when)s 查过，用时 %(seconds)s 秒") % {"when": when, "seconds": last.seconds}
    if late:
        note = gettext("最近一次检查在 %(when)s：定时任务没有在跑？") % {"when": when}
    elif last.violations:
        note = "；".join(f"{one['rule']}: {one['what']}" for one in last.first)[:160]
    return Figure(_("账本违规"), f"{last.violations:,}", note, drawn, bad=late or bool(last.violations))


def _errors(now: dict[str, Any], chart: Callable[..., charts.Chart]) -> Figure:
    rate = 100.0 * now["errors"] / now["requests"] if now["requests"] else 0.0
    note = gettext("上一分钟 %(requests)s 次请求，%(errors)s 次出错，另有 %(logged)s 条错误日志") % now
    return Figure(_("出错率"), f"{rate:.2f} %", note, chart("error_rate"), bad=rate >= 1 or now["logged"] > 0)
