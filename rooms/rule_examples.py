"""规则 pages: the example hands, as entries of the calculator. What they are worth is settled, never written here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from liuzhou.rules.options import SCHEMA
from liuzhou.rules.patterns import (
    ALL_MELDED,
    ALL_PUNGS,
    FULL_FLUSH,
    KONG_DISCARD,
    KONG_FLOWER,
    ROBBED_KONG,
    SEVEN_PAIRS,
)
from liuzhou.rules.presets import Preset
from rooms.calculator import Entry
from rooms.explain import Text


class Sample(NamedTuple):
    """A hand won by 东家 (seat 1). `needs`: facts of the preset it is an example of; `section`: where it is shown."""

    types: tuple[str, ...]
    fields: Mapping[str, str]
    note: Text = ""
    end: str = "discard"
    ends: tuple[str, ...] = ("discard", "self_draw")
    options: Mapping[str, str] = {}
    needs: Mapping[str, object] = {}
    called: tuple[Text, ...] = ()
    section: str = "types"
    winners: tuple[str, ...] = ("1",)

    def entry(self, preset: str) -> Entry:
        options = {name: text for name, text in self.options.items() if name in SCHEMA[preset]}
        fish = {} if "fish" in options else {"fish": "none"}
        source = {} if self.end == "self_draw" and "discard" not in self.ends else {"from": "3"}
        return Entry({"preset": preset, **fish, **options, "end": self.end, **source, **self.fields}, self.winners)

    def is_in(self, rules: Preset) -> bool:
        """Whether the preset has what this shows: its facts are as needed and it knows the options' values."""
        if any(getattr(rules, name) != value for name, value in self.needs.items()):
            return False
        choices = rules.choices
        return all(name in choices and text in map(_text, choices[name].values) for name, text in self.options.items())

    @property
    def after(self) -> str:
        return self.fields.get("after", "")

    @property
    def by_discard(self) -> bool:
        return "discard" in self.ends

    @property
    def by_self_draw(self) -> bool:
        return "self_draw" in self.ends

    @property
    def only_robbed(self) -> bool:
        return self.end == "robbed_kong"


def _text(value: object) -> str:
    return {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)


_PLAIN = {"h1": "456m78p234s55z", "m1": "c123m", "tile": "9p"}
_FLUSH = {"h1": "34567855m99m", "m1": "c123m", "tile": "9m"}
_PUNGS = {"h1": "222888m55s66z", "m1": "p999p2", "tile": "5s"}
_FLUSH_PUNGS = {"h1": "222555m7799m", "m1": "p111m2", "tile": "9m"}
_PAIRS = {"h1": "1133m5577p2288s6z", "tile": "6z"}
_FLUSH_PAIRS = {"h1": "1122445577889s", "tile": "9s"}
_MELDED = {"h1": "9m", "m1": "c123m.p555p3.p888s2.c456s", "tile": "9m"}
_MELDED_PUNGS = {"h1": "9m", "m1": "p111m2.p555p3.p888s2.p777z4", "tile": "9m"}
_MELDED_FLUSH = {"h1": "9m", "m1": "c123m.p555m3.p888m2.c456m", "tile": "9m"}
_MELDED_BOTH = {"h1": "9m", "m1": "p111m2.p555m3.p888m2.p777m4", "tile": "9m"}

TYPES: tuple[Sample, ...] = (
    Sample((), _PLAIN, _("四副加一对，没有大胡；或者什么牌型都不沾。")),
    Sample((ALL_PUNGS,), _PUNGS, _("四副都是刻子或杠，又叫碰碰胡。")),
    Sample((FULL_FLUSH,), _FLUSH, _("连副露在内全是一门；全是字也算（字一色）。字和一门混着不算。")),
    Sample((SEVEN_PAIRS,), _PAIRS, _("七个对子，不能有副露；四张一样的算两对。")),
    Sample(
        (ALL_MELDED,),
        _MELDED,
        _("四副都摆出来，手里只剩一张；点炮自摸都算。里面有暗杠也算。"),
        needs={"all_melded_concealed_kong": True},
    ),
    Sample(
        (ALL_MELDED,),
        _MELDED,
        _("四副都摆出来，手里只剩一张；点炮自摸都算。里面有暗杠就不算。"),
        needs={"all_melded_concealed_kong": False},
    ),
    Sample(
        (KONG_FLOWER,),
        {"h1": "123m456p78s66z", "m1": "d1111z3", "tile": "9s", "after": "1"},
        _("开杠后补的那张自摸。"),
        end="self_draw",
        ends=("self_draw",),
    ),
    Sample(
        (KONG_DISCARD,),
        {**_PLAIN, "m3": "k9999s", "after": "1"},
        _("别人开杠、补牌后打出的那张，你胡了。"),
        ends=("discard",),
        needs={"kong_discard": True},
    ),
    Sample(
        (ROBBED_KONG,),
        {**_PLAIN, "m3": "p999p4"},
        _("别人碰了再补第四张时，你正好胡这张：杠作废，仍算碰。"),
        end="robbed_kong",
        ends=(),
        needs={"rob_kong": True},
    ),
)

TYPES_TOGETHER: tuple[Sample, ...] = (
    Sample((ALL_PUNGS, FULL_FLUSH), _FLUSH_PUNGS),
    Sample(
        (ALL_PUNGS, FULL_FLUSH),
        {"h1": "222555z6677z", "m1": "p111z2", "tile": "7z"},
        called=(_("字一色"), _("对对胡")),
    ),
    Sample((FULL_FLUSH, SEVEN_PAIRS), _FLUSH_PAIRS),
    Sample((ALL_PUNGS, ALL_MELDED), _MELDED_PUNGS),
    Sample((FULL_FLUSH, ALL_MELDED), _MELDED_FLUSH),
    Sample((ALL_PUNGS, FULL_FLUSH, ALL_MELDED), _MELDED_BOTH),
    Sample(
        (FULL_FLUSH, KONG_FLOWER),
        {"h1": "345678m5599m", "m1": "d1111m3", "tile": "9m", "after": "1"},
        end="self_draw",
        ends=("self_draw",),
    ),
    Sample(
        (FULL_FLUSH, KONG_DISCARD),
        {**_FLUSH, "m3": "k9999s", "after": "1"},
        ends=("discard",),
        needs={"kong_discard": True},
    ),
    Sample(
        (FULL_FLUSH, ROBBED_KONG),
        {"h1": "45655578m66m", "m1": "c123m", "m3": "p999m4", "tile": "9m"},
        end="robbed_kong",
        ends=(),
        needs={"rob_kong": True},
    ),
)

MULTIPLIERS: tuple[Sample, ...] = (
    Sample(
        (),
        {"h1": "123456m78p234s55z", "tile": "9p"},
        _("自摸，没有吃、碰、明杠（暗杠不碍事）：翻倍，封顶之外。"),
        end="self_draw",
        ends=("self_draw",),
        needs={"concealed_doubles": "always"},
        called=(_("门清"), _("基本胡")),
    ),
    Sample(
        (FULL_FLUSH,),
        {"h1": "123345678m5599m", "tile": "9m"},
        end="self_draw",
        ends=("self_draw",),
        needs={"concealed_doubles": "always"},
        called=(_("门清"), _("清一色")),
    ),
    Sample(
        (SEVEN_PAIRS,),
        _PAIRS,
        _("小七对本来就门清，不再翻倍。"),
        end="self_draw",
        ends=("self_draw",),
        needs={"concealed_doubles": "always", "concealed_pairs": False},
        called=(_("门清"), _("小七对")),
    ),
    Sample(
        (),
        {"h1": "123456m78p234s55z", "tile": "9p"},
        _("选了“门清”：自摸，没有吃、碰、明杠（暗杠不碍事），翻倍，封顶之外；小七对也翻。"),
        end="self_draw",
        ends=("self_draw",),
        options={"concealed": "1"},
        called=(_("门清"), _("基本胡")),
    ),
    Sample(
        (SEVEN_PAIRS,),
        _PAIRS,
        end="self_draw",
        ends=("self_draw",),
        options={"concealed": "1"},
        called=(_("门清"), _("小七对")),
    ),
    Sample(
        (),
        {**_PLAIN, "last": "1"},
        _("自摸牌墙里能摸的最后一张：翻倍，仍受封顶。"),
        end="self_draw",
        ends=("self_draw",),
        needs={"last_tile_doubles": True},
        called=(_("海底捞月"), _("基本胡")),
    ),
    Sample(
        (),
        {"h1": "456m79p234s55z", "m1": "c123m", "tile": "7z"},
        _("红中当八筒：摸来的红中替任何一张；别人打出的红中只是红中。"),
        end="self_draw",
        ends=("self_draw",),
        options={"wild_red": "1"},
        called=(_("红中癞子"),),
    ),
)

_FLOWER = {"h1": "123456m23s55z", "tile": "1s", "after": "1"}
_BOND = "c123m.p555m4.p777p4"  # three melds, all fed by 北家, the previous player
_BONDED = {"h1": "23s55z", "m1": _BOND, "tile": "1s"}

WORKED: tuple[Sample, ...] = (
    Sample((), {**_PLAIN}, _("东家基本胡，西家点炮。"), section="pays"),
    Sample((), {**_PLAIN}, _("东家基本胡，自摸。"), end="self_draw", section="pays"),
    Sample((), {**_FLOWER, "m1": "d1111z2"}, _("南家放直杠，东家杠上花。"), end="self_draw", ends=(), section="pays"),
    Sample((), {**_FLOWER, "m1": "a1111z2"}, _("碰了南家的再补杠，杠上花。"), end="self_draw", ends=(), section="pays"),
    Sample(
        (),
        {"h1": "123m23s55z", "m1": "k1111z.p999s3", "tile": "1s", "after": "1"},
        _("暗杠后杠上花。"),
        end="self_draw",
        ends=(),
        section="pays",
    ),
    Sample(
        (),
        {**_PLAIN, "m3": "p999p4"},
        _("西家补杠被东家抢胡。"),
        end="robbed_kong",
        ends=(),
        needs={"rob_kong": True},
        section="pays",
    ),
    Sample(
        (),
        {"h1": "9m", "m1": "p111m2.p222m2.c345m.p777m2", "h2": "78m456p789p234s55z", "tile": "9m", "from": "4"},
        _("东家三副都是南家放的，两家互包。北家一炮两响，东家和南家都胡。"),
        section="sanbi",
        winners=("1", "2"),
    ),
    Sample((), {**_BONDED, "from": "4"}, _("北家放了三副，又点了炮：自己付两份。"), section="sanbi"),
    Sample((), {**_BONDED}, _("北家与东家互包，东家自摸。"), end="self_draw", section="sanbi"),
    Sample(
        (),
        {"h1": "123456m78p234s55z", "tile": "9p", "f2": "31z"},
        _("西家点炮，东家胡。南家有两条鱼，西跟西家、东跟东家：一付一收，不赔不赚。"),
        options={"fish": "pond"},
        section="fish",
    ),
    Sample(
        (),
        {"h3": "456m78p234s55z", "m3": "d9999s1", "tile": "9p", "f2": "11z", "from": "1"},
        _("南家有两条东，跟的是庄家；庄家给西家付了 2 分，南家跟着付两遍。"),
        options={"fish": "pond"},
        section="fish",
        winners=("3",),
    ),
    Sample(
        (),
        {**_PLAIN, "wall": "1p8s"},
        _("东家自摸，翻两张，一筒中：乘 2。"),
        end="self_draw",
        options={"fish": "159"},
        section="fish",
    ),
    Sample(
        (),
        {**_PLAIN, "wall": "5m2z", "m1": "d9999s2", "h1": "456m78p234s55z", "tile": "9p"},
        _("跟庄鱼：东家是庄，五万中、南不中。乘 2，杠分不乘。"),
        options={"fish": "follow"},
        section="fish",
    ),
    Sample(
        (),
        {**_PLAIN, "wall": "3s"},
        _("爆炸鱼翻到三条：乘 4。"),
        options={"fish": "bomb"},
        section="fish",
    ),
)
