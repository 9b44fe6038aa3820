"""The form that opens a room: its fields and choices come from the rules' own option table, so that they cannot drift."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from liuzhou.rules.options import SCHEMA
from rooms.clock import PACES
from rooms.models import Room
from rooms.services import HANDS, ROOM_BASES

PRESETS = (("tiantian", _("天天")), ("classic", _("经典")), ("baike", _("传统")))
VALUES: dict[str, dict[Any, Any]] = {
    "players": {4: _("4 人"), 3: _("3 人"), 2: _("2 人")},
    "fish": {
        "pond": _("池塘钓鱼"),
        "none": _("不钓鱼"),
        "159": _("159 钓鱼"),
        "follow": _("跟庄钓鱼"),
        "bomb": _("爆炸鱼"),
    },
    "cap": {"2": _("2 子封顶"), "4": _("4 子封顶"), "6": _("6 子封顶"), "none": _("无限番")},
}
LABELS: dict[str, tuple[Any, Any]] = {
    "players": (_("人数"), ""),
    "base": (_("底分"), _("一分值多少，房间里的得分都按它算。")),
    "fish": (_("鱼"), _("池塘：开局前 10 秒从牌墙最后八张里钓一到两条；159、跟庄、爆炸：胡牌后翻牌，中鱼翻倍。")),
    "fish_count": (_("翻几张鱼"), _("159 和跟庄钓鱼翻的张数，也留在牌墙里不摸。")),
    "cap": (_("自摸封顶"), _("大胡叠加最多算几子；点炮 6 子封顶，无限番时不封。")),
    "concealed": (_("门清翻倍"), _("门清自摸再翻一倍，不受封顶限制。")),
    "wild_red": (_("红中癞子"), _("红中可以当任何牌。")),
    "no_honors": (_("无字牌"), _("去掉东南西北中发白。")),
    "no_dots": (_("无筒子"), _("去掉筒子。")),
}
FLIPPING = ("159", "follow")  # the kinds of fish for which a number of tiles is flipped
WATCHING = {"none": _("不可"), "open": _("可以"), "delayed": _("可以，晚一张")}
PACE_NAMES = {"fast": _("快"), "normal": _("标准"), "slow": _("慢")}
PAYS = [(pay.value, pay.label) for pay in (Room.Pay.OWNER, Room.Pay.SPLIT, Room.Pay.WINNER)]


class PresetSelect(forms.Select):
    """Choices that know which presets have them (`presets`), and whose default they are (`defaults`)."""

    def __init__(self, name: str, attrs: dict[str, str]) -> None:
        super().__init__(attrs)
        self.option_name = name

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        having = {
            preset: options[self.option_name] for preset, options in SCHEMA.items() if self.option_name in options
        }
        option["presets"] = " ".join(p for p in having if str(value) in map(str, _allowed(p, self.option_name)))
        option["defaults"] = " ".join(p for p, choice in having.items() if str(choice.default) == str(value))
        return option


def _allowed(preset: str, name: str) -> tuple[Any, ...]:
    """What the preset may be played with in a room."""
    return ROOM_BASES[preset] if name == "base" else SCHEMA[preset][name].values


def _option_field(name: str) -> forms.Field:
    """The field of one option: every value any preset allows; which presets have it is in `data-presets`."""
    presets = [preset for preset, options in SCHEMA.items() if name in options]
    values = list(dict.fromkeys(value for preset in presets for value in _allowed(preset, name)))
    label, help_text = LABELS[name]
    attrs = {"data-presets": " ".join(presets)}
    if set(values) == {True, False}:
        return forms.BooleanField(
            label=label,
            help_text=help_text,
            required=False,
            widget=forms.CheckboxInput({"data-presets": attrs["data-presets"]}),
        )
    names = VALUES.get(name, {})
    choices = [(str(value), names.get(value, str(value))) for value in values]
    if name == "fish_count":
        attrs["data-with-fish"] = " ".join(FLIPPING)
    widget = PresetSelect(name, attrs)
    return forms.ChoiceField(label=label, help_text=help_text, required=False, choices=choices, widget=widget)


class RoomForm(forms.Form):
    """A private room in score mode. A field the chosen preset does not have is not looked at."""

    preset = forms.ChoiceField(label=_("玩法"), choices=PRESETS, initial="tiantian")
    hands = forms.TypedChoiceField(
        label=_("局数"), coerce=int, choices=[(n, _("%(n)d 局") % {"n": n}) for n in HANDS], initial=4
    )
    pay = forms.ChoiceField(
        label=_("房卡"),
        choices=PAYS,
        initial="owner",
        required=False,
        help_text=_("第一局打完才扣；没打完第一局就解散，全部退回。"),
    )
    pace = forms.ChoiceField(
        label=_("快慢"), choices=[(key, PACE_NAMES[key]) for key in PACES], initial="normal", required=False
    )
    spectators = forms.ChoiceField(label=_("旁观"), choices=list(WATCHING.items()), initial="none", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LABELS:
            self.fields[name] = _option_field(name)
            self.fields[name].initial = SCHEMA["tiantian"][name].default
        self.order_fields(["preset", "players", "hands", *LABELS, "pay", "pace", "spectators"])

    def options(self) -> dict[str, object]:
        """The preset's own options that were chosen, in the forms of the rules; the rest is left to their defaults."""
        chosen: dict[str, object] = {}
        for name, choice in SCHEMA[self.cleaned_data["preset"]].items():
            value = self.cleaned_data[name]
            if value == "" or (name == "fish_count" and self.cleaned_data["fish"] not in FLIPPING):
                continue
            kinds = {type(allowed) for allowed in choice.values}
            chosen[name] = int(value) if kinds == {int} else value
        return chosen
