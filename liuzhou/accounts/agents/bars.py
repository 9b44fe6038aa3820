"""The thirty days as a picture: a bar a day, and the line that has to be reached once."""

from dataclasses import dataclass

from liuzhou.accounts.agents.progress import Progress

WIDTH, HEIGHT, TOP, BASE = 640, 150, 14, 128
LEFT, RIGHT = 26, 636


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    title: str
    kind: str  # of the CSS class: enough, best, or empty


@dataclass(frozen=True, slots=True)
class Picture:
    bars: list[Bar]
    days: list[tuple[float, str, str]]  # where, what, and which end of the text is there
    needed: int
    line: float
    width: int = WIDTH
    height: int = HEIGHT
    base: int = BASE
    left: int = LEFT
    right: int = RIGHT


def bars(found: Progress) -> Picture:
    """Heights by the larger of what is needed and what was reached."""
    top = max(found.needed, found.best)
    step = (RIGHT - LEFT) / len(found.days)
    drawn, days = [], []
    for place, (day, rooms) in enumerate(found.days):
        x = LEFT + step * place
        height = round((BASE - TOP) * rooms / top, 1)
        kind = "enough" if rooms >= found.needed else "best" if day == found.best_day else ""
        if rooms:
            title = f"{day:%Y-%m-%d}: {rooms}"
            drawn.append(Bar(round(x + step * 0.15, 1), BASE - height, round(step * 0.7, 1), height, title, kind))
        if (len(found.days) - 1 - place) % 7 == 0:
            last = place == len(found.days) - 1
            days.append((RIGHT if last else round(x + step / 2, 1), f"{day:%m-%d}", "end" if last else "middle"))
    line = round(BASE - (BASE - TOP) * found.needed / top, 1)
    return Picture(drawn, days, found.needed, line)
