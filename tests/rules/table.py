"""A hand set up by hand: four seats 东 南 西 北 with given tiles, given draws and given replacements."""

from collections import Counter

from liuzhou.rules import engine
from liuzhou.rules.actions import Action, action_json, parse_action
from liuzhou.rules.events import redact
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from liuzhou.rules.tiles import format_tiles, parse_tiles
from liuzhou.rules.view import view
from liuzhou.rules.wall import Wall

EAST, SOUTH, WEST, NORTH = range(4)

JUNK = ("147m147p147s1234z", "258m258p258s1234z", "369m369p369s1234z", "147m258p369s1567z")


def wall_of(options: Options, dealer: int, hands: list[str], draws: str = "", back: str = "") -> Wall:
    """The wall that deals `hands`, then `draws` (the dealer's 14th first); `back` are the replacements, first one first."""
    dealt = [list(parse_tiles(text)) for text in hands]
    order: list[int] = []
    for take in (4, 4, 4, 1):
        for step in range(options.players):
            hand = dealt[(dealer + step) % options.players]
            order += hand[:take]
            del hand[:take]
    front, last = order + list(parse_tiles(draws)), list(parse_tiles(back))[::-1]
    rest = Counter(dict.fromkeys(options.kinds, 4))
    rest.subtract(front + last)
    assert min(rest.values()) >= 0, f"too many of {[kind for kind, left in rest.items() if left < 0]}"
    return Wall(tuple(front + sorted(rest.elements()) + last), (3, 5), "")


def junk(left: Counter) -> str:
    """Thirteen of the tiles left over that can claim nothing: no pair, no two tiles within a sequence."""
    tiles: list[int] = []
    for suit in (0, 9, 18):
        triples = [[suit + a, suit + b, suit + c] for a in range(3) for b in range(a + 3, 6) for c in range(b + 3, 9)]
        tiles += max(triples, key=lambda triple: sorted(left[kind] for kind in triple))
    tiles += sorted(range(27, 34), key=lambda kind: -left[kind])[:4]
    left.subtract(tiles)
    return format_tiles(tiles)


def setup(options: Options, hands: dict[int, str], draws: str = "", back: str = "", dealer: int = EAST) -> "Table":
    """A table at which the named seats hold the given tiles and the others junk."""
    left = Counter(dict.fromkeys(options.kinds, 4))
    left.subtract(parse_tiles("".join(hands.values()) + draws + back))
    full = [hands[seat] if seat in hands else junk(left) for seat in range(options.players)]
    assert all(len(parse_tiles(text)) == 13 for text in full), full
    return Table(options, dealer, wall_of(options, dealer, full, draws, back))


class Table:
    """Plays a hand in words: `table.act(SOUTH, "discard", "5m")`."""

    def __init__(self, options: Options, dealer: int, wall: Wall) -> None:
        self.state, self.events = engine.start(options, dealer, wall)

    def act(self, seat: int, do: str, what: str | int = "") -> "Table":
        field = {"discard": "tile", "kong": "tile", "chow": "tiles", "fish": "slot"}.get(do, "")
        action = parse_action(seat, {"do": do, field: what} if what else {"do": do})
        self.state, self.events = engine.apply(self.state, action)
        return self

    def legal(self, seat: int, *kinds: str) -> set[str]:
        """What the seat may do, as words; restricted to some verbs if named."""
        return {said(action) for action in engine.legal_actions(self.state, seat) if not kinds or action.do in kinds}

    def discards(self, seat: int) -> set[str]:
        return {text.removeprefix("discard ") for text in self.legal(seat, "discard")}

    def asked(self) -> set[int]:
        return set(engine.deciders(self.state))

    def left(self, drawable: int) -> "Table":
        """Takes tiles off the wall's front until so many may be drawn."""
        self.state = self.state._replace(front=self.state.back - self.state.reserve - drawable)
        if self.state.phase == "turn":
            from liuzhou.rules.turns import take_turn

            self.state = take_turn(self.state, self.state.turn)
        return self

    def sent(self, seat: int | None) -> list[dict]:
        """What the last action sent to a seat."""
        return [told for event in self.events if (told := redact(event, seat)) is not None]

    def sees(self, seat: int | None) -> dict:
        return view(self.state, seat)

    @property
    def kinds(self) -> list[str]:
        """The kinds of the last action's events, each seat's private ones included."""
        told = {index: self.sent(seat) for index, seat in enumerate(range(len(self.state.seats)))}
        return [event["kind"] for event in max(told.values(), key=len)]

    @property
    def result(self) -> dict:
        assert self.state.settlement is not None, self.state.phase
        return self.state.settlement.as_json()

    @property
    def points(self) -> list[int]:
        return self.result["points"]


def said(action: Action) -> str:
    return " ".join(str(part) for part in action_json(action).values())


def tiles_in(state: State) -> Counter:
    """Every tile of the hand, wherever it lies; a won discard lies in the river, a robbed tile with nobody."""
    from liuzhou.rules.state import RIVER_TAKEN, RIVER_TILE, hand_of

    found = Counter(state.wall[state.front : state.back] if state.phase != "fish" else state.wall)
    for seat in state.seats:
        found.update(hand_of(seat, state.options.wild))
        found.update(tile for meld in seat.melds for tile in meld.tiles)
        found.update(entry & RIVER_TILE for entry in seat.river if not entry & RIVER_TAKEN)
        found.update(seat.pond)
    if state.end is not None and state.end.kind == "robbed_kong":
        found[state.end.tile] += 1
    return found
