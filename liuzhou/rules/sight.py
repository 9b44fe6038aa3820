"""What a bot makes of its view: its own hand packed, the table as tiles, and how many of each kind it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from liuzhou.rules.hand import Suits, pack
from liuzhou.rules.options import Options
from liuzhou.rules.tiles import KIND, KINDS, parse_tiles

SANBI_MELDS: Final = 3


class Sight(NamedTuple):
    """A seat's view in the engine's own numbers. `unseen[kind]` counts tiles in other hands, the wall and the pond."""

    view: Mapping[str, Any]
    you: int
    options: Options
    suits: Suits
    wilds: int
    melds: int
    unseen: list[int]

    @property
    def pending(self) -> int:
        """The tile one is asked about, -1 on one's own turn."""
        pending = self.view["pending"]
        return KIND[pending["tile"]] if pending else -1


def bonded(sight: Sight, seat: int) -> bool:
    """Whether three feeds bind the seat to one's own (三包, RULES 6)."""
    feeds = sight.view["feeds"]
    return bool(max(feeds[sight.you][seat], feeds[seat][sight.you]) >= SANBI_MELDS)


def look(view: Mapping[str, Any]) -> Sight:
    """Reads the view of a seat (not a spectator's)."""
    options = Options.parse(view["preset"], view["options"])
    you = view["you"]
    own = view["seats"][you]
    tiles = parse_tiles(own["hand"] + (own["drawn"] or ""))
    suits, wilds = pack(tiles, options.wild)
    unseen = [0] * KINDS
    for kind in options.kinds:
        unseen[kind] = 4
    for kind in tiles:
        unseen[kind] -= 1
    for seat in view["seats"]:
        for meld in seat["melds"]:
            for kind in parse_tiles(meld["tiles"] or ""):
                unseen[kind] -= 1
        for entry in seat["river"]:
            if not entry["taken"]:
                unseen[KIND[entry["tile"]]] -= 1
    return Sight(view, you, options, suits, wilds, len(own["melds"]), unseen)
