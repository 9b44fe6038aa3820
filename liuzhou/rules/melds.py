"""Melds: sets laid open by a claim, and kongs (RULES 3)."""

from typing import NamedTuple

CHOW = "chow"
PONG = "pong"
DIRECT_KONG = "direct_kong"
ADDED_KONG = "added_kong"
CONCEALED_KONG = "concealed_kong"
MELD_KINDS = (CHOW, PONG, DIRECT_KONG, ADDED_KONG, CONCEALED_KONG)
KONGS = frozenset({DIRECT_KONG, ADDED_KONG, CONCEALED_KONG})


class Meld(NamedTuple):
    """A meld. `source` is the seat that fed it and `tile` the tile claimed; both −1 for a concealed kong."""

    kind: str
    tiles: tuple[int, ...]
    source: int = -1
    tile: int = -1

    @property
    def is_kong(self) -> bool:
        return self.kind in KONGS

    @property
    def is_exposed(self) -> bool:
        """Anything but a concealed kong spoils 门清."""
        return self.kind != CONCEALED_KONG


def well_formed(kind: str, tiles: tuple[int, ...]) -> bool:
    """Whether the tiles make a meld of that kind: a run of one suit, three, or four of a kind."""
    if kind == CHOW:
        a, *rest = sorted(tiles) or [-1]
        return rest == [a + 1, a + 2] and a < 27 and a % 9 <= 6
    return len(tiles) == (3 if kind == PONG else 4) and len(set(tiles)) == 1
