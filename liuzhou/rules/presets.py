"""The three rule sets as data (RULES 4–8, 10): what a preset allows and how it counts, read by one engine."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

Value = int | str | bool


class Choice(NamedTuple):
    """The values an option takes and the one it has when nothing is said (RULES 10)."""

    values: tuple[Value, ...]
    default: Value


@dataclass(frozen=True, slots=True)
class Preset:
    """One rule set. Everything here is a fact of RULES; the engine branches on these, never on the name."""

    name: str
    zh: str
    en: str
    choices: MappingProxyType[str, Choice]
    # how a win counts (RULES 5)
    discard_growth: Literal["flat", "linear", "double"]  # 3 (6 with a premium pair) · 3·B · 3·2^(B−1)
    self_growth: Literal["flat", "double"]  # 2 · 2·2^(B−1)
    discard_cap: int | None  # at most this by discard, unless the option `cap` is `none`
    self_cap: int | None  # at most this by self-draw; None: the option `cap` says
    flower_is_type: bool  # kong_flower is a big type (else it doubles)
    last_tile_doubles: bool
    concealed_doubles: Literal["always", "option", "never"]
    concealed_pairs: bool  # the doubling holds for seven pairs too
    kong_discard: bool  # 杠上炮 is a type
    all_melded_concealed_kong: bool  # a concealed kong among the four melds is no obstacle
    added_flower_feeder_pays: bool  # kong_flower after an added kong is paid by the pong's feeder alone
    # sanbi (RULES 6)
    sanbi_melds: frozenset[str]
    sanbi_shields: bool  # self-draw: players without a bond to the winner pay nothing
    # next dealer (RULES 8): from how many winners on the discarder deals
    discarder_deals_from: int
    opening_by_sum: bool  # the side is chosen by the sum of the dice (else by the larger die, RULES 2.4)
    # the turn (RULES 3)
    rob_kong: bool
    swap_ban: bool
    missed_pong: bool
    missed_win: Literal["none", "tile", "all"]
    kong_spare: int  # drawable tiles a kong needs when the reserve is 0 (RULES 3.5); 1 otherwise


COIN_BASES = (10, 100, 1000, 10000)
_COIN = MappingProxyType(
    {
        "players": Choice((4,), 4),
        "base": Choice((1, *COIN_BASES), 1),
        "fish": Choice(("pond", "none"), "pond"),
    }
)
_ROOM = MappingProxyType(
    {
        "players": Choice((4, 3, 2), 4),
        "base": Choice((1, 2, 5, 10, 20), 1),
        "fish": Choice(("none", "159", "follow", "bomb"), "none"),
        "fish_count": Choice(tuple(range(1, 11)), 2),
        "cap": Choice(("2", "4", "6", "none"), "2"),
        "concealed": Choice((True, False), False),
        "wild_red": Choice((True, False), False),
        "no_honors": Choice((True, False), False),
        "no_dots": Choice((True, False), False),
    }
)

CLASSIC = Preset(
    name="classic",
    zh="经典",
    en="Classic",
    choices=_COIN,
    discard_growth="flat",
    self_growth="flat",
    discard_cap=None,
    self_cap=2,
    flower_is_type=True,
    last_tile_doubles=False,
    concealed_doubles="never",
    concealed_pairs=False,
    kong_discard=False,
    all_melded_concealed_kong=True,
    added_flower_feeder_pays=True,
    sanbi_melds=frozenset({"chow", "pong", "added_kong"}),
    sanbi_shields=True,
    discarder_deals_from=9,
    opening_by_sum=False,
    rob_kong=False,
    swap_ban=False,
    missed_pong=False,
    missed_win="none",
    kong_spare=1,
)
BAIKE = Preset(
    name="baike",
    zh="传统",
    en="Traditional",
    choices=_COIN,
    discard_growth="linear",
    self_growth="flat",
    discard_cap=None,
    self_cap=2,
    flower_is_type=False,
    last_tile_doubles=True,
    concealed_doubles="always",
    concealed_pairs=False,
    kong_discard=True,
    all_melded_concealed_kong=True,
    added_flower_feeder_pays=False,
    sanbi_melds=frozenset({"chow", "pong", "added_kong", "direct_kong"}),
    sanbi_shields=False,
    discarder_deals_from=2,
    opening_by_sum=False,
    rob_kong=False,
    swap_ban=False,
    missed_pong=False,
    missed_win="tile",
    kong_spare=1,
)
TIANTIAN = Preset(
    name="tiantian",
    zh="天天",
    en="Tiantian",
    choices=_ROOM,
    discard_growth="double",
    self_growth="double",
    discard_cap=6,
    self_cap=None,
    flower_is_type=True,
    last_tile_doubles=False,
    concealed_doubles="option",
    concealed_pairs=True,
    kong_discard=True,
    all_melded_concealed_kong=False,
    added_flower_feeder_pays=False,
    sanbi_melds=frozenset({"chow", "pong", "added_kong", "direct_kong"}),
    sanbi_shields=False,
    discarder_deals_from=3,
    opening_by_sum=True,
    rob_kong=True,
    swap_ban=True,
    missed_pong=True,
    missed_win="all",
    kong_spare=2,
)
PRESETS: MappingProxyType[str, Preset] = MappingProxyType({p.name: p for p in (CLASSIC, BAIKE, TIANTIAN)})

OPTION_NAMES: MappingProxyType[str, tuple[str, str]] = MappingProxyType(
    {
        "players": ("人数", "Players"),
        "base": ("底分", "Base"),
        "fish": ("钓鱼", "Fish"),
        "fish_count": ("鱼数", "Number of fish"),
        "cap": ("自摸封顶", "Self-draw cap"),
        "concealed": ("门清翻倍", "Concealed doubles"),
        "wild_red": ("红中癞子", "Red dragon wild"),
        "no_honors": ("无字牌", "No honours"),
        "no_dots": ("无筒子", "No dots"),
    }
)
VALUE_NAMES: MappingProxyType[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {
        ("fish", "pond"): ("池塘钓鱼", "Pond fishing"),
        ("fish", "none"): ("不钓鱼", "No fishing"),
        ("fish", "159"): ("159 钓鱼", "159 fishing"),
        ("fish", "follow"): ("跟庄钓鱼", "Dealer fishing"),
        ("fish", "bomb"): ("爆炸鱼", "Bomb fish"),
        ("cap", "none"): ("无限番", "No cap"),
    }
)
