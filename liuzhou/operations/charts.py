"""Small charts over time as numbers for an SVG: positions as attributes, no style, no script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import get_language

WIDTH, HEIGHT = 480, 170
LEFT, RIGHT, TOP, BOTTOM = 8, 8, 30, 26
UNITS = {"zh": ((10**8, "亿"), (10**4, "万")), "en": ((10**9, "B"), (10**6, "M"), (10**3, "k"))}
GAP = 3  # buckets missing in a row break the line: nobody was there to look


@dataclass
class Chart:
    """`lines` and `areas` are points of polylines and polygons; `ticks` have a position and a text."""

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM
    top: int = TOP
    lines: list[str] = field(default_factory=list)
    areas: list[str] = field(default_factory=list)
    ticks: list[tuple[float, str]] = field(default_factory=list)
    high: str = ""
    low: str = ""
    empty: bool = True


def over_time(
    points: Sequence[tuple[datetime, float]],
    *,
    since: datetime,
    until: datetime,
    width: timedelta,
    from_zero: bool = True,
) -> Chart:
    """The points between two moments; `width` is how far apart they are. Totals that hardly move do not begin at zero."""
    chart = Chart(ticks=_ticks(since, until))
    if not points:
        return chart
    values = [value for _, value in points]
    low = 0.0 if from_zero else min(values)
    high = max(values)
    if high == low:
        high = low + 1
    chart.empty, chart.high, chart.low = False, short(max(values)), short(low)
    span = (until - since).total_seconds()
    for run in _runs(points, width):
        placed = [
            (
                LEFT + (WIDTH - LEFT - RIGHT) * min(max((at - since).total_seconds() / span, 0.0), 1.0),
                chart.base - (chart.base - TOP) * (value - low) / (high - low),
            )
            for at, value in run
        ]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        chart.lines.append(text if len(placed) > 1 else f"{text} {placed[0][0] + 1.5:.1f},{placed[0][1]:.1f}")
        chart.areas.append(f"{placed[0][0]:.1f},{chart.base} {text} {placed[-1][0]:.1f},{chart.base}")
    return chart


def _runs(points: Sequence[tuple[datetime, float]], width: timedelta) -> list[list[tuple[datetime, float]]]:
    runs: list[list[tuple[datetime, float]]] = []
    for point in points:
        if runs and point[0] - runs[-1][-1][0] <= width * GAP:
            runs[-1].append(point)
        else:
            runs.append([point])
    return runs


def _ticks(since: datetime, until: datetime) -> list[tuple[float, str]]:
    """Five moments from left to right, as hours of a day or days of a month."""
    span = until - since
    form = "%H:%M" if span <= timedelta(days=2) else "%m-%d"
    return [
        (round(LEFT + (WIDTH - LEFT - RIGHT) * part / 4, 1), f"{timezone.localtime(since + span * part / 4):{form}}")
        for part in range(5)
    ]


def short(value: float) -> str:
    """A number as a chart's edge has room for it."""
    for size, unit in UNITS["zh" if (get_language() or "zh").startswith("zh") else "en"]:
        if abs(value) >= size * 10:
            return f"{value / size:,.1f}{unit}"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.2f}"
