"""The wall of a hand, wholly determined by its 32-byte seed: shuffle, dice, opening, commitment (RULES 2.3–2.4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from liuzhou.rules.errors import CaseError
from liuzhou.rules.options import Options
from liuzhou.rules.tiles import COPIES

SEED_BYTES = 32


@dataclass(frozen=True, slots=True)
class Wall:
    """Tiles in draw order after the opening, the two dice, and SHA-256 of the seed as published beforehand."""

    tiles: tuple[int, ...]
    dice: tuple[int, int]
    commit: str


def build(seed: bytes, options: Options) -> Wall:
    """The wall that a seed fixes for these options."""
    if len(seed) != SEED_BYTES:
        raise CaseError(
            "seed",
            f"种子应为 {SEED_BYTES} 字节，得到 {len(seed)} 字节",
            f"the seed must be {SEED_BYTES} bytes, got {len(seed)}",
        )
    numbers = _numbers(seed)
    tiles = [kind for kind in options.kinds for _ in range(COPIES)]
    for i in range(len(tiles) - 1, 0, -1):
        j = _below(numbers, i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    dice = (1 + _below(numbers, 6), 1 + _below(numbers, 6))
    start = opening(len(tiles), dice, options)
    return Wall(tuple(tiles[start:] + tiles[:start]), dice, commitment(seed))


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed, in hex: published before the first tile is dealt."""
    return sha256(seed).hexdigest()


def opening(tile_count: int, dice: tuple[int, int], options: Options) -> int:
    """Where drawing starts in the shuffled ring, as an index of tiles (RULES 2.4)."""
    by_sum = options.rules.opening_by_sum
    side = (sum(dice) - 1 if by_sum else max(dice) - 1) % 4
    skip = min(dice) if by_sum else sum(dice)
    stacks = tile_count // 2
    return 2 * (side * stacks // 4 + skip) % tile_count


def first_dealer(dice: tuple[int, int], players: int) -> int:
    """The dealer of a table's first hand, by that hand's dice (RULES 2.8)."""
    return (dice[0] + dice[1] - 1) % players


def _numbers(seed: bytes) -> Iterator[int]:
    """The seed's endless stream of 32-bit numbers: SHA-256(seed ‖ counter), four bytes at a time."""
    counter = 0
    while True:
        block = sha256(seed + counter.to_bytes(8, "big")).digest()
        for at in range(0, len(block), 4):
            yield int.from_bytes(block[at : at + 4], "big")
        counter += 1


def _below(numbers: Iterator[int], bound: int) -> int:
    """An unbiased draw below `bound`: numbers beyond the last whole multiple are thrown away."""
    limit = 2**32 // bound * bound
    return next(number for number in numbers if number < limit) % bound
