"""算分器: what a form or a link says → a settlement case, and the shortest link that says the same. Pure.

Seats are numbered 1–4 here in the order of play, 1 being the dealer: 东 南 西 北. A meld is written as a letter, its tiles
and who fed it: `c123m` 吃, `p555m2` 碰, `d9999s3` 点杠, `a1111z4` 碰杠, `k7777z` 暗杠. Every refusal is a CaseError whose
`field` is the form's field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from liuzhou.rules.case import Case, parse_case
from liuzhou.rules.errors import CaseError, NotationError, OptionError, shown
from liuzhou.rules.melds import ADDED_KONG, CHOW, CONCEALED_KONG, DIRECT_KONG, PONG
from liuzhou.rules.options import HAND_SIZE, SCHEMA, Options
from liuzhou.rules.presets import Value
from liuzhou.rules.score import Settlement
from liuzhou.rules.tiles import COPIES, NAMES_ZH, format_tiles, format_wall, parse_tiles
from liuzhou.rules.waits import hand_waits

SEATS = 4
WINDS = "东南西北"
WINDS_EN = ("East", "South", "West", "North")
ENDS = ("discard", "self_draw", "robbed_kong", "draw")
MELD_LETTERS = {"c": CHOW, "p": PONG, "d": DIRECT_KONG, "a": ADDED_KONG, "k": CONCEALED_KONG}
LETTER_OF = {kind: letter for letter, kind in MELD_LETTERS.items()}
WRITTEN_MELDS = {
    **MELD_LETTERS,
    "吃": CHOW,
    "碰": PONG,
    "杠": DIRECT_KONG,
    "点": DIRECT_KONG,
    "补": ADDED_KONG,
    "暗": CONCEALED_KONG,
}
MELD = re.compile(r"([cpdak吃碰杠点补暗])([1-9]+[mpsz])([1-4东南西北]?)")
SEAT_OF = {**{str(i + 1): i for i in range(SEATS)}, **{wind: i for i, wind in enumerate(WINDS)}}
OPTION_FIELDS: tuple[str, ...] = tuple(dict.fromkeys(name for schema in SCHEMA.values() for name in schema))
SEAT_FIELDS: tuple[str, ...] = tuple(f"{letter}{i + 1}" for i in range(SEATS) for letter in "hmf")
FIELDS: tuple[str, ...] = ("preset", *OPTION_FIELDS, "end", "tile", "from", "after", "last", *SEAT_FIELDS, "wall")
START = {"preset": "classic", "end": "discard", "from": "2"}
FLAGS = {True: "1", False: "0"}
MELD_NAMES = {
    CHOW: ("吃", "chow"),
    PONG: ("碰", "pong"),
    DIRECT_KONG: ("点杠", "direct kong"),
    ADDED_KONG: ("碰杠", "added kong"),
    CONCEALED_KONG: ("暗杠", "concealed kong"),
}


def choice_text(value: Value) -> str:
    """An option's value as the form and the link write it."""
    return FLAGS[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Entry:
    """What was entered, exactly as it was: an entry that is refused is shown again unchanged."""

    values: Mapping[str, str] = field(default_factory=lambda: dict(START))
    winners: tuple[str, ...] = ("1",)

    @classmethod
    def read(cls, query: Mapping[str, Sequence[str]]) -> Entry:
        """From a query's lists; without a preset it is a fresh form. Fields that no form has are ignored."""
        given = {name: text for name in FIELDS if query.get(name) and (text := query[name][-1].strip())}
        if not given and not query.get("win"):
            return cls()
        return cls(
            {"preset": START["preset"], "end": START["end"], **given}, tuple(dict.fromkeys(query.get("win", ())))
        )

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def started(self) -> bool:
        """Whether any tile was entered: before that there is nothing to settle."""
        return any(self.get(name) for name in ("tile", *SEAT_FIELDS, "wall"))

    def with_values(self, *, winners: Iterable[str] | None = None, **changes: str) -> Entry:
        """Another entry; field names that are words of Python carry a `_`: `from_`."""
        changed = {**self.values, **{name.rstrip("_"): value for name, value in changes.items()}}
        return Entry(changed, self.winners if winners is None else tuple(winners))

    def with_preset(self, preset: str) -> Entry:
        """The same tiles by another rule set, with as many of the options as it knows."""
        known = SCHEMA.get(preset, {})
        kept = {
            name: text
            for name, text in self.values.items()
            if name not in OPTION_FIELDS or (name in known and text in map(choice_text, known[name].values))
        }
        return Entry({**kept, "preset": preset}, self.winners)

    def query(self) -> str:
        """The shortest query that says the same: no defaults, nothing empty, nothing this end has no use for."""
        schema = SCHEMA.get(self.get("preset"), {})
        unused = {"draw": {"tile", "from", "after", "last"}, "self_draw": {"from"}, "robbed_kong": {"after", "last"}}
        skipped = unused.get(self.get("end"), {"last"} if self.get("end") == "discard" else set())
        pairs = [
            (name, text)
            for name in FIELDS
            if (text := self.get(name)) and name not in skipped
            if name not in schema or text != choice_text(schema[name].default)
        ]
        winners = [] if self.get("end") == "draw" else [("win", seat) for seat in self.winners]
        return urlencode([*pairs, *winners])


def settle_entry(entry: Entry) -> tuple[Case, Settlement]:
    """The case and its settlement. CaseError, its `field` the form's, for whatever cannot have happened."""
    options = parse_options(entry)
    record = {**case_record(entry, options), "options": options.as_json()}
    try:
        case = parse_case(record)
    except CaseError as error:
        raise _hand_size(error, record) or _at_field(error) from None
    return case, _settle(case)


def parse_options(entry: Entry) -> Options:
    preset = entry.get("preset")
    schema = SCHEMA.get(preset, {})
    chosen: dict[str, object] = {}
    for name in OPTION_FIELDS:
        if text := entry.get(name):
            choices = schema[name].values if name in schema else ()
            chosen[name] = next((each for each in choices if choice_text(each) == text), text)
    try:
        return Options.parse(preset, chosen)
    except OptionError as error:
        place = error.option if error.option in schema else "preset"
        raise CaseError(error.code, error.zh, error.en, place) from None


def case_record(entry: Entry, options: Options) -> dict[str, Any]:
    """The JSON case of DESIGN 7 that the entry describes; hands that nobody needs are dealt from what is left."""
    _nobody_beyond(entry, options.players)
    end = _end(entry)
    seats = []
    for seat in range(options.players):
        hand, melds = format_wall(_tiles(entry, f"h{seat + 1}")), _melds(entry, seat, options.players)
        pond = [format_tiles([tile]) for tile in _tiles(entry, f"f{seat + 1}")]
        seats.append({"hand": hand, "melds": melds, "pond": pond})
    _check_copies(entry, options)
    winners = end.get("winners", [])
    _deal_the_rest(seats, [seat for seat in range(options.players) if seat not in winners], entry, options)
    wall = format_wall(_tiles(entry, "wall"))
    return {"preset": options.preset, "dealer": 0, "seats": seats, "end": end, "wall": wall}


def _nobody_beyond(entry: Entry, players: int) -> None:
    for seat in range(players, SEATS):
        if any(entry.get(f"{letter}{seat + 1}") for letter in "hmf"):
            raise CaseError(
                "seats",
                f"{players} 人没有{WINDS[seat]}家，但{WINDS[seat]}家还有牌",
                f"with {players} players there is no {WINDS_EN[seat]}, yet {WINDS_EN[seat]} has tiles",
                "players",
            )


def _tiles(entry: Entry, name: str) -> tuple[int, ...]:
    try:
        return parse_tiles("".join(entry.get(name).split()))
    except NotationError as error:
        raise CaseError(error.code, error.zh, error.en, name) from None


def _melds(entry: Entry, seat: int, players: int) -> list[dict[str, Any]]:
    name = f"m{seat + 1}"
    melds = []
    for text in re.split(r"[\s.,，、;；+]+", entry.get(name)):
        if not text:
            continue
        if not (match := MELD.fullmatch(text)):
            raise CaseError(
                "notation",
                f"看不懂的副露：{shown(text)}（应如 c123m、p555m2、k7777z）",
                f"cannot read the meld {shown(text)} (expected e.g. c123m, p555m2, k7777z)",
                name,
            )
        kind, tiles, feeder = WRITTEN_MELDS[match[1]], match[2], match[3]
        meld: dict[str, Any] = {"kind": kind, "tiles": tiles}
        if feeder:
            meld["from"] = SEAT_OF[feeder]
        elif kind == CHOW:
            meld["from"] = (seat - 1) % players
        elif kind != CONCEALED_KONG:
            raise CaseError(
                "meld_from", f"{shown(text)} 是谁打的？末尾加 1–4", f"who fed {shown(text)}? add 1–4 at its end", name
            )
        melds.append(meld)
    return melds


def _end(entry: Entry) -> dict[str, Any]:
    kind = entry.get("end")
    if kind == "draw" or kind not in ENDS:
        return {"kind": kind}
    winners = [_seat(text, "win") for text in entry.winners]
    if not entry.get("tile"):
        raise CaseError("tile", "胡的是哪张牌？", "Which tile was won on?", "tile")
    end: dict[str, Any] = {"kind": kind, "tile": format_wall(_tiles(entry, "tile")), "winners": winners}
    if kind != "self_draw":
        end["from"] = _seat(entry.get("from"), "from")
    if kind == "discard":
        end["after_kong"] = entry.get("after") not in ("", "0")
    if kind == "self_draw":
        end["last_tile"] = entry.get("last") not in ("", "0")
        if after := entry.get("after"):
            end["after_kong"] = _seat(after, "after")
    return end


def _seat(text: str, name: str) -> int:
    """A number 1–4 (or a wind) as 0–3."""
    if text in SEAT_OF:
        return SEAT_OF[text]
    if not text:
        raise CaseError("seat", "请选一家", "Please choose a seat", name)
    raise CaseError("seat", f"应是 1 到 4，得到 {shown(text)}", f"1 to 4 expected, got {shown(text)}", name)


def _spots(entry: Entry, options: Options) -> list[tuple[str, tuple[int, ...]]]:
    """Every field with tiles that counts, and its tiles."""
    spots = []
    for seat in range(options.players):
        melds = [tile for meld in _melds(entry, seat, options.players) for tile in parse_tiles(meld["tiles"])]
        spots += [(f"h{seat + 1}", _tiles(entry, f"h{seat + 1}")), (f"m{seat + 1}", tuple(melds))]
        spots.append((f"f{seat + 1}", _tiles(entry, f"f{seat + 1}")))
    if entry.get("end") != "draw":
        spots.append(("tile", _tiles(entry, "tile")))
    return [*spots, ("wall", _tiles(entry, "wall"))]


def _check_copies(entry: Entry, options: Options) -> None:
    """Refuse the fifth copy of a tile at the field where it stands."""
    seen: Counter[int] = Counter()
    for name, tiles in _spots(entry, options):
        for tile in tiles:
            seen[tile] += 1
            if seen[tile] > COPIES:
                zh, en = f"这里是第五张{NAMES_ZH[tile]}", f"this is a fifth {format_tiles([tile])}"
                raise CaseError("copies", zh, en, name)


def _deal_the_rest(seats: list[dict[str, Any]], losers: Sequence[int], entry: Entry, options: Options) -> None:
    """Give the losers whose hands were left out some tiles nobody holds: the settlement does not look at them."""
    held = Counter(tile for _, tiles in _spots(entry, options) for tile in tiles)
    rest = [tile for tile in options.kinds for _ in range(COPIES - held[tile])]
    for seat in losers:
        if seats[seat]["hand"]:
            continue
        wanted = max(0, HAND_SIZE - 3 * len(seats[seat]["melds"]))
        if len(rest) < wanted:
            zh, en = "填的牌比一副牌还多", "more tiles than there are in the game"
            raise CaseError("too_many", zh, en, "wall" if entry.get("wall") else f"m{seat + 1}")
        seats[seat]["hand"] = format_tiles(rest[:wanted])
        del rest[:wanted]


_PLACES = (
    (re.compile(r"seats\[(\d)\]\.hand"), "h"),
    (re.compile(r"seats\[(\d)\]\.melds"), "m"),
    (re.compile(r"seats\[(\d)\]\.pond"), "f"),
)
_END_PLACES = {
    "kind": "end",
    "tile": "tile",
    "from": "from",
    "winners": "win",
    "after_kong": "after",
    "last_tile": "last",
}


def _at_field(error: CaseError) -> CaseError:
    """The same refusal at the form's field, in the form's words."""
    place = error.field
    for pattern, letter in _PLACES:
        if match := pattern.match(place):
            place = f"{letter}{int(match[1]) + 1}"
            break
    else:
        place = _END_PLACES.get(place.removeprefix("end.").split("[")[0], place)
    if error.code == "meld":
        zh, en = "这些牌组不成一副：吃要同门三连，碰要三张、杠要四张一样的", error.en
        return CaseError(error.code, zh, en, place)
    return CaseError(error.code, error.zh, error.en, place if place in FIELDS or place == "win" else "")


def _hand_size(error: CaseError, record: Mapping[str, Any]) -> CaseError | None:
    """How many tiles a hand should have and has, where that is what is wrong."""
    if error.code != "hand_size" or not (match := _PLACES[0][0].match(error.field)):
        return None
    seat = int(match[1])
    held = record["seats"][seat]
    wanted, got = HAND_SIZE - 3 * len(held["melds"]), len(parse_tiles(held["hand"]))
    zh = f"{WINDS[seat]}家手里应有 {wanted} 张（不含胡的那张），现在 {got} 张"
    en = f"{WINDS_EN[seat]} should hold {wanted} tiles (without the winning one), not {got}"
    return CaseError(error.code, zh, en, f"h{seat + 1}")


def _settle(case: Case) -> Settlement:
    """Settle, and where a named winner does not win, say whose hand it is and what it waits for."""
    try:
        return case.settle()
    except CaseError as error:
        for seat in case.end.winners:
            waits = hand_waits(case.options, case.seats[seat].hand, case.seats[seat].melds)
            kinds = [wait.tile for wait in waits if case.end.kind == "self_draw" or wait.discard]
            if case.end.tile not in kinds:
                raise _no_win(seat, case.end.tile, kinds) from None
        raise _at_field(error) from None


def _no_win(seat: int, tile: int, kinds: Sequence[int]) -> CaseError:
    zh = f"{WINDS[seat]}家胡不了{NAMES_ZH[tile]}"
    en = f"{WINDS_EN[seat]} does not win on {format_tiles([tile])}"
    told_zh, told_en = "、".join(NAMES_ZH[kind] for kind in kinds), format_tiles(kinds)
    zh += f"：听的是 {told_zh}" if kinds else "：这手牌没有听牌"
    en += f": the hand waits for {told_en}" if kinds else ": the hand is not waiting"
    return CaseError("no_win", zh, en, f"h{seat + 1}")


def entry_of(record: Mapping[str, Any]) -> Entry:
    """The entry of a valid JSON case: the dealer comes first, and losers' hands are left out."""
    case = parse_case(record)
    players, end = case.options.players, case.end

    def number(seat: int) -> str:
        return str((seat - case.dealer) % players + 1)

    values = {"preset": case.options.preset, "end": end.kind, "wall": format_wall(case.wall)}
    values |= {name: choice_text(value) for name, value in case.options.as_json().items()}
    for seat, held in enumerate(case.seats):
        letters = [LETTER_OF[meld.kind] + format_tiles(meld.tiles) for meld in held.melds]
        feeders = [number(meld.source) if meld.source >= 0 and meld.kind != CHOW else "" for meld in held.melds]
        values[f"h{number(seat)}"] = format_tiles(held.hand) if seat in end.winners else ""
        values[f"m{number(seat)}"] = ".".join(map("".join, zip(letters, feeders, strict=True)))
        values[f"f{number(seat)}"] = format_wall(held.pond)
    if end.winners:
        values["tile"] = format_tiles([end.tile])
        values["from"] = number(end.source) if end.source >= 0 else ""
        values["last"] = FLAGS[True] if end.last_tile else ""
    if end.after_kong is not None and end.after_kong is not False:
        values["after"] = str(int(end.after_kong) + (end.kind == "self_draw"))
    return Entry({name: text for name, text in values.items() if text}, tuple(number(seat) for seat in end.winners))
