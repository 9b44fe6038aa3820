"""Draws static/img/tiles.svg: 34 faces and a back, every glyph built here from brush strokes, circles and bars.

Run `python3 tools/draw_tiles.py` after a change and look at the result; the file it writes is committed.
A face is 60 × 80 units. Characters are designed on a 100 × 100 square as centre lines with a width at each end,
so that no font is needed and a numeral stays heavy at 20 px.
"""

# ruff: noqa: E501 — the tables of shapes read best as one line each

import math
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "static" / "img" / "tiles.svg"
BLACK, RED, GREEN, BLUE, PAPER = "#1d2430", "#c0271f", "#11703f", "#1c4f9c", "#fbf6e9"

Point = tuple[float, float]
Stroke = tuple[list[Point], float, float]  # centre line, width at the start, width at the end


def s(text: str, start: float = 1.0, end: float = 1.0) -> Stroke:
    """A stroke from "x,y x,y …"; widths are multiples of the character's pen."""
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())], start, end


GLYPHS: dict[str, list[Stroke]] = {
    "一": [s("5,54 50,50 95,48", 1.1, 1.25)],
    "二": [s("22,26 78,24", 1, 1.2), s("5,78 95,75", 1.1, 1.3)],
    "三": [s("17,16 83,14", 1, 1.2), s("23,48 77,46", 1, 1.1), s("4,83 96,81", 1.1, 1.3)],
    "四": [
        s("13,20 18,88", 1.1, 1),
        s("13,22 87,22"),
        s("86,20 81,88", 1.1, 1),
        s("17,80 82,80", 0.9, 0.9),
        s("40,24 38,44 27,62", 0.9, 0.6),
        s("59,24 59,50 64,57 74,56", 0.9, 0.7),
    ],
    "五": [
        s("15,14 85,13", 1, 1.1),
        s("48,14 35,84"),
        s("19,47 74,46", 0.9, 0.9),
        s("73,45 67,84"),
        s("4,87 96,86", 1.1, 1.2),
    ],
    "六": [
        s("46,3 55,20", 0.8, 1.3),
        s("5,34 95,32", 1, 1.1),
        s("36,46 28,68 8,92", 1.2, 0.6),
        s("60,46 74,68 92,92", 0.7, 1.4),
    ],
    "七": [s("4,50 96,36", 1, 1.1), s("45,6 44,72 50,86 62,89 92,88", 1.2, 1), s("92,90 94,70", 1, 0.5)],
    "八": [s("38,14 30,54 7,90", 1.2, 0.6), s("56,9 66,50 94,90", 0.7, 1.5)],
    "九": [
        s("38,4 36,40 8,92", 1.2, 0.6),
        s("9,31 66,28", 1, 1),
        s("66,27 63,78 70,89 92,88", 1.1, 1),
        s("92,90 95,68", 1, 0.5),
    ],
    "萬": [
        s("5,15 95,15"),
        s("31,2 33,27", 1, 0.8),
        s("69,2 67,27", 1, 0.8),
        s("23,35 25,61"),
        s("23,35 77,35"),
        s("77,35 75,61"),
        s("24,48 76,48", 0.85, 0.85),
        s("24,60 76,60", 0.85, 0.85),
        s("50,35 50,82"),
        s("13,71 13,98", 1, 0.8),
        s("12,72 88,72"),
        s("88,71 87,92 76,97", 1, 0.6),
        s("32,86 66,83", 0.7, 0.8),
        s("60,78 70,91", 0.6, 0.9),
    ],
    "東": [
        s("9,17 91,17", 1, 1.1),
        s("50,2 50,99", 1.1, 0.9),
        s("22,32 25,61"),
        s("22,32 78,32"),
        s("78,32 75,61"),
        s("24,46 76,46", 0.85, 0.85),
        s("24,60 76,60", 0.9, 0.9),
        s("46,62 30,80 5,93", 1.1, 0.5),
        s("54,62 70,80 95,93", 0.6, 1.3),
    ],
    "南": [
        s("12,17 88,17", 1, 1.1),
        s("50,2 50,36"),
        s("13,36 13,98", 1.1, 0.9),
        s("13,36 87,36"),
        s("87,36 87,90 76,96", 1.1, 0.6),
        s("35,44 42,56", 0.7, 1),
        s("65,44 58,56", 1, 0.7),
        s("30,61 70,61", 0.9, 0.9),
        s("25,76 75,76", 0.9, 0.9),
        s("50,61 50,95"),
    ],
    "西": [
        s("5,13 95,12", 1, 1.15),
        s("14,36 18,94", 1.1, 1),
        s("14,37 86,37"),
        s("86,36 82,94", 1.1, 1),
        s("18,88 82,88", 0.9, 0.9),
        s("40,14 38,46 27,68", 1, 0.6),
        s("60,14 60,60 66,68 77,67", 1, 0.8),
    ],
    "北": [
        s("37,6 37,96", 1.2, 1),
        s("6,34 36,33"),
        s("4,82 37,68", 0.8, 1),
        s("90,24 62,45", 1.1, 0.6),
        s("60,6 60,78 66,89 92,88", 1.2, 1),
        s("92,90 95,68", 1, 0.5),
    ],
    "發": [
        s("14,12 44,12", 0.9, 0.9),
        s("44,11 33,30 6,46", 1, 0.5),
        s("18,22 29,32", 0.6, 0.9),
        s("57,4 68,25 95,45", 0.7, 1.2),
        s("86,8 72,22", 1, 0.5),
        s("95,20 80,31", 0.9, 0.5),
        s("14,54 43,54", 0.9, 0.9),
        s("43,53 42,67", 0.9, 0.9),
        s("15,67 43,67", 0.9, 0.9),
        s("15,66 13,81", 0.9, 0.9),
        s("13,81 45,81", 0.9, 0.9),
        s("45,80 43,95 32,97", 1, 0.5),
        s("60,53 60,63 53,71", 0.9, 0.5),
        s("60,53 83,53", 0.9, 0.9),
        s("83,52 83,62 87,66 95,65", 0.9, 0.8),
        s("54,76 86,76", 0.9, 0.9),
        s("86,75 76,90 51,99", 1, 0.5),
        s("60,82 76,92 96,99", 0.6, 1.2),
    ],
    "中": [
        s("14,26 19,68", 1.2, 1.1),
        s("14,28 86,28", 1.1, 1.1),
        s("86,26 81,68", 1.2, 1.1),
        s("18,63 82,63", 1.1, 1.1),
        s("50,2 50,99", 1.3, 1),
    ],
}


def smooth(points: list[Point]) -> list[Point]:
    """Catmull-Rom through the points; two points stay a straight line."""
    if len(points) < 3:
        return points
    padded = [points[0], *points, points[-1]]
    out = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(4):
            t = step / 4
            out.append(
                tuple(
                    0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - u) * t * t + (3 * q - p - 3 * r + u) * t**3)
                    for p, q, r, u in zip(a, b, c, d, strict=True)
                )
            )
    return [*out, points[-1]]  # type: ignore[list-item]


def number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def outline(stroke: Stroke, pen: float, place: tuple[float, float, float, float]) -> str:
    """The stroke's outline as an SVG sub-path; `place` is x, y, width, height of the character on the face."""
    x0, y0, width, height = place
    line = [(x0 + x * width / 100, y0 + y * height / 100) for x, y in smooth(stroke[0])]
    left, right = [], []
    for index, (x, y) in enumerate(line):
        ax, ay = line[max(index - 1, 0)]
        bx, by = line[min(index + 1, len(line) - 1)]
        length = math.hypot(bx - ax, by - ay) or 1
        nx, ny = -(by - ay) / length, (bx - ax) / length
        share = index / (len(line) - 1)
        half = pen / 2 * (stroke[1] + (stroke[2] - stroke[1]) * share)
        left.append((x + nx * half, y + ny * half))
        right.append((x - nx * half, y - ny * half))
    points = left + right[::-1]
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z"


def glyph(char: str, colour: str, pen: float, place: tuple[float, float, float, float]) -> str:
    """A character; the thin line of its own colour round the outline softens the corners."""
    body = "".join(outline(stroke, pen, place) for stroke in GLYPHS[char])
    return f'<path fill="{colour}" stroke="{colour}" stroke-width=".9" stroke-linejoin="round" d="{body}"/>'


def ring(x: float, y: float, r: float, colour: str, heart: str) -> str:
    """One dot: a ring with a coloured heart, a gap of paper between."""
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r * 0.8)}" fill="none" stroke="{colour}" stroke-width="{number(r * 0.4)}"/>'
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r * 0.34)}" fill="{heart}"/>'
    )


def one_dot() -> str:
    petals = "".join(
        f'<circle cx="{number(30 + 14.2 * math.cos(k * math.pi / 4))}" cy="{number(40 + 14.2 * math.sin(k * math.pi / 4))}" r="3.1" fill="{GREEN}"/>'
        for k in range(8)
    )
    return (
        f'<circle cx="30" cy="40" r="21.5" fill="none" stroke="{BLUE}" stroke-width="4.4"/>{petals}'
        f'<circle cx="30" cy="40" r="8" fill="{RED}"/><circle cx="30" cy="40" r="3" fill="{PAPER}"/>'
    )


DOTS: dict[int, list[tuple[float, float, float, str]]] = {
    2: [(30, 21, 14, GREEN), (30, 59, 14, BLUE)],
    3: [(15, 16, 11, BLUE), (30, 40, 11, RED), (45, 64, 11, GREEN)],
    4: [(16, 20, 11.5, BLUE), (44, 20, 11.5, GREEN), (16, 60, 11.5, GREEN), (44, 60, 11.5, BLUE)],
    5: [(15, 17, 9.4, BLUE), (45, 17, 9.4, GREEN), (30, 40, 9.4, RED), (15, 63, 9.4, GREEN), (45, 63, 9.4, BLUE)],
    6: [(x, y, 9.2, GREEN if y < 25 else RED) for y in (15, 42, 65) for x in (17, 43)],
    7: [(13, 13, 7.6, GREEN), (30, 20, 7.6, GREEN), (47, 27, 7.6, GREEN)]
    + [(x, y, 8.4, RED) for y in (48, 68) for x in (18, 42)],
    8: [(x, y, 8.2, BLUE) for y in (12, 31, 50, 69) for x in (18, 42)],
    9: [(x, y, 8, colour) for y, colour in ((15, GREEN), (40, RED), (65, BLUE)) for x in (12, 30, 48)],
}


def dots(rank: int) -> str:
    if rank == 1:
        return one_dot()
    return "".join(ring(x, y, r, colour, colour) for x, y, r, colour in DOTS[rank])


def bar(x: float, y: float, colour: str, length: float = 30, width: float = 8, turn: float = 0) -> str:
    """A bamboo stick centred on (x, y): two joints with a waist, a light line along it."""
    half, w, waist = length / 2, width / 2, width / 2 * 0.55
    path = (
        f"M{number(-w)} {number(-half + 1.5)}Q{number(-w)} {number(-half)} {number(-w + 1.5)} {number(-half)}H{number(w - 1.5)}"
        f"Q{number(w)} {number(-half)} {number(w)} {number(-half + 1.5)}V-3L{number(waist)} 0L{number(w)} 3V{number(half - 1.5)}"
        f"Q{number(w)} {number(half)} {number(w - 1.5)} {number(half)}H{number(-w + 1.5)}Q{number(-w)} {number(half)} {number(-w)} {number(half - 1.5)}"
        f"V3L{number(-waist)} 0L{number(-w)} -3Z"
    )
    place = f"translate({number(x)} {number(y)})" + (f" rotate({number(turn)})" if turn else "")
    light = f'<path d="M0 {number(-half + 4)}V-4M0 4V{number(half - 4)}" stroke="{PAPER}" stroke-width="1.2" fill="none" opacity=".75"/>'
    return f'<g transform="{place}"><path fill="{colour}" d="{path}"/>{light}</g>'


BARS: dict[int, list[tuple]] = {  # type: ignore[type-arg]
    2: [(30, 20, BLUE, 34, 10), (30, 60, GREEN, 34, 10)],
    3: [(30, 20, BLUE, 34, 10), (17, 60, GREEN, 34, 10), (43, 60, GREEN, 34, 10)],
    4: [(17, 20, BLUE, 34, 10), (43, 20, GREEN, 34, 10), (17, 60, GREEN, 34, 10), (43, 60, BLUE, 34, 10)],
    5: [
        (13, 20, GREEN, 34, 10),
        (47, 20, BLUE, 34, 10),
        (30, 40, RED, 34, 10),
        (13, 60, BLUE, 34, 10),
        (47, 60, GREEN, 34, 10),
    ],
    6: [(x, y, GREEN if y < 40 else BLUE, 34, 9.4) for y in (20, 60) for x in (12, 30, 48)],
    7: [(30, 13, RED, 22, 9)] + [(x, y, GREEN if x != 30 else BLUE, 23, 9) for y in (40, 66) for x in (12, 30, 48)],
    8: [
        (9, 21, GREEN, 34, 8.4),
        (51, 21, GREEN, 34, 8.4),
        (23, 21, GREEN, 32, 7.4, -34),
        (37, 21, GREEN, 32, 7.4, 34),
        (9, 59, BLUE, 34, 8.4),
        (51, 59, BLUE, 34, 8.4),
        (23, 59, BLUE, 32, 7.4, 34),
        (37, 59, BLUE, 32, 7.4, -34),
    ],
    9: [(x, y, colour, 23, 9) for x, colour in ((12, GREEN), (30, RED), (48, BLUE)) for y in (14, 40, 66)],
}


def bird() -> str:
    """1条: a heron of our own on a willow twig; the only curved figure among the sticks."""
    return (
        f'<path fill="{GREEN}" d="M10 58C12 40 22 30 34 30C42 30 47 35 47 43C47 54 38 62 26 62C20 62 14 61 10 58Z"/>'
        f'<path fill="{BLUE}" d="M4 69C6 55 14 44 27 42C30 50 24 60 4 69Z"/>'
        f'<path fill="{GREEN}" d="M34 36C35 27 33 22 36 16C39 10 47 10 49 15C51 20 47 23 45 27C43 31 45 35 44 40Z"/>'
        f'<path fill="{RED}" d="M48 13L58 16L49 20ZM38 11C36 6 39 3 43 4C41 6 42 8 43 9Z"/>'
        f'<circle cx="43.5" cy="15.5" r="2.2" fill="{PAPER}"/><circle cx="43.8" cy="15.6" r="1.1" fill="{BLACK}"/>'
        f'<path d="M28 61V72M36 59V72" stroke="{RED}" stroke-width="2.6" fill="none" stroke-linecap="round"/>'
        f'<path d="M12 73C26 77 40 72 54 74" stroke="{GREEN}" stroke-width="3.2" fill="none" stroke-linecap="round"/>'
        f'<path d="M14 50C20 47 26 46 30 46M11 56C18 53 24 52 28 51" stroke="{PAPER}" stroke-width="1.4" fill="none" stroke-linecap="round" opacity=".8"/>'
    )


def character(rank: int) -> str:
    numeral = "一二三四五六七八九"[rank - 1]
    return glyph(numeral, BLACK, 6, (9, 5, 42, 31)) + glyph("萬", RED, 2.9, (10, 40, 40, 36))


def honour(rank: int) -> str:
    if rank == 5:
        return (
            f'<rect x="9" y="11" width="42" height="58" rx="3" fill="none" stroke="{BLUE}" stroke-width="4.4"/>'
            f'<rect x="15.5" y="17.5" width="29" height="45" rx="1.5" fill="none" stroke="{BLUE}" stroke-width="1.6"/>'
        )
    if rank <= 4:
        return glyph("東南西北"[rank - 1], BLACK, 6.2, (7, 14, 46, 52))
    if rank == 6:
        return glyph("發", GREEN, 5.4, (6, 12, 48, 56))
    return glyph("中", RED, 7.4, (9, 11, 42, 58))


def back() -> str:
    """Willow leaves (柳) in a lozenge, paler than the tile's jade."""
    leaf = "M30 12C37 22 37 32 30 40C23 32 23 22 30 12Z"
    leaves = "".join(f'<path d="{leaf}" transform="rotate({turn} 30 40)"/>' for turn in (0, 90, 180, 270))
    return (
        '<rect x="5" y="5" width="50" height="70" rx="5" fill="none" stroke="#fff" stroke-opacity=".28" stroke-width="1.6"/>'
        f'<g fill="#fff" fill-opacity=".2">{leaves}</g><circle cx="30" cy="40" r="3.4" fill="#fff" fill-opacity=".34"/>'
    )


def sprite() -> str:
    faces = {
        f"{rank}{suit}": draw(rank)
        for suit, draw, top in (
            ("m", character, 9),
            ("p", dots, 9),
            ("s", lambda n: bird() if n == 1 else "".join(bar(*b) for b in BARS[n]), 9),
            ("z", honour, 7),
        )
        for rank in range(1, top + 1)
    } | {"back": back()}
    symbols = "\n".join(f'<symbol id="t-{name}" viewBox="0 0 60 80">{body}</symbol>' for name, body in faces.items())
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}\n</svg>\n'


if __name__ == "__main__":
    TARGET.write_text(sprite(), encoding="utf-8")
