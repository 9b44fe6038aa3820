"""算分器: what would have changed — the same hand with one thing different, settled anew by the same `settle`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _

from liuzhou.rules.case import Case
from liuzhou.rules.errors import CaseError
from liuzhou.rules.fish import FOLLOWS, flip_hits
from liuzhou.rules.options import FLIP_COUNTED, SCHEMA
from liuzhou.rules.presets import PRESETS
from liuzhou.rules.score import Settlement
from liuzhou.rules.tiles import NAMES, parse_tiles
from rooms.calculator import Entry, choice_text, settle_entry
from rooms.explain import SEAT_NAMES, option_name, tell, value_name

POND_FULL = 2
MOST_FLIPS = 10
VARIED = ("cap", "concealed", "fish")  # the options that count differently with the same tiles


class Variant(NamedTuple):
    """One thing different, the scores it leads to, and how far each is from the hand as it was."""

    label: str
    query: str
    score: tuple[int, ...]
    difference: tuple[int, ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each seat's score and how far it moved."""
        return list(zip(self.score, self.difference, strict=True))


def variants(entry: Entry, case: Case, settlement: Settlement) -> tuple[list[Variant], list[str]]:
    """The variants that change something, and the labels of those that do not. Impossible ones are left out."""
    changed, same = [], []
    for label, other in _candidates(entry, case, settlement):
        try:
            _case, result = settle_entry(other)
        except CaseError:
            continue
        difference = tuple(new - old for new, old in zip(result.score, settlement.score, strict=True))
        if any(difference):
            changed.append(Variant(label, other.query(), result.score, difference))
        else:
            same.append(label)
    return changed, same


def _candidates(entry: Entry, case: Case, settlement: Settlement) -> Iterator[tuple[str, Entry]]:
    yield from _other_options(entry, case)
    yield from _one_fish_more(entry, case, settlement)
    yield from _other_ends(entry, case)
    yield from _other_presets(entry, case)


def _other_options(entry: Entry, case: Case) -> Iterator[tuple[str, Entry]]:
    now = case.options.as_json()
    for name in VARIED:
        for value in SCHEMA[case.options.preset][name].values if name in now else ():
            if value == now[name] or (name == "fish" and value != "none"):
                continue  # other fish would need other tiles
            other = entry.with_values(**{name: choice_text(value)})
            if name == "fish":
                other = other.with_values(f1="", f2="", f3="", f4="", wall="")
                yield value_name(name, value), other
            else:
                yield (
                    _("%(option)s：%(value)s") % {"option": option_name(name), "value": value_name(name, value)},
                    other,
                )


def _one_fish_more(entry: Entry, case: Case, settlement: Settlement) -> Iterator[tuple[str, Entry]]:
    """The winner with one more fish of the pond that follows them, or one more hit among the turned tiles."""
    options = case.options
    if options.fish == "pond":
        for win in settlement.wins:
            if len(case.seats[win.seat].pond) < POND_FULL:
                name = f"f{win.seat + 1}"
                label = _("%(seat)s多一条跟自己的鱼") % {"seat": SEAT_NAMES[win.seat]}
                for kind in (kind for kind in options.kinds if FOLLOWS[kind] == win.seat):
                    other = entry.with_values(**{name: entry.get(name) + NAMES[kind]})
                    if _possible(other):
                        yield label, other
                        break
    elif options.flips and len(settlement.wins) == 1 and (hit := _hit_more(entry, case, settlement)) is not None:
        yield _("多中一条鱼"), hit


def _hit_more(entry: Entry, case: Case, settlement: Settlement) -> Entry | None:
    """The same turned tiles and one hit more: a further tile turned, or for 爆炸鱼 a tile one higher."""
    win, options = settlement.wins[0], case.options
    for kind in options.kinds:
        if options.fish in FLIP_COUNTED and options.fish_count < MOST_FLIPS:
            wall = "".join(NAMES[tile] for tile in win.flipped) + NAMES[kind]
            # fewer tiles may have been turned than the option says: the new one is then among those
            count = max(options.fish_count, len(win.flipped) + 1)
            other = entry.with_values(wall=wall, fish_count=str(count))
        else:
            other = entry.with_values(wall=NAMES[kind])
        hits = flip_hits(options, win.seat, parse_tiles(other.get("wall")))
        if hits == win.fish + 1 and _possible(other):
            return other
    return None


def _possible(entry: Entry) -> bool:
    try:
        settle_entry(entry)
    except CaseError:
        return False
    return True


def _other_ends(entry: Entry, case: Case) -> Iterator[tuple[str, Entry]]:
    end, players = case.end, case.options.players
    if len(end.winners) != 1:
        return
    winner = end.winners[0]
    if end.kind == "self_draw":
        for source in ((winner + i) % players for i in range(1, players)):
            label = _("%(seat)s点炮") % {"seat": SEAT_NAMES[source]}
            yield label, entry.with_values(end="discard", from_=str(source + 1), after="", last="")
        yield from _kong_flowers(entry, case, winner)
        if case.options.rules.last_tile_doubles:
            label = _("不是海底捞月") if end.last_tile else _("海底捞月")
            yield label, entry.with_values(last="" if end.last_tile else "1")
        return
    yield _("自摸"), entry.with_values(end="self_draw", after="", last="")
    if end.kind == "discard" and case.options.rules.kong_discard:
        label = _("不是杠上炮") if end.after_kong else _("杠上炮")
        yield label, entry.with_values(after="" if end.after_kong else "1")


def _kong_flowers(entry: Entry, case: Case, winner: int) -> Iterator[tuple[str, Entry]]:
    if case.end.after_kong is not None:
        yield _("不是杠上花"), entry.with_values(after="")
        return
    for index, meld in enumerate(case.seats[winner].melds):
        if meld.is_kong:
            yield _("杠上花（第 %(n)d 副）") % {"n": index + 1}, entry.with_values(after=str(index + 1))


def _other_presets(entry: Entry, case: Case) -> Iterator[tuple[str, Entry]]:
    """By the other rule sets that are played by as many for the same base, without fish: their fishing differs."""
    for name, preset in PRESETS.items():
        comparable = all(getattr(case.options, each) in preset.choices[each].values for each in ("players", "base"))
        if name != case.options.preset and comparable:
            other = entry.with_preset(name).with_values(fish="none", f1="", f2="", f3="", f4="", wall="")
            yield _("按%(preset)s规则（不钓鱼）") % {"preset": tell((preset.zh, preset.en))}, other
