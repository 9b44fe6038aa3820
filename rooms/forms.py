"""The form that opens a room: its fields and choices come from the rules' own option table, so that they cannot drift."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from rooms.clock import PACES
from rooms.services import HANDS

# A later issue opens the other presets' rooms; the engine plays them all.
PRESETS = (("classic", _("经典")),)
FISH = {"pond": _("钓鱼"), "none": _("不钓鱼")}
WATCHING = {"none": _("不可"), "open": _("可以"), "delayed": _("可以，晚一张")}
PACE_NAMES = {"fast": _("快"), "normal": _("标准"), "slow": _("慢")}


class RoomForm(forms.Form):
    """A private room in score mode."""

    preset = forms.ChoiceField(label=_("玩法"), choices=PRESETS, initial="classic")
    hands = forms.TypedChoiceField(
        label=_("局数"), coerce=int, choices=[(n, _("%(n)d 局") % {"n": n}) for n in HANDS], initial=4
    )
    fish = forms.ChoiceField(
        label=_("鱼"),
        choices=list(FISH.items()),
        initial="pond",
        help_text=_("开局前 10 秒，从牌墙最后八张里钓一到两条鱼。"),
    )
    pace = forms.ChoiceField(
        label=_("快慢"), choices=[(key, PACE_NAMES[key]) for key in PACES], initial="normal", required=False
    )

    spectators = forms.ChoiceField(label=_("旁观"), choices=list(WATCHING.items()), initial="none", required=False)

    def options(self) -> dict[str, object]:
        return {"fish": self.cleaned_data["fish"]}
