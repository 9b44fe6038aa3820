"""规则 pages: which fish follow whom, asked of the engine tile by tile. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from liuzhou.rules.fish import FOLLOWS, flip_hits
from liuzhou.rules.options import Options
from liuzhou.rules.tiles import KINDS, NAMES
from rooms.explain import Text


class FishRow(NamedTuple):
    """A label and the tiles it stands for."""

    label: Text
    tiles: list[str]


def _tiles(kinds: Sequence[int]) -> list[str]:
    return [NAMES[kind] for kind in kinds]


def places() -> list[Text]:
    return [_("庄家"), _("庄家的下家"), _("庄家的对家"), _("庄家的上家")]


def pond_rows() -> list[FishRow]:
    """Whom each tile of the pond follows (RULES 7.2)."""
    return [
        FishRow(place, _tiles([kind for kind in range(KINDS) if FOLLOWS[kind] == offset]))
        for offset, place in enumerate(places())
    ]


def hit_row() -> FishRow:
    """What hits in 159 fishing."""
    options = Options.parse("tiantian", {"fish": "159"})
    return FishRow(_("中鱼"), _tiles([kind for kind in range(KINDS) if flip_hits(options, 0, (kind,))]))


def follow_rows() -> list[tuple[Text, list[FishRow]]]:
    """What hits for a winner at each place from the dealer, by the number of players."""
    seats = {4: places(), 3: [*places()[:2], places()[3]], 2: [places()[0], places()[2]]}
    groups: list[tuple[Text, list[FishRow]]] = []
    for players, names in seats.items():
        options = Options.parse("tiantian", {"fish": "follow", "players": players})
        rows = [
            FishRow(name, _tiles([kind for kind in range(KINDS) if flip_hits(options, offset, (kind,))]))
            for offset, name in enumerate(names)
        ]
        groups.append((_("%(n)d 人") % {"n": players}, rows))
    return groups


def bomb_rows() -> list[FishRow]:
    """How many hits one turned tile is."""
    options = Options.parse("tiantian", {"fish": "bomb"})
    by_hits: dict[int, list[int]] = {}
    for kind in range(KINDS):
        by_hits.setdefault(flip_hits(options, 0, (kind,)), []).append(kind)
    return [FishRow(_("中 %(n)d 条") % {"n": hits}, _tiles(by_hits[hits])) for hits in sorted(by_hits)]
