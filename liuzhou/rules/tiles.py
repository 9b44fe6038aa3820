"""Tile kinds 0–33 and their MPSZ notation: `123m55z` (RULES 1)."""

from collections.abc import Iterable

from liuzhou.rules.errors import NotationError, shown

SUITS = "mpsz"
RANKS = (9, 9, 9, 7)
FIRST = {"m": 0, "p": 9, "s": 18, "z": 27}
KINDS = 34
COPIES = 4
RED = 33  # 7z, 红中: the wild tile when `wild_red` is on
HONORS = range(27, 34)

NAMES: tuple[str, ...] = tuple(
    f"{rank}{suit}" for suit, ranks in zip(SUITS, RANKS, strict=True) for rank in range(1, ranks + 1)
)
KIND: dict[str, int] = {name: kind for kind, name in enumerate(NAMES)}
NAMES_ZH: tuple[str, ...] = (
    *(f"{digit}{suit}" for suit in "万筒条" for digit in "一二三四五六七八九"),
    *"东南西北白发中",
)


def suit_of(kind: int) -> int:
    """0 m, 1 p, 2 s, 3 z."""
    return kind // 9


def rank_of(kind: int) -> int:
    """1–9 in the suits, 1–7 among the honours."""
    return kind % 9 + 1


def is_honor(kind: int) -> bool:
    return kind >= 27


def parse_tiles(text: object) -> tuple[int, ...]:
    """Read `123m55z`, in the order written; NotationError for anything that is not the notation."""
    if not isinstance(text, str):
        raise NotationError(
            "notation",
            f"牌应写成文字，如 123m55z，得到 {shown(text)}",
            f"tiles are written as text such as 123m55z, got {shown(text)}",
        )
    tiles: list[int] = []
    ranks: list[str] = []
    for char in text:
        if char in "123456789":
            ranks.append(char)
            continue
        if char not in SUITS or not ranks:
            raise _bad(text)
        for rank in ranks:
            kind = KIND.get(rank + char)
            if kind is None:
                raise _bad(text)
            tiles.append(kind)
        ranks.clear()
    if ranks:
        raise _bad(text)
    return tuple(tiles)


def _bad(text: str) -> NotationError:
    return NotationError(
        "notation",
        f"看不懂的牌：{shown(text)}（应如 123m55z）",
        f"cannot read the tiles {shown(text)} (expected e.g. 123m55z)",
    )


def parse_tile(text: object) -> int:
    """Read exactly one tile, `5m`."""
    tiles = parse_tiles(text)
    if len(tiles) != 1:
        raise NotationError("notation", f"这里应是一张牌，得到 {shown(text)}", f"one tile expected, got {shown(text)}")
    return tiles[0]


def parse_wall(text: object) -> tuple[int, ...]:
    """Read tiles whose order matters; each may carry its own suit (`6m8s5m`)."""
    return parse_tiles(text)


def format_tiles(tiles: Iterable[int]) -> str:
    """Write tiles sorted and grouped by suit: `123m55z`."""
    grouped: list[list[str]] = [[], [], [], []]
    for kind in sorted(tiles):
        grouped[kind // 9].append(str(kind % 9 + 1))
    return "".join("".join(ranks) + suit for ranks, suit in zip(grouped, SUITS, strict=True) if ranks)


def format_wall(tiles: Iterable[int]) -> str:
    """Write tiles in their order, each with its suit: `6m8s5m`."""
    return "".join(NAMES[kind] for kind in tiles)
