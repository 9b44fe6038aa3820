"""How tiles, seats and signed numbers read in templates."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.translation import gettext as _

from liuzhou.rules.tiles import KIND, NAMES, parse_tiles
from rooms.calculator import MELD_NAMES
from rooms.explain import SEAT_NAMES, MeldDrawn, tell, tile_name

register = template.Library()


@register.filter
def tile_names(tiles: str | Iterable[str]) -> str:
    """What is read aloud for drawn tiles: 一万 二万 三万."""
    names = [tiles] if isinstance(tiles, str) else tiles
    return " ".join(tile_name(KIND[name]) if name in KIND else _("暗牌") for name in names)


@register.filter
def meld_text(meld: MeldDrawn) -> str:
    """碰 五万 五万 五万."""
    return f"{tell(MELD_NAMES[meld.kind])} {tile_names(one.name for one in meld.tiles)}"


@register.filter
def seat_name(seat: int) -> str:
    return str(SEAT_NAMES[seat])


@register.filter
def signed(number: int) -> str:
    """+3, −2, 0 with a real minus sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "0"


@register.filter
def sign_class(number: int) -> str:
    return "plus" if number > 0 else "minus" if number < 0 else ""


@register.inclusion_tag("rules/_tiles.html")
def tiles(text: str) -> dict[str, object]:
    """Tiles drawn in a row of prose: {% tiles "123m55z" %}; `+` sets groups apart."""
    groups = [[NAMES[kind] for kind in parse_tiles(group)] for group in text.split("+")]
    return {"groups": groups, "names": "；".join(tile_names(group) for group in groups)}
