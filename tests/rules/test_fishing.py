"""Pond fishing before the deal (RULES 7.2) and the deal itself (RULES 2.5-2.7)."""

import pytest

from liuzhou.rules import engine
from liuzhou.rules.errors import IllegalAction
from liuzhou.rules.options import Options
from liuzhou.rules.state import hand_of
from liuzhou.rules.tiles import format_tiles, parse_tiles
from tests.rules.table import EAST, JUNK, NORTH, SOUTH, WEST, setup, tiles_in

POND = Options.parse("classic")


def pond_table(dealer: int = EAST):
    """The eight slots hold 5m 5p 5s 6m 6p 6s 9m 9p; junk hands; the dealer's fourteenth is 7z."""
    return setup(POND, {}, "7z", "9p9m6s6p6m5s5p5m", dealer)


def test_every_seat_may_fish_on_its_own():
    table = pond_table()
    assert table.state.phase == "fish"
    assert table.asked() == {EAST, SOUTH, WEST, NORTH}
    assert table.legal(WEST) == {f"fish {slot}" for slot in range(1, 9)} | {"fish_done"}


def test_a_slot_has_one_owner_and_the_second_ends_fishing():
    table = pond_table().act(WEST, "fish", 3)
    assert "fish 3" not in table.legal(EAST) | table.legal(WEST)
    with pytest.raises(IllegalAction):
        table.act(EAST, "fish", 3)
    table.act(WEST, "fish", 1)
    assert table.kinds == ["fished", "fish_ended"]
    assert table.legal(WEST) == set()
    assert table.asked() == {EAST, SOUTH, NORTH}


def test_all_done_starts_the_hand_with_the_rest_at_the_walls_back():
    table = pond_table().act(WEST, "fish", 3).act(EAST, "fish", 8).act(WEST, "fish", 1)
    for seat in (NORTH, SOUTH, EAST):
        assert table.state.drawable == 136 - 3
        table.act(seat, "fish_done")
    assert table.kinds == ["fish_ended", "dealt", "drew"]
    assert table.state.phase == "turn"
    assert table.state.drawable == 136 - 3 - 53
    assert [seat.pond for seat in table.state.seats] == [parse_tiles("9p"), (), parse_tiles("5m5s"), ()]
    assert table.state.wall[-5:] == parse_tiles("5p6m6p6s9m")
    assert sum(tiles_in(table.state).values()) == 136


def test_which_seat_took_which_slot_is_public_the_tiles_are_not():
    table = pond_table().act(WEST, "fish", 3).act(WEST, "fish", 1)
    for seat in (EAST, WEST, None):
        seen = table.sees(seat)
        assert seen["pond"] == [WEST, None, WEST, None, None, None, None, None]
        assert [each["fish"] for each in seen["seats"]] == [0, 0, 2, 0]
        assert [each["fishing"] for each in seen["seats"]] == [True, True, False, True]
        assert all(each["pond"] is None for each in seen["seats"])
        assert seen["dice"] is None
    assert table.sent(WEST) == [
        {"kind": "fished", "seat": WEST, "slot": 1, "drawable": 134},
        {"kind": "fish_ended", "seat": WEST},
    ]


def test_without_a_pond_the_hand_is_dealt_at_once():
    table = setup(Options.parse("baike", {"fish": "none"}), {}, "7z")
    assert table.state.phase == "turn"
    assert [event["kind"] for event in table.sent(EAST)] == ["dealt", "drew"]
    assert table.sees(SOUTH)["pond"] == []
    assert table.sees(SOUTH)["dice"] == [3, 5]


@pytest.mark.parametrize("dealer", range(4))
def test_the_deal_goes_round_from_the_dealer(dealer):
    table = setup(Options.parse("tiantian"), dict(enumerate(JUNK)), "7z", dealer=dealer)
    for seat in range(4):
        hand = format_tiles(hand_of(table.state.seats[seat], -1))
        assert hand == format_tiles(parse_tiles(JUNK[seat] + ("7z" if seat == dealer else "")))
    assert engine.deciders(table.state) == (dealer,)
    assert table.sees(dealer)["seats"][dealer]["drawn"] == "7z"


def test_reserve_is_not_drawable():
    assert setup(Options.parse("tiantian", {"fish": "159", "fish_count": 5}), {}).state.drawable == 136 - 53 - 5
    assert setup(Options.parse("tiantian", {"fish": "bomb"}), {}).state.drawable == 136 - 53 - 1
    assert setup(Options.parse("tiantian"), {}).state.drawable == 136 - 53
