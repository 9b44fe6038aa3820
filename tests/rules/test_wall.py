"""The wall: a second, plainer reading of RULES 2.3–2.4 must agree with it."""

import hashlib
from collections import Counter

import pytest

from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from liuzhou.rules.tiles import format_wall
from liuzhou.rules.wall import build, first_dealer, opening

VARIANTS: list[tuple[str, dict[str, object]]] = [
    ("classic", {}),
    ("baike", {}),
    ("tiantian", {}),
    ("tiantian", {"no_dots": True}),
    ("tiantian", {"no_honors": True}),
    ("tiantian", {"no_honors": True, "wild_red": True}),
    ("tiantian", {"no_honors": True, "no_dots": True}),
    ("tiantian", {"no_honors": True, "no_dots": True, "wild_red": True, "players": 2}),
]


def plainly(seed: bytes, options: Options) -> tuple[str, tuple[int, int]]:
    """RULES 2.3–2.4, step by step, over a stream long enough for any wall."""
    stream = b"".join(hashlib.sha256(seed + c.to_bytes(8, "big")).digest() for c in range(40))
    at = 0

    def draw(k: int) -> int:
        nonlocal at
        while True:
            r = int.from_bytes(stream[at : at + 4], "big")
            at += 4
            if r < (2**32 // k) * k:
                return r % k

    tiles = [kind for kind in options.kinds for _ in range(4)]
    for i in reversed(range(1, len(tiles))):
        j = draw(i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    d1 = 1 + draw(6)
    d2 = 1 + draw(6)
    if options.preset == "tiantian":
        side, skip = (d1 + d2 - 1) % 4, min(d1, d2)
    else:
        side, skip = (max(d1, d2) - 1) % 4, d1 + d2
    stack = [0, len(tiles) // 2 // 4, 2 * (len(tiles) // 2) // 4, 3 * (len(tiles) // 2) // 4][side]
    for _ in range(stack + skip):
        tiles = tiles[2:] + tiles[:2]
    return format_wall(tiles), (d1, d2)


@pytest.mark.parametrize(("preset", "given"), VARIANTS)
def test_agrees_with_the_plain_reading(preset: str, given: dict[str, object]) -> None:
    options = Options.parse(preset, given)
    for n in range(20):
        seed = hashlib.sha256(n.to_bytes(2, "big")).digest()
        wall = build(seed, options)
        assert (format_wall(wall.tiles), wall.dice) == plainly(seed, options)
        assert wall.commit == hashlib.sha256(seed).hexdigest()
        assert Counter(wall.tiles) == dict.fromkeys(options.kinds, 4)


def test_a_wall_that_never_changes() -> None:
    wall = build(bytes(range(32)), Options.parse("classic"))
    assert wall.commit == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert format_wall(wall.tiles[:8]) + str(wall.dice) == "7m5m6p5p7m1s7p2p(6, 4)"


def test_opening() -> None:
    classic, tiantian = Options.parse("classic"), Options.parse("tiantian")
    assert opening(136, (3, 5), classic) == 2 * (0 + 8)  # larger die 5: side 0
    assert opening(136, (6, 6), classic) == 2 * (17 + 12)  # side 1
    assert opening(136, (4, 1), classic) == 2 * (51 + 5)  # side 3
    assert opening(136, (3, 5), tiantian) == 2 * (51 + 3)  # sum 8: side 3
    assert opening(76, (1, 2), tiantian) == 2 * (19 + 1)  # 38 stacks: sides begin at 0, 9, 19, 28
    assert opening(76, (6, 6), tiantian) == 2 * (28 + 6)


def test_first_dealer() -> None:
    assert [first_dealer(dice, 4) for dice in ((1, 1), (1, 2), (2, 2), (2, 3), (6, 6))] == [1, 2, 3, 0, 3]
    assert first_dealer((1, 1), 2) == 1
    assert first_dealer((6, 4), 3) == 0


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_has_32_bytes(size: int) -> None:
    with pytest.raises(RuleError):
        build(bytes(size), Options.parse("classic"))
