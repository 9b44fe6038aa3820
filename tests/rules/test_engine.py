"""Turns, kongs, robbing, wilds and the end of the hand (RULES 3-7), each on a wall built for it."""

import pytest

from liuzhou.rules import engine
from liuzhou.rules.actions import Action
from liuzhou.rules.errors import IllegalAction
from liuzhou.rules.options import Options
from tests.rules.table import EAST, NORTH, SOUTH, WEST, setup

CLASSIC = Options.parse("classic", {"fish": "none"})
BAIKE = Options.parse("baike", {"fish": "none"})
TIAN = Options.parse("tiantian")
WILD = Options.parse("tiantian", {"wild_red": True})
ALL = pytest.mark.parametrize("options", [CLASSIC, BAIKE, TIAN], ids=["classic", "baike", "tiantian"])

READY = "46m111222333p55z"  # waits for 5m
FOUR = "5555m369p369s123z"
TRIPLE = "555m369p369s1234z"
DOUBLE = "55m369p369s12346z"


@ALL
def test_the_dealer_may_win_and_kong_on_the_first_turn(options):
    table = setup(options, {EAST: READY}, "5m")
    assert "win" in table.legal(EAST)
    table.act(EAST, "win")
    assert table.sent(SOUTH)[0] == {
        "kind": "won",
        "seats": [EAST],
        "tile": "5m",
        "from": None,
        "how": "self_draw",
    }
    assert "kong 5m" in setup(options, {EAST: FOUR}, "4z").legal(EAST)


@ALL
def test_after_a_pong_only_a_discard_is_legal(options):
    # North pongs 5m and then holds a complete hand and four 1p: neither counts without a draw.
    table = setup(options, {NORTH: "55m1111p23p999s55z"}, "5m").act(EAST, "discard", "5m")
    table.act(NORTH, "pong")
    assert {text.split()[0] for text in table.legal(NORTH)} == {"discard"}


@ALL
def test_a_direct_kong_draws_its_replacement_from_the_back(options):
    table = setup(options, {WEST: TRIPLE}, "5m", "7z6z").act(EAST, "discard", "5m")
    assert table.legal(WEST) == {"pong", "kong", "pass"}
    drawable = table.state.drawable
    table.act(WEST, "kong")
    assert [event["kind"] for event in table.sent(EAST)] == ["melded", "drew"]
    assert table.sent(WEST)[1] == {
        "kind": "drew",
        "seat": WEST,
        "tile": "7z",
        "drawable": drawable - 1,
        "replacement": True,
    }
    assert table.sees(EAST)["seats"][WEST]["melds"] == [
        {"kind": "direct_kong", "tiles": "5555m", "from": EAST, "tile": "5m"}
    ]


@ALL
def test_a_concealed_kong_is_four_backs_until_the_end(options):
    table = setup(options, {EAST: FOUR}, "4z", "7z").act(EAST, "kong", "5m")
    assert [event["kind"] for event in table.sent(SOUTH)] == ["melded", "drew"]
    hidden = {"kind": "concealed_kong", "tiles": None, "from": None, "tile": None}
    assert table.sees(SOUTH)["seats"][EAST]["melds"] == table.sees(None)["seats"][EAST]["melds"] == [hidden]
    assert table.sent(SOUTH)[0]["meld"] == hidden
    assert table.sees(EAST)["seats"][EAST]["melds"] == [hidden | {"tiles": "5555m"}]
    table.left(0).act(EAST, "discard", "1z")
    assert table.state.phase == "over"
    assert table.sees(SOUTH)["seats"][EAST]["melds"] == [hidden | {"tiles": "5555m"}]
    assert table.points == [3, -1, -1, -1], "kong points stand in a drawn hand"


@ALL
def test_a_kong_may_wait_for_a_later_turn(options):
    table = setup(options, {EAST: FOUR}, "4z1s1s1s8p").act(EAST, "discard", "4z")
    for seat in (SOUTH, WEST, NORTH):
        table.act(seat, "discard", "1s")
    assert "kong 5m" in table.legal(EAST)


def added_kong(options, hands=None, draws="9s9s9s5m", back="7z8p"):
    """East pongs North's 5m and draws the fourth one on its next turn; who let the first go has drawn since."""
    table = setup(options, {EAST: DOUBLE, **(hands or {})}, "7z" + "1s1s5m" + draws, back)
    table.act(EAST, "discard", "7z").act(SOUTH, "discard", "1s").act(WEST, "discard", "1s").act(NORTH, "discard", "5m")
    for seat in sorted(table.asked() - {EAST}):
        table.act(seat, "pass")
    table.act(EAST, "pong").act(EAST, "discard", "6z")
    table.act(SOUTH, "discard", "9s").act(WEST, "discard", "9s").act(NORTH, "discard", "9s")
    assert table.state.turn == EAST
    return table


@ALL
def test_an_added_kong_on_a_later_turn(options):
    table = added_kong(options)
    assert "kong 5m" in table.legal(EAST)
    table.act(EAST, "kong", "5m")
    kinds = ["melded", "drew"] if options is not TIAN else ["kong_declared", "melded", "drew"]
    assert [event["kind"] for event in table.sent(SOUTH)] == kinds
    kong = {"kind": "added_kong", "tiles": "5555m", "from": NORTH, "tile": "5m"}
    assert table.sees(SOUTH)["seats"][EAST]["melds"] == [kong]
    assert table.sees(EAST)["seats"][EAST]["drawn"] == "7z"
    assert table.sees(EAST)["feeds"][EAST] == [0, 0, 0, 1]
    table.left(0).act(EAST, "discard", "7z")
    assert table.points == [1, 0, 0, -1]


@pytest.mark.parametrize("options", [CLASSIC, BAIKE], ids=["classic", "baike"])
def test_only_tiantian_robs_a_kong(options):
    table = added_kong(options, {SOUTH: "46m111222333p44z"})
    table.act(EAST, "kong", "5m")
    assert (table.state.phase, table.state.turn) == ("turn", EAST)


def test_robbing_the_kong_voids_it():
    table = added_kong_for_robbers((SOUTH,)).act(EAST, "kong", "5m")
    assert table.state.phase == "rob"
    assert table.sees(WEST)["pending"] == {"seat": EAST, "tile": "5m"}
    assert table.asked() == {SOUTH}
    assert table.legal(SOUTH) == {"win", "pass"}
    table.act(SOUTH, "win")
    assert [event["kind"] for event in table.sent(WEST)] == ["robbed", "won", "ended"]
    assert table.sent(WEST)[0] == {"kind": "robbed", "seat": EAST, "tile": "5m", "by": [SOUTH]}
    assert table.sees(WEST)["seats"][EAST]["melds"][0]["kind"] == "pong"
    assert table.result["wins"][0]["types"] == ["robbed_kong"]
    assert table.points == [-3, 3, 0, 0], "no kong point"
    assert table.result["next_dealer"] == SOUTH


def test_a_kong_that_nobody_robs_stands():
    table = added_kong_for_robbers((SOUTH, WEST)).act(EAST, "kong", "5m").act(SOUTH, "pass")
    assert table.state.phase == "rob"
    assert table.sees(SOUTH)["locks"]["win"] == "all"
    table.act(WEST, "pass")
    assert [event["kind"] for event in table.sent(NORTH)] == ["melded", "drew"]
    assert table.state.turn == EAST


def test_all_who_rob_win():
    table = added_kong_for_robbers((SOUTH, WEST)).act(EAST, "kong", "5m").act(WEST, "win")
    assert table.state.phase == "rob"
    table.act(SOUTH, "win")
    assert [win["seat"] for win in table.result["wins"]] == [SOUTH, WEST]
    assert table.result["next_dealer"] == SOUTH


def added_kong_for_robbers(winners):
    hands = {SOUTH: "46m111222333p44z", WEST: "46m444555666p33z"}
    return added_kong(TIAN, {seat: hands[seat] for seat in winners})


def test_a_missed_win_bars_the_robbing_until_the_next_draw():
    table = added_kong_for_robbers((SOUTH,))
    table.state = table.state._replace(
        seats=(table.state.seats[0], table.state.seats[1]._replace(no_win=(-1,)), *table.state.seats[2:])
    )
    table.act(EAST, "kong", "5m")
    assert table.state.phase == "turn"


@pytest.mark.parametrize(
    ("options", "drawable", "legal"),
    [
        (CLASSIC, 1, True),
        (CLASSIC, 0, False),
        (BAIKE, 1, True),
        (TIAN, 2, True),
        (TIAN, 1, False),
        (Options.parse("tiantian", {"fish": "bomb"}), 1, True),
        (Options.parse("tiantian", {"fish": "bomb"}), 0, False),
    ],
)
def test_a_kong_needs_its_replacement(options, drawable, legal):
    assert ("kong 5m" in setup(options, {EAST: FOUR}, "4z").left(drawable).legal(EAST)) is legal
    table = setup(options, {WEST: TRIPLE}, "5m").left(drawable).act(EAST, "discard", "5m")
    assert ("kong" in table.legal(WEST)) is legal


def test_kong_flower_after_a_direct_kong_is_paid_by_the_feeder():
    table = setup(BAIKE, {WEST: "555m111222p46s55z"}, "5m", "5s")
    table.act(EAST, "discard", "5m").act(WEST, "kong").act(WEST, "win")
    assert table.result["wins"][0]["types"] == ["kong_flower"]
    assert table.points == [-7, 0, 7, 0]


def test_after_several_kongs_in_a_row_the_last_decides():
    # A direct kong, then a concealed one, then the win: everybody pays, as after the concealed one alone.
    table = setup(BAIKE, {WEST: "555m1111p46s5556z"}, "5m", "6z5s").act(EAST, "discard", "5m").act(WEST, "kong")
    table.act(WEST, "kong", "1p")
    assert table.state.kong == 1
    table.act(WEST, "win")
    assert table.result["wins"][0]["types"] == ["kong_flower"]
    assert table.points == [-1 - 1 - 2, -1 - 2, 10, -1 - 2]


def test_the_discard_after_a_kong_and_its_replacement():
    hands = {EAST: FOUR, NORTH: "79s111222333p55z"}
    table = setup(BAIKE, hands, "4z", "8s").act(EAST, "kong", "5m").act(EAST, "discard", "8s").act(NORTH, "win")
    assert table.result["wins"][0]["types"] == ["kong_discard"]
    assert table.result["points"] == [3 - 3, -1, -1, 3 - 1]
    table = setup(BAIKE, hands, "4z8s", "7z").act(EAST, "kong", "5m").act(EAST, "discard", "7z")
    table.act(SOUTH, "discard", "8s").act(NORTH, "win")
    assert table.result["wins"][0]["types"] == [], "only the kong's own discard"


def test_the_last_tile_of_the_wall():
    table = setup(BAIKE, {SOUTH: READY}, "7z", "5m").left(1).act(EAST, "discard", "7z")
    assert table.state.drawable == 0
    table.act(SOUTH, "win")
    assert table.result["wins"][0]["last_tile"]


@ALL
def test_an_empty_wall_is_a_draw_and_the_dealer_stays(options):
    table = setup(options, {}, "7z", dealer=WEST).left(0).act(WEST, "discard", "7z")
    assert table.kinds == ["discarded", "ended"]
    assert table.result == {"wins": [], "payments": [], "points": [0] * 4, "score": [0] * 4, "next_dealer": WEST}
    assert table.sees(None)["seats"][EAST]["hand"]


# 红中癞子
def test_a_wild_completes_the_hand():
    table = setup(WILD, {EAST: "46m111222333p5z7z"}, "5z")
    assert "win" in table.legal(EAST)


def test_a_discarded_red_is_itself_also_for_the_winner():
    table = setup(WILD, {SOUTH: "46m111222333p55z", WEST: "123789m123789s7z"}, "7z").act(EAST, "discard", "7z")
    assert table.legal(SOUTH) == set(), "another's 7z stands for nothing"
    assert table.legal(WEST) == {"win", "pass"}, "its own 7z is wild: with the tile 中 it makes the pair"


def test_reds_are_ponged_and_konged_as_a_set():
    table = setup(WILD, {WEST: "147m147p147s1z777z"}, "7z", "2z").act(EAST, "discard", "7z")
    assert table.legal(WEST) - {"win"} == {"pong", "kong", "pass"}
    table.act(WEST, "kong")
    assert table.sees(EAST)["seats"][WEST]["melds"][0]["tiles"] == "7777z"
    table = setup(WILD, {EAST: "147m147p147s7777z"}, "2z", "3z").act(EAST, "kong", "7z")
    assert table.state.seats[EAST].wilds == 0


def test_a_wild_is_no_part_of_an_open_set():
    table = setup(WILD, {SOUTH: "4m258p258s12347z5m", WEST: "5m369p369s12347z9m"}, "5m")
    table.act(EAST, "discard", "5m")
    assert table.state.turn == SOUTH, "5m and a wild make no pong, 4m and a wild no chow"


def test_missing_the_win_on_a_red():
    table = setup(WILD, {WEST: "123m111222333p7z"}, "7z" + "9s").act(EAST, "discard", "7z").act(WEST, "pass")
    assert table.sees(WEST)["locks"]["win"] == "all"


# The fold itself
def test_apply_is_pure_and_refuses_what_is_not_legal():
    table = setup(CLASSIC, {EAST: READY}, "5m")
    before = table.state
    again, _ = engine.apply(before, Action(EAST, "discard", 4))
    assert engine.apply(before, Action(EAST, "discard", 4))[0] == again
    assert before == table.state
    for action in (
        Action(SOUTH, "discard", 4),
        Action(EAST, "discard", 30),
        Action(EAST, "pass"),
        Action(EAST, "fish", slot=1),
        Action(EAST, "win", 4),
        Action(7, "win"),
        Action(-1, "discard", 4),
    ):
        with pytest.raises(IllegalAction) as refusal:
            engine.apply(before, action)
        assert refusal.value.code == "illegal_action"
    assert engine.legal_actions(before, 9) == engine.legal_actions(before, -1) == ()


def test_the_view_of_a_turn():
    table = setup(CLASSIC, {EAST: READY}, "5m").act(EAST, "discard", "4m")
    own, others = table.sees(EAST), table.sees(None)
    assert own["seats"][EAST]["hand"] == "56m111222333p55z"
    assert own["seats"][EAST]["river"] == [{"tile": "4m", "drawn": False, "taken": False}]
    assert others["seats"][EAST]["hand"] is None
    assert [seat["count"] for seat in others["seats"]] == [13, 14, 13, 13]
    assert [seat["has_drawn"] for seat in others["seats"]] == [False, True, False, False]
    assert others["locks"] == {}
    assert others["you"] is None


def test_whether_a_discard_was_just_drawn_is_for_its_owner():
    table = setup(CLASSIC, {EAST: READY}, "7z").act(EAST, "discard", "7z")
    assert table.sees(EAST)["seats"][EAST]["river"][0]["drawn"] is True
    assert table.sees(SOUTH)["seats"][EAST]["river"][0]["drawn"] is False
    assert (table.sent(EAST)[0]["drawn"], table.sent(SOUTH)[0]["drawn"]) == (True, False)
