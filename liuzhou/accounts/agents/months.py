"""A month of an agent, from the ledger: what there was, what was bought, handed out and otherwise moved, what is left."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext_lazy as _

from ledger import charts, sheets
from ledger.exports import Rows
from ledger.terms import kind_name
from liuzhou.accounts.agents.handing import stock_account
from liuzhou.accounts.agents.models import Agent
from liuzhou.accounts.days import SHANGHAI, database_now, day_of, start_of
from liuzhou.accounts.models import User

HEAD = (_("时间"), _("分录号"), _("类别"), _("玩家号"), _("玩家"), _("变动"), _("余额"), _("原因"))
BOUGHT, HANDED = "purchase", "handover"


@dataclass(frozen=True, slots=True)
class Received:
    """What one player was given in the month; `back` is what came back from them (reversals)."""

    player: User
    cards: int
    times: int
    back: int


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    bought: int
    handed: int
    other: int


@dataclass(frozen=True)
class Month:
    """`other` is what is neither: issues, burns and reversals by admins. opening + bought - handed + other = closing."""

    first: date
    latest: bool
    opening: int
    bought: int
    handed: int
    other: int
    closing: int
    lines: int
    players: list[Received]
    days: list[Day]
    chart: charts.Chart

    @property
    def before(self) -> date:
        return (self.first - timedelta(days=1)).replace(day=1)

    @property
    def after(self) -> date:
        return following(self.first)


def following(first: date) -> date:
    """The first day of the month after."""
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1)


def this_month(now: datetime | None = None) -> date:
    return day_of(now or database_now()).replace(day=1)


def parse(text: str, now: datetime | None = None) -> date:
    """`2026-12` as the month's first day; this month for anything else, and for what is still to come."""
    current = this_month(now)
    try:
        wanted = datetime.strptime(text, "%Y-%m").replace(tzinfo=SHANGHAI).date()
    except ValueError:
        return current
    return wanted if date(2000, 1, 1) <= wanted <= current else current


def _span(first: date) -> tuple[datetime, datetime]:
    return start_of(first), start_of(following(first))


def month_of(agent: Agent, first: date) -> Month:
    """The month that begins with `first`, by the calendar of Asia/Shanghai."""
    found = sheets.sheet(stock_account(agent), *_span(first), SHANGHAI)
    bought, handed = found.kinds.get(BOUGHT, 0), -found.kinds.get(HANDED, 0)
    moved = [
        {"day": day, "kind": kind, "moved": abs(amount)}
        for (day, kind), amount in found.days.items()
        if kind in (BOUGHT, HANDED)
    ]
    names = {BOUGHT: kind_name(BOUGHT), HANDED: kind_name(HANDED)}
    return Month(
        first=first,
        latest=first >= this_month(),
        opening=found.opening,
        bought=bought,
        handed=handed,
        other=found.closing - found.opening - bought + handed,
        closing=found.closing,
        lines=found.count,
        players=_players(found),
        days=_days(found),
        chart=charts.stacked(moved, names=names, first=first, last=following(first) - timedelta(days=1)),
    )


def _players(found: sheets.Sheet) -> list[Received]:
    owners = {owner for owner, _kind in found.others}
    rows = []
    for player in User.objects.filter(pk__in=owners):
        cards, times = found.others.get((player.pk, HANDED), (0, 0))
        back = sum(
            amount for (owner, kind), (amount, _n) in found.others.items() if owner == player.pk and kind != HANDED
        )
        rows.append(Received(player, -cards, times, back))
    return sorted(rows, key=lambda row: (-row.cards, row.player.pk))


def _days(found: sheets.Sheet) -> list[Day]:
    rows = []
    for day in sorted({day for day, _kind in found.days}, reverse=True):
        kinds = {kind: amount for (on, kind), amount in found.days.items() if on == day}
        bought, handed = kinds.pop(BOUGHT, 0), -kinds.pop(HANDED, 0)
        rows.append(Day(day, bought, handed, sum(kinds.values())))
    return rows


def csv_rows(agent: Agent, first: date) -> tuple[int, Rows]:
    """How many lines the month has, and the lines, read while they are sent."""
    account, span = stock_account(agent), _span(first)
    known: dict[int, tuple[str, str]] = {0: ("", "")}

    def player(owner: int) -> tuple[str, str]:
        if owner not in known:
            user = User.objects.filter(pk=owner).first()
            known[owner] = (user.number, user.display_name) if user else ("", "")
        return known[owner]

    def lines() -> Iterator[tuple[str | int, ...]]:
        for row in sheets.rows(account, *span):
            at = row.at.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M:%S")
            number, name = player(row.other)
            yield (at, row.entry, kind_name(row.kind), number, name, row.amount, row.balance, row.reason)

    return sheets.count(account, *span), lines()
