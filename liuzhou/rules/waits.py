"""What a hand waits for 听牌: the tiles, what each is worth by discard and by self-draw, how many are unseen."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from liuzhou.rules import hand as packed
from liuzhou.rules.hand import Suits
from liuzhou.rules.melds import Meld
from liuzhou.rules.options import Options
from liuzhou.rules.patterns import BY_DISCARD, BY_SELF_DRAW, Hand, best_reading
from liuzhou.rules.tiles import COPIES, KINDS, NAMES


class Wait(NamedTuple):
    """One winning tile. `discard` is None where only a drawn tile wins (a wild 7z may win drawn, yet not as 中)."""

    tile: int
    discard: Hand | None
    self_draw: Hand
    unseen: int

    def as_json(self) -> dict[str, Any]:
        return {
            "tile": NAMES[self.tile],
            "discard": _worth(self.discard),
            "self_draw": _worth(self.self_draw),
            "unseen": self.unseen,
        }


class DiscardWaits(NamedTuple):
    """What a 3k+2 hand waits for after one discard."""

    tile: int
    waits: tuple[Wait, ...]

    @property
    def unseen(self) -> int:
        return sum(wait.unseen for wait in self.waits)

    def as_json(self) -> dict[str, Any]:
        return {"tile": NAMES[self.tile], "unseen": self.unseen, "waits": [wait.as_json() for wait in self.waits]}


def _worth(hand: Hand | None) -> dict[str, Any] | None:
    return None if hand is None else {"types": list(hand.types), "concealed": hand.concealed, "value": hand.value}


def count_seen(tiles: Iterable[int], melds: Iterable[Meld] = ()) -> list[int]:
    """How often each kind is among the tiles and melds: 34 counts."""
    seen = [0] * KINDS
    for tile in tiles:
        seen[tile] += 1
    for meld in melds:
        for tile in meld.tiles:
            seen[tile] += 1
    return seen


def hand_waits(
    options: Options, tiles: Sequence[int], melds: Sequence[Meld] = (), seen: Sequence[int] | None = None
) -> tuple[Wait, ...]:
    """The winning tiles of 3k+1 tiles, ascending; empty if the hand is not waiting.

    `seen`: 34 counts of all tiles this seat sees, its own hand and melds included; without it, only those are counted.
    Values are those of a plain discard and a plain self-draw: no kong, not the last tile, before fish and sanbi.
    """
    suits, wilds = packed.pack(tiles, options.wild)
    return packed_waits(options, suits, wilds, melds, count_seen(tiles, melds) if seen is None else seen)


def packed_waits(
    options: Options, suits: Suits, wilds: int, melds: Sequence[Meld], seen: Sequence[int]
) -> tuple[Wait, ...]:
    """`hand_waits` of a packed hand."""
    mask = packed.waits(suits, wilds, len(melds), options)
    if options.wild_red and packed.is_win(suits, wilds + 1, len(melds)):
        mask |= 1 << options.wild  # drawn it is wild: it may stand for a fifth copy that nobody can discard
    found = []
    for tile in packed.kinds_of(mask):
        joined = packed.add(suits, tile)
        discard = best_reading(options, joined, wilds, melds, BY_DISCARD)
        if tile == options.wild:
            drawn = best_reading(options, suits, wilds + 1, melds, BY_SELF_DRAW)
        else:
            drawn = best_reading(options, joined, wilds, melds, BY_SELF_DRAW)
        if drawn is not None:
            found.append(Wait(tile, discard, drawn, max(0, COPIES - seen[tile])))
    return tuple(found)


def discard_waits(
    options: Options, tiles: Sequence[int], melds: Sequence[Meld] = (), seen: Sequence[int] | None = None
) -> tuple[DiscardWaits, ...]:
    """For each kind in 3k+2 tiles whose discard leaves the hand waiting, ascending: what it then waits for."""
    counted = count_seen(tiles, melds) if seen is None else seen
    suits, wilds = packed.pack(tiles, options.wild)
    found = []
    for tile in sorted(set(tiles)):
        if tile == options.wild:
            waits = packed_waits(options, suits, wilds - 1, melds, counted)
        else:
            waits = packed_waits(options, packed.remove(suits, tile), wilds, melds, counted)
        if waits:
            found.append(DiscardWaits(tile, waits))
    return tuple(found)
