"""The charts of 战绩 as numbers for an SVG: everything is an attribute, so that no inline style is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 26
MOST_POINTS = 240


class Tick(NamedTuple):
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Course:
    """A line over hands: the zero line, the scale at the left, how many hands below."""

    line: str
    area: str
    zero: float
    ticks: list[Tick]
    hands: list[Tick]
    end: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM


def course(sums: Sequence[int]) -> Course | None:
    """The sum of points after each hand; None without two places to draw a line between."""
    if len(sums) < 2:
        return None
    low, high = min(sums), max(sums)
    step = nice_step(high - low)
    bottom, top = low // step * step, -(-high // step) * step
    top = top if top > bottom else bottom + step

    def y(value: int) -> float:
        return round(TOP + (HEIGHT - BOTTOM - TOP) * (top - value) / (top - bottom), 1)

    def x(place: int) -> float:
        return round(LEFT + (WIDTH - RIGHT - LEFT) * place / (len(sums) - 1), 1)

    places = thinned(len(sums))
    line = " ".join(f"{x(place)},{y(sums[place])}" for place in places)
    ticks = [Tick(y(value), signed(value)) for value in range(bottom, top + 1, step)]
    hands = [Tick(x(place), str(place)) for place in sorted({0, (len(sums) - 1) // 2, len(sums) - 1})]
    zero = y(min(max(0, bottom), top))
    last = len(sums) - 1
    area = f"{x(0)},{zero} {line} {x(last)},{zero}"
    return Course(line, area, zero, ticks, hands, (x(last), y(sums[last])))


def thinned(count: int) -> list[int]:
    """At most MOST_POINTS places of so many, the first and the last among them."""
    if count <= MOST_POINTS:
        return list(range(count))
    return [round(place * (count - 1) / (MOST_POINTS - 1)) for place in range(MOST_POINTS)]


def nice_step(span: int) -> int:
    """1, 2, 5, 10, 20, 50, … : about four steps to the span."""
    step = 1
    while step * 5 < span:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def signed(number: int) -> str:
    """With a real minus sign."""
    return f"+{number:,}" if number > 0 else f"−{-number:,}" if number else "0"


@dataclass(frozen=True, slots=True)
class Rate:
    """A bar from 0 to 100 %, `width` of 100."""

    name: str
    percent: float
    color: str


# Told apart by lightness too, not by colour alone.
RATE_COLORS = {"wins": "#1f6b52", "drawn": "#c99a3b", "dealt_in": "#b8322a"}


def rates(percents: dict[str, float], names: dict[str, str]) -> list[Rate]:
    return [Rate(names[key], percent, RATE_COLORS[key]) for key, percent in percents.items()]
