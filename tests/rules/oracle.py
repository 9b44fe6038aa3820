"""An independent, slow judge for the tests: it searches, and it tries every assignment of the wilds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement

Tiles = tuple[int, ...]


@cache
def decompositions(tiles: Tiles) -> frozenset[bool]:
    """For sorted tiles read as sets alone: whether all of the sets can be triplets, for each way to do it."""
    if not tiles:
        return frozenset({True})
    first = tiles[0]
    ways: set[bool] = set()
    if tiles[:3] == (first,) * 3:
        ways |= decompositions(tiles[3:])
    if first < 27 and first % 9 <= 6 and first + 1 in tiles and first + 2 in tiles:
        rest = list(tiles)
        for tile in (first, first + 1, first + 2):
            rest.remove(tile)
        ways |= {False for _ in decompositions(tuple(rest))}
    return frozenset(ways)


def four_sets(tiles: Sequence[int]) -> frozenset[bool]:
    """Sets and a pair: empty if impossible; else whether all-triplet readings (True) and others (False) exist."""
    ways: set[bool] = set()
    for pair, copies in Counter(tiles).items():
        if copies >= 2:
            rest = list(tiles)
            rest.remove(pair)
            rest.remove(pair)
            ways |= decompositions(tuple(sorted(rest)))
    return frozenset(ways)


def seven_pairs(tiles: Sequence[int]) -> bool:
    return len(tiles) == 14 and all(copies % 2 == 0 for copies in Counter(tiles).values())


def assignments(kinds: Sequence[int], wilds: int) -> Iterator[Tiles]:
    return combinations_with_replacement(kinds, wilds)


def wins(tiles: Sequence[int], wilds: int, kinds: Sequence[int]) -> bool:
    """Whether any assignment of the wilds makes the tiles a winning hand."""
    return any(
        four_sets(whole) or seven_pairs(whole) for stand in assignments(kinds, wilds) for whole in [(*tiles, *stand)]
    )


def readings(
    tiles: Sequence[int],
    wilds: int,
    melds: Sequence[tuple[str, Tiles]],
    kinds: Sequence[int],
    concealed_kong_spoils: bool,
) -> set[frozenset[str]]:
    """The shape types of every reading under every assignment."""
    found: set[frozenset[str]] = set()
    base: set[str] = set()
    if len(melds) == 4 and not (concealed_kong_spoils and any(kind == "concealed_kong" for kind, _ in melds)):
        base.add("all_melded")
    for stand in assignments(kinds, wilds):
        whole = (*tiles, *stand)
        every = [*whole, *(tile for _, laid in melds for tile in laid)]
        flush = {"full_flush"} if len({tile // 9 for tile in every}) == 1 else set()
        if not melds and seven_pairs(whole):
            found.add(frozenset(base | flush | {"seven_pairs"}))
        for triplets in four_sets(whole):
            pungs = triplets and all(kind != "chow" for kind, _ in melds)
            found.add(frozenset(base | flush | ({"all_pungs"} if pungs else set())))
    return found
