"""Charts as numbers for an SVG: positions and colours as attributes, so that no inline style is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 8, 12, 26
# Told apart by lightness too, not by colour alone.
COLORS = ("#1f6b52", "#c99a3b", "#2d5da8", "#b8322a", "#7fb89a", "#6d3fa0", "#e3b564", "#44546a", "#a8326e", "#8fb0d8")


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    color: str
    title: str


@dataclass
class Chart:
    """Stacked bars over days, with a scale on the left."""

    bars: list[Bar] = field(default_factory=list)
    ticks: list[tuple[float, str]] = field(default_factory=list)
    days: list[tuple[float, str]] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM


def stacked(rows: Iterable[dict[str, Any]], *, names: dict[str, str], first: date, last: date) -> Chart:
    """Bars of `moved` per `day`, stacked by `kind`; the kinds that moved most are at the bottom."""
    amounts: dict[tuple[date, str], int] = {(row["day"], row["kind"]): row["moved"] for row in rows}
    sums: dict[str, int] = {}
    for (_, kind), amount in amounts.items():
        sums[kind] = sums.get(kind, 0) + amount
    kinds = sorted(sums, key=lambda kind: -sums[kind])
    days = [first + timedelta(n) for n in range((last - first).days + 1)]
    top = _round_up(max((sum(amounts.get((day, kind), 0) for kind in kinds) for day in days), default=0))
    chart = Chart(legend=[(COLORS[n % len(COLORS)], names.get(kind, kind)) for n, kind in enumerate(kinds)])
    chart.ticks = [(_height(chart, share, 4), f"{top * share // 4:,}") for share in range(5)]
    _draw(chart, days, kinds, amounts, top, names)
    return chart


def _draw(
    chart: Chart,
    days: Sequence[date],
    kinds: Sequence[str],
    amounts: dict[tuple[date, str], int],
    top: int,
    names: dict[str, str],
) -> None:
    step = (chart.right - chart.left) / max(len(days), 1)
    every = max(1, len(days) // 10)
    for place, day in enumerate(days):
        x, reached = chart.left + step * place, 0
        if place % every == 0:
            chart.days.append((round(x + step / 2, 1), f"{day:%m-%d}"))
        for number, kind in enumerate(kinds):
            if amount := amounts.get((day, kind), 0):
                low, high = _height(chart, reached, top), _height(chart, reached := reached + amount, top)
                title = f"{day:%Y-%m-%d} {names.get(kind, kind)} {amount:,}"
                color = COLORS[number % len(COLORS)]
                chart.bars.append(
                    Bar(round(x + step * 0.12, 1), high, round(step * 0.76, 1), round(low - high, 1), color, title)
                )


def _height(chart: Chart, amount: int, top: int) -> float:
    return round(chart.base - (chart.base - TOP) * amount / top, 1)


def _round_up(amount: int) -> int:
    """The next of 4, 8, 20, 40, 80, 200, … : a scale whose quarters are whole."""
    top = 4
    while top < amount:
        top = top * 5 // 2 if str(top)[0] == "8" else top * 2
    return top
