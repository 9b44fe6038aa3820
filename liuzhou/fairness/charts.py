"""The desk's charts as numbers for an SVG: everything is an attribute, so that no inline style is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from django.utils.translation import get_language, gettext

WIDTH: Final = 640
LEFT, RIGHT, TOP, BOTTOM = 78, 12, 16, 30
GOOD, WARN, BAD, BAND = "#2d7d5f", "#c99a3b", "#b8322a", "#9db7d5"
# Less than chance would give: blue; more: red. Told apart by lightness, and the figures stand in the cells.
HEAT: Final = (
    (0.6, "#8fb0d8"),
    (0.85, "#c9d9ec"),
    (1.25, "#f0ece2"),
    (1.6, "#f3cfa8"),
    (2.2, "#e08f62"),
    (9e9, "#b8322a"),
)
UNITS: Final = {"zh": ((10**8, "亿"), (10**4, "万")), "en": ((10**9, "B"), (10**6, "M"), (10**3, "k"))}
MOST_WEEKS: Final = 27


class Rect(NamedTuple):
    x: str
    y: str
    width: str
    height: str
    fill: str
    title: str = ""


class Line(NamedTuple):
    x1: str
    y1: str
    x2: str
    y2: str
    kind: str  # grid, zero, bar or whisker


class Dot(NamedTuple):
    x: str
    y: str
    fill: str
    title: str


class Text(NamedTuple):
    x: str
    y: str
    anchor: str
    text: str
    kind: str = ""  # light: on a dark cell


@dataclass
class Chart:
    """Shapes in the order in which they are drawn: rectangles, lines, dots, texts."""

    label: str
    width: int = WIDTH
    height: int = 240
    rects: list[Rect] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)


def at(value: float) -> str:
    """A number as an attribute, whatever the page's language."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def short(number: float) -> str:
    """12,000 as 1.2万, in English as 12k, which fits below a bar; with a real minus sign."""
    sign, size = ("−" if number < 0 else ""), abs(number)
    for unit, name in UNITS["zh" if (get_language() or "zh").startswith("zh") else "en"]:
        if size >= unit:
            return f"{sign}{size / unit:.1f}".removesuffix(".0") + name
    return f"{sign}{size:g}"


def nice(most: float) -> float:
    """1, 2, 5, 10, 20, …: a step of which about four make `most`."""
    step = 1.0
    while step * 4.5 < most:
        step = step * 2.5 if str(int(step))[0] == "2" else step * 2
    return step


class Scale:
    """Values to heights, from `low` to `high`, both on steps."""

    def __init__(self, low: float, high: float, height: int, step: float) -> None:
        self.low, self.high, self.height, self.step = low, max(high, low + step), height, step

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.height - BOTTOM - share * (self.height - TOP - BOTTOM)

    def draw(self, chart: Chart, suffix: str = "") -> None:
        value = self.low
        while value <= self.high + self.step / 1000:
            height = at(self.y(value))
            kind = "zero" if abs(value) < self.step / 1000 else "grid"
            chart.lines.append(Line(str(LEFT), height, str(chart.width - RIGHT), height, kind))
            chart.texts.append(Text(str(LEFT - 6), at(self.y(value) + 4), "end", short(round(value, 3)) + suffix))
            value += self.step


def _columns(chart: Chart, weeks: Sequence[date]) -> list[tuple[float, float]]:
    """The middle and the width of each week's column; some of them named."""
    step = (chart.width - LEFT - RIGHT) / max(len(weeks), 1)
    every = max(1, -(-len(weeks) // 6))
    places = []
    for number, week in enumerate(weeks):
        middle = LEFT + step * (number + 0.5)
        places.append((middle, min(step * 0.62, 46)))
        if number % every == 0:
            chart.texts.append(Text(at(middle), str(chart.height - 8), "middle", f"{week:%m-%d}"))
    return places


class Week(NamedTuple):
    """A week's count and what chance would give."""

    week: date
    found: int
    expected: float
    low: float
    high: float


def counts(weeks: Sequence[Week], label: str, names: tuple[str, str, str]) -> Chart:
    """Bars of what was found, a band of what chance would give. `names`: the bar within, the bar above, the band."""
    weeks = weeks[-MOST_WEEKS:]
    chart = Chart(label)
    most = max((max(week.found, week.high) for week in weeks), default=1)
    step = nice(most)
    scale = Scale(0, -(-most // step) * step, chart.height, step)
    scale.draw(chart)
    for week, (middle, width) in zip(weeks, _columns(chart, [week.week for week in weeks]), strict=True):
        top, base = scale.y(week.found), scale.y(0)
        title = f"{week.week}: {week.found} ({week.low:g}–{week.high:g})"
        band = scale.y(week.high)
        chart.rects.append(
            Rect(at(middle - width * 0.75), at(band), at(width * 1.5), at(scale.y(week.low) - band), BAND, title)
        )
        fill = BAD if week.found > week.high else GOOD
        chart.rects.append(Rect(at(middle - width / 2), at(top), at(width), at(base - top), fill, title))
    chart.legend = [(GOOD, names[0]), (BAD, names[1]), (BAND, names[2])]
    return chart


class Rate(NamedTuple):
    """A week's share, its interval and what it would be by chance."""

    week: date
    share: float
    low: float
    high: float
    expected: float


def rates(weeks: Sequence[Rate], label: str, names: tuple[str, str]) -> Chart:
    """A dot with its interval per week, and a bar at what was to be expected."""
    weeks = weeks[-MOST_WEEKS:]
    chart = Chart(label)
    scale = Scale(0, 100, chart.height, 25)
    scale.draw(chart, suffix="%")
    for week, (middle, width) in zip(weeks, _columns(chart, [week.week for week in weeks]), strict=True):
        x, expected = at(middle), at(scale.y(100 * week.expected))
        chart.lines.append(Line(x, at(scale.y(100 * week.low)), x, at(scale.y(100 * week.high)), "whisker"))
        chart.lines.append(Line(at(middle - width * 0.7), expected, at(middle + width * 0.7), expected, "bar"))
        title = f"{week.week}: {100 * week.share:.0f}% ({100 * week.low:.0f}–{100 * week.high:.0f}%)"
        fill = BAD if week.low > week.expected else GOOD
        chart.dots.append(Dot(x, at(scale.y(100 * week.share)), fill, title))
    chart.legend = [(GOOD, names[0]), (WARN, names[1])]
    return chart


def flows(weeks: Sequence[tuple[date, int]], label: str, names: tuple[str, str]) -> Chart:
    """Bars up and down: coins one way or the other per week."""
    weeks = weeks[-MOST_WEEKS:]
    chart = Chart(label)
    high, low = max([0, *(coins for _, coins in weeks)]), min([0, *(coins for _, coins in weeks)])
    step = nice(max(high, -low, 4) * (1 if high == 0 or low == 0 else 1.5))
    scale = Scale(low // step * step, -(-high // step) * step, chart.height, step)
    scale.draw(chart)
    for (week, coins), (middle, width) in zip(weeks, _columns(chart, [week for week, _ in weeks]), strict=True):
        top, base = sorted((scale.y(coins), scale.y(0)))
        fill = GOOD if coins >= 0 else WARN
        chart.rects.append(
            Rect(at(middle - width / 2), at(top), at(width), at(base - top), fill, f"{week}: {coins:+,}")
        )
    chart.legend = [(GOOD, names[0]), (WARN, names[1])]
    return chart


def balances(rows: Sequence[tuple[str, int]], label: str, names: tuple[str, str]) -> Chart:
    """A bar per opponent, to the right what was won from them, to the left what was lost."""
    height = 34
    chart = Chart(label, height=max(1, len(rows)) * height + 8)
    most = max((abs(coins) for _, coins in rows), default=0) or 1
    zero, reach = 390.0, 165.0
    chart.lines.append(Line(at(zero), "0", at(zero), str(chart.height), "zero"))
    for number, (name, coins) in enumerate(rows):
        y, long = 4 + number * height, reach * abs(coins) / most
        chart.texts.append(Text("4", at(y + 20), "start", name))
        start = zero if coins >= 0 else zero - long
        chart.rects.append(
            Rect(at(start), at(y + 5), at(long), "20", GOOD if coins >= 0 else WARN, f"{name}: {coins:+,}")
        )
        anchor, x = ("start", zero + long + 6) if coins >= 0 else ("end", zero - long - 6)
        chart.texts.append(Text(at(x), at(y + 20), anchor, short(coins)))
    chart.legend = [(GOOD, names[0]), (WARN, names[1])]
    return chart


class Cell(NamedTuple):
    """What the row's player took from the column's; `expected` is 0 where they never met. `bonds`: 三比 that stood."""

    found: int
    expected: float
    bonds: int = 0


def heat(names: Sequence[str], cells: Sequence[Sequence[Cell | None]], label: str) -> Chart:
    """A square per pair: rows take, columns give; the colour says how many times as often as by chance."""
    size, left, top = 60, 150, 30
    chart = Chart(label, width=left + size * len(names) + 4, height=top + size * len(names) + 4)
    for number, name in enumerate(names):
        middle = size * (number + 0.5)
        chart.texts.append(Text(at(left + middle), str(top - 9), "middle", str(number + 1)))
        chart.texts.append(Text("2", at(top + middle + 5), "start", f"{number + 1} {name}"))
    bonds = gettext("三比")
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            if cell is None:
                continue
            x, y = left + size * column, top + size * row
            ratio = cell.found / cell.expected if cell.expected else 1.0
            fill = next(color for most, color in HEAT if ratio < most) if cell.expected >= 3 else "#f0ece2"
            title = f"{names[row]} ← {names[column]}: {cell.found} / {cell.expected:.0f}, {bonds} {cell.bonds}"
            chart.rects.append(Rect(at(x + 1), at(y + 1), at(size - 2), at(size - 2), fill, title))
            dark = "light" if fill == HEAT[-1][1] else "dark"
            chart.texts.append(Text(at(x + size / 2), at(y + size / 2), "middle", str(cell.found), dark))
            shown = f"×{ratio:.1f}" if cell.expected >= 3 else "–"
            chart.texts.append(Text(at(x + size / 2), at(y + size / 2 + 17), "middle", shown, f"{dark} small"))
    return chart
