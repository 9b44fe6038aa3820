"""What the desk's pages show: a player, a pair, a flag. Reads the sums, says it in words, draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from ledger.names import find_owners
from liuzhou.accounts.days import database_now, day_of, week_of
from liuzhou.accounts.models import User
from liuzhou.fairness import charts, evidence, judging, marks, selectors, weighing, words
from liuzhou.fairness.charts import Cell, Chart
from liuzhou.fairness.expectation import Expected
from liuzhou.fairness.facts import Own, Tally
from liuzhou.fairness.judging import Finding
from liuzhou.fairness.models import Flag, PlayerDay, Progress
from liuzhou.fairness.weighing import Bench
from rooms.models import Hand

COMPANIONS: Final = 30  # opponents listed
CIRCLE: Final = 8  # players in the heat map
LAST_HANDS: Final = 20


class Statement(NamedTuple):
    """A finding as the pages show it."""

    title: str
    text: str
    odds: str
    verdict: str
    level: str  # calm, notable or strong
    score: str


def state_finding(finding: Finding, limit: float, names: Mapping[int, str]) -> Statement:
    """The finding in words."""
    other = names[finding.other] if finding.other is not None else ""
    level = "calm"
    if finding.enough and finding.score >= 2:
        level = "strong" if finding.score >= limit else "notable"
    return Statement(
        str(words.SUBJECTS[Flag.Kind(finding.kind)]),
        words.sentence(finding.kind, finding.evidence, names[finding.one], other),
        words.odds(finding.score) if finding.enough else "",
        words.verdict(finding.score, limit, finding.enough),
        level,
        words.shown_score(finding.score),
    )


def names_of(users: Sequence[User] | QuerySet[User]) -> dict[int, str]:
    """Display names; two of the same name are told apart by their numbers."""
    names = {user.pk: user.display_name for user in users}
    return {
        user.pk: f"{user.display_name} {user.number}"
        if sum(name == user.display_name for name in names.values()) > 1
        else user.display_name
        for user in users
    }


@dataclass
class Period:
    """What every page is made from: since when, today, the threshold."""

    since: date
    today: date
    limit: float
    comparisons: int
    weeks: int = 0

    @property
    def choices(self) -> list[tuple[int, str, bool]]:
        """The periods a page offers."""
        names = {0: _("全部"), 12: _("最近 12 周"), 4: _("最近 4 周"), 1: _("本周")}
        return [(weeks, name, weeks == self.weeks) for weeks, name in names.items()]

    @property
    def measure(self) -> str:
        return words.measure(self.limit, self.comparisons)


def period(weeks: int = 0) -> Period:
    """The period that flags rest on, or its last so many weeks."""
    today = day_of(database_now())
    since = weighing.period_start(today)
    if weeks:
        since = max(since, week_of(today) - timedelta(weeks=weeks - 1))
    progress = Progress.objects.filter(pk=1).first()
    comparisons = progress.comparisons if progress else 0
    return Period(since, today, judging.threshold(comparisons), comparisons, weeks)


def search(text: str) -> list[User]:
    """The players a text may mean; two words for a pair are the caller's to split."""
    return list(User.objects.filter(pk__in=find_owners(text)).order_by("pk"))


# ---- A player ------------------------------------------------------------------------------------


@dataclass
class Companion:
    """An opponent in the player's table: who took what of whom."""

    user: User
    hands: int
    takes: str
    takes_high: bool
    gives: str
    gives_high: bool
    wins: str
    bonds: str
    coins: int


@dataclass
class PlayerPage:
    player: User
    period: Period
    own: Own
    winning: Statement
    points: str
    flags: list[Flag]
    rates: Chart | None = None
    circle: Chart | None = None
    balances: Chart | None = None
    coins: str = ""
    companions: list[Companion] = field(default_factory=list)
    neighbours: list[tuple[User, marks.Neighbour]] = field(default_factory=list)


def player_page(player: User, weeks: int = 0) -> PlayerPage:
    """Everything the desk knows of one player."""
    when = period(weeks)
    days = selectors.pair_days(when.since)
    opponents = selectors.pairs(days.filter(taker=player))
    together = {feeder: selectors.total(tallies) for (_taker, feeder), tallies in opponents.items()}
    order = sorted(together, key=lambda one: -together[one].hands)[:COMPANIONS]
    bench = weighing.bench_of({(player.pk, one) for one in order}, when.since, selectors.site_rates(), whole=True)
    users = {user.pk: user for user in User.objects.filter(pk__in=[*order, player.pk])}
    names = names_of(list(users.values()))
    own = selectors.whole(selectors.owns([player.pk], when.since).get(player.pk, {}))
    page = PlayerPage(
        player,
        when,
        own,
        state_finding(weighing.of_player(bench, player.pk), when.limit, names),
        _points(own),
        flags_of(Q(one=player) | Q(other=player)),
    )
    page.companions = [_companion(bench, player.pk, users[one], together[one]) for one in order if one in users]
    page.rates = _weekly_rates(player, when)
    page.circle = _circle(bench, [player.pk, *order[: CIRCLE - 1]], names)
    page.balances, page.coins = _coin_balances(own, together, order, names)
    page.neighbours = _neighbours(player)
    return page


def _points(own: Own) -> str:
    if not own.hands:
        return _("这段时间没有打过牌。")
    middle, interval = evidence.mean(own.points, own.points_squares, own.hands)
    said = _("平均每局 %(mean)+.2f 分，真实水平约在 %(low)+.2f 到 %(high)+.2f 之间；共 %(points)+d 分。")
    return (said + _("自摸 %(drawn)d 局，点炮 %(dealt)d 局。")) % {
        "mean": middle, "low": interval.low, "high": interval.high, "points": own.points, "drawn": own.drawn,
        "dealt": own.dealt_in,
    }  # fmt: skip


def _companion(bench: Bench, player: int, user: User, together: Tally) -> Companion:
    def range_of(taker: int, feeder: int) -> tuple[str, bool, str]:
        dealings = bench.dealings((Flag.Kind.FEEDING, taker, feeder))
        if dealings is None:
            return "–", False, "–"
        tally, expected = dealings
        low, high = evidence.poisson_range(expected.takes)
        fewest, most = evidence.poisson_range(expected.wins)
        return f"{tally.takes} ({low}–{high})", tally.takes > high, f"{tally.all_wins} ({fewest}–{most})"

    takes, takes_high, wins = range_of(player, user.pk)
    gives, gives_high, _wins = range_of(user.pk, player)
    given = selectors.total(bench.all_pairs.get((user.pk, player), {})).bonds
    bonds = f"{together.bonds} / {given}"
    return Companion(user, together.hands, takes, takes_high, gives, gives_high, wins, bonds, together.coins)


def _weekly_rates(player: User, when: Period) -> Chart | None:
    weeks: dict[date, Own] = {}
    for row in PlayerDay.objects.filter(player=player, day__gte=when.since).order_by().values("day").annotate(
        **selectors.OWN_SUMS
    ):  # fmt: skip
        weeks.setdefault(week_of(row["day"]), Own()).add(selectors.own_of(row))
    if not weeks:
        return None
    rows = []
    for week in weeks_between(min(weeks), max(weeks)):
        if (own := weeks.get(week)) is not None:
            interval = evidence.wilson(own.wins, own.hands)
            rows.append(
                charts.Rate(week, own.wins / own.hands, interval.low, interval.high, own.share / own.hands)
            )  # fmt: skip
    return charts.rates(rows, _("每周胜率与区间"), (_("胜率，竖线是区间"), _("同桌平均")))


def weeks_between(first: date, last: date) -> list[date]:
    """The Mondays from the first to the last."""
    return [first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1)]


def _circle(bench: Bench, players: Sequence[int], names: Mapping[int, str]) -> Chart | None:
    players = [one for one in players if one in names]
    if len(players) < 2:
        return None
    cells = [[_cell(bench, taker, feeder) for feeder in players] for taker in players]
    return charts.heat(_cut([names[one] for one in players]), cells, _("谁碰吃谁的牌：行是拿牌的，列是出牌的"))


def _cut(names: Sequence[str]) -> list[str]:
    """As much of a name as fits beside a heat map."""
    return [name if len(name) <= 8 else name[:7] + "…" for name in names]


def _cell(bench: Bench, taker: int, feeder: int) -> Cell | None:
    if taker == feeder:
        return None
    dealings = bench.dealings((Flag.Kind.FEEDING, taker, feeder))
    if dealings is None:
        return Cell(0, 0.0)
    tally, expected = dealings
    return Cell(tally.takes, expected.takes, tally.bonds)


def _coin_balances(
    own: Own, together: Mapping[int, Tally], order: Sequence[int], names: Mapping[int, str]
) -> tuple[Chart | None, str]:
    rows = [(one, together[one].coins) for one in order if together[one].coin_hands and one in names]
    if not rows:
        return None, _("这段时间没有打过金币场。")
    rows = sorted(sorted(rows, key=lambda row: -abs(row[1]))[:10], key=lambda row: -row[1])
    said = _("金币场 %(hands)s 局，净 %(coins)s 金币。") % {
        "hands": f"{own.coin_hands:,}", "coins": f"{own.coins:+,}".replace("-", "−"),
    }  # fmt: skip
    best, coins = rows[0]
    if coins > 0 and own.coins_won:
        said += _("赢得的 %(won)s 金币里，净从 %(best)s 得来 %(coins)s，占 %(share)s。") % {
            "won": f"{own.coins_won:,}", "best": names[best], "coins": f"{coins:,}",
            "share": words.percent(coins / own.coins_won),
        }  # fmt: skip
    shown = _cut([names[one] for one, _coins in rows])
    chart = charts.balances(
        [(name, coins) for name, (_one, coins) in zip(shown, rows, strict=True)],
        _("与各对手之间的净金币"),
        (_("从对方净赢"), _("净输给对方")),
    )
    return chart, said


def _neighbours(player: User) -> list[tuple[User, marks.Neighbour]]:
    found = marks.neighbours(player.pk)
    users = {user.pk: user for user in User.objects.filter(pk__in=[one.user for one in found])}
    return [(users[one.user], one) for one in found if one.user in users]


# ---- A pair --------------------------------------------------------------------------------------


@dataclass
class PairPage:
    one: User
    other: User
    period: Period
    hands: int
    statements: list[Statement]
    points: str
    company: list[str]
    flags: list[Flag]
    takes: list[tuple[str, Chart]]
    coins: Chart | None
    places: str
    last: list[Hand]


def pair_page(one: User, other: User, weeks: int = 0) -> PairPage:
    """Everything the desk knows of two players; the order does not matter."""
    one, other = sorted((one, other), key=lambda user: user.pk)
    when = period(weeks)
    bench = weighing.bench_of({(one.pk, other.pk)}, when.since, selectors.site_rates(), whole=True)
    names = names_of([one, other])
    together = selectors.total(bench.all_pairs.get((one.pk, other.pk), {}))
    findings = weighing.of_pair(bench, one.pk, other.pk) if together.hands else []
    shown = [state_finding(each, when.limit, names) for each in findings if _worth_showing(each)]
    both = Q(one=one, other=other) | Q(one=other, other=one)
    return PairPage(
        one,
        other,
        when,
        together.hands,
        shown,
        _pair_points(together, names[one.pk], names[other.pk]),
        [said for pair in ((one.pk, other.pk), (other.pk, one.pk)) if (said := _company(bench, *pair, names))],
        flags_of(both),
        [
            chart
            for taker, feeder in ((one.pk, other.pk), (other.pk, one.pk))
            if (chart := _weekly_takes(bench, taker, feeder, names))
        ],
        _weekly_coins(one.pk, other.pk, when.since, names),
        _shared_places(one, other, when.today),
        last_hands(one, other),
    )


def _worth_showing(finding: Finding) -> bool:
    """Coins only where coins were played for; of the two directions the one in which they went."""
    if finding.kind == Flag.Kind.COINS:
        coins = finding.evidence["coins"]
        return finding.hands > 0 and (coins > 0 or (coins == 0 and finding.one < (finding.other or 0)))
    if finding.kind == Flag.Kind.PLACE:
        return finding.evidence["device"] > 0 or finding.evidence["address"] > 0
    return True


def _pair_points(together: Tally, one: str, other: str) -> str:
    if not together.hands:
        return _("两人没有同桌打过牌。")
    said = _("两人同桌 %(hands)d 局，%(one)s 吃 %(other)s 三比 %(bonds)d 次；")
    return (said + _("按结算明细，%(other)s 净付给 %(one)s %(points)+d 分。")) % {
        "hands": together.hands, "bonds": together.bonds, "one": one, "other": other, "points": together.points,
    }  # fmt: skip


def _company(bench: Bench, player: int, other: int, names: Mapping[int, str]) -> str:
    """How a player wins with the other at the table, and without."""
    own = selectors.whole(bench.owns.get(player, {}))
    there = selectors.total(bench.all_pairs.get((player, other), {}))
    if not there.hands:
        return ""
    near = evidence.wilson(there.won, there.hands)
    said = _("%(player)s 与 %(other)s 同桌时胡 %(won)d/%(hands)d 局（%(rate)s，区间 %(low)s–%(high)s；同桌平均 %(table)s）") % {
        "player": names[player], "other": names[other], "won": there.won, "hands": there.hands,
        "rate": words.percent(there.won / there.hands), "low": words.percent(near.low), "high": words.percent(near.high),
        "table": words.percent(there.share / there.hands),
    }  # fmt: skip
    if own.hands <= there.hands:
        return said + _("，没有不同桌的牌局可比。")
    hands, won = own.hands - there.hands, own.wins - there.won
    far = evidence.wilson(won, hands)
    return said + _("，不同桌时胡 %(won)d/%(hands)d 局（%(rate)s，区间 %(low)s–%(high)s）。") % {
        "won": won, "hands": hands, "rate": words.percent(won / hands), "low": words.percent(far.low),
        "high": words.percent(far.high),
    }  # fmt: skip


def _weekly_takes(bench: Bench, taker: int, feeder: int, names: Mapping[int, str]) -> tuple[str, Chart] | None:
    rows = selectors.pair_days(bench.since).filter(taker=taker, feeder=feeder)
    weeks: dict[date, dict[str, Tally]] = {}
    for row in rows.order_by().values("day", "table").annotate(**selectors.PAIR_SUMS):
        tables = weeks.setdefault(week_of(row["day"]), {})
        tables.setdefault(row["table"], Tally()).add(selectors.tally_of(row))
    weeks = {week: counted for week, all_ in weeks.items() if (counted := selectors.comparable(all_))}
    if not weeks or (taker, feeder) not in bench.pairs:
        return None
    shown = []
    for week in weeks_between(min(weeks), max(weeks)):
        part = weeks.get(week, {})
        expected = bench.chances.expected(taker, feeder, part) if part else Expected()
        found = selectors.total(part).takes
        shown.append(charts.Week(week, found, expected.takes, *evidence.poisson_range(expected.takes)))
    title = _("%(taker)s 碰吃 %(feeder)s 的牌，每周") % {"taker": names[taker], "feeder": names[feeder]}
    return title, charts.counts(shown, title, (_("次数"), _("次数，超出机会范围"), _("按机会的范围")))


def _weekly_coins(one: int, other: int, since: date, names: Mapping[int, str]) -> Chart | None:
    rows = selectors.pair_days(since).filter(taker=one, feeder=other, coin_hands__gt=0)
    weeks: dict[date, int] = {}
    for day, coins in rows.values_list("day", "coins"):
        weeks[week_of(day)] = weeks.get(week_of(day), 0) + coins
    if not weeks:
        return None
    shown = [(week, weeks.get(week, 0)) for week in weeks_between(min(weeks), max(weeks))]
    return charts.flows(
        shown,
        _("两人之间的净金币，每周"),
        (_("%(name)s 净得") % {"name": names[one]}, _("%(name)s 净得") % {"name": names[other]}),
    )


def _shared_places(one: User, other: User, today: date) -> str:
    """What the marks say of the two, apart from any hands."""
    found = [near for near in marks.neighbours(one.pk, 200) if near.user == other.pk]
    if not found:
        return _("没有发现两人用过同一台设备或同一个网络地址（只保留最近 %(days)d 天的痕迹）。") % {
            "days": marks.KEEP_DAYS
        }
    said = {
        "device": _("两人用过同一台设备（共 %(crowd)d 个帐号用过，最近 %(day)s）。"),
        "address": _("两人来自同一个网络地址（共 %(crowd)d 个帐号来自那里，最近 %(day)s）。"),
    }
    return "".join(said[near.kind] % {"crowd": near.crowd, "day": near.last_on} for near in found)


def last_hands(one: User, other: User) -> list[Hand]:
    """The settled hands the two played together last."""
    hands = Hand.objects.filter(state=Hand.State.SETTLED, players__user=one).filter(players__user=other)
    return list(hands.defer("secret").select_related("room").order_by("-pk")[:LAST_HANDS])


# ---- Flags ---------------------------------------------------------------------------------------


def flags_of(which: Q) -> list[Flag]:
    return list(Flag.objects.filter(which).select_related("one", "other").order_by("-updated_at")[:20])


def said_of(flag: Flag) -> str:
    """A flag in one sentence."""
    users = [flag.one, *([flag.other] if flag.other else [])]
    names = names_of(users)
    return words.sentence(flag.kind, flag.evidence, names[flag.one_id], names[flag.other_id] if flag.other_id else "")


def said_of_decision(flag: Flag, figures: Mapping[str, Any]) -> str:
    """The same with the figures as they were when it was decided."""
    names = names_of([flag.one, *([flag.other] if flag.other else [])])
    return words.sentence(flag.kind, figures, names[flag.one_id], names[flag.other_id] if flag.other_id else "")
