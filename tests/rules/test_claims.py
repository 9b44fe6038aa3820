"""The claim window (RULES 3.2, 3.3, 3.6-3.8): who is asked, which answers decide, what a refusal costs."""

import pytest

from liuzhou.rules.errors import IllegalAction
from liuzhou.rules.options import Options
from tests.rules.table import EAST, NORTH, SOUTH, WEST, setup

CLASSIC = Options.parse("classic", {"fish": "none"})
BAIKE = Options.parse("baike", {"fish": "none"})
TIAN = Options.parse("tiantian")
ALL = pytest.mark.parametrize("options", [CLASSIC, BAIKE, TIAN], ids=["classic", "baike", "tiantian"])

# East draws 5m and throws it: South can chow it, West pong it, North win on it.
CHOWER = "46m258p258s12347z"
PONGER = "55m369p369s12346z"
WINNER = "46m111222333p55z"
ASKING = {SOUTH: CHOWER, WEST: PONGER, NORTH: WINNER}
EASTS = "178m47p1469s1567z"


def asking(options, hands=ASKING):
    table = setup(options, {EAST: EASTS, **hands}, "5m" + "9s9p8p")
    return table.act(EAST, "discard", "5m")


@ALL
def test_everyone_with_a_claim_is_asked(options):
    table = asking(options)
    assert table.state.phase == "claim"
    assert table.legal(EAST) == set()
    assert table.legal(SOUTH) == {"chow 46m", "pass"}
    assert table.legal(WEST) == {"pong", "pass"}
    assert table.legal(NORTH) == {"win", "pass"}


@ALL
def test_a_win_decides_at_once_when_nobody_else_can_win(options):
    table = asking(options).act(NORTH, "win")
    assert table.state.phase == "over"
    assert table.asked() == set()
    assert table.kinds == ["won", "ended"]


@ALL
def test_a_pong_waits_for_the_winner_and_yields_to_the_win(options):
    table = asking(options).act(WEST, "pong")
    assert table.state.phase == "claim"
    assert table.asked() == {SOUTH, NORTH}
    table.act(NORTH, "win")
    assert [win["seat"] for win in table.result["wins"]] == [NORTH]


@ALL
def test_a_pong_stands_once_the_winner_has_passed(options):
    table = asking(options).act(WEST, "pong").act(NORTH, "pass")
    assert (table.state.phase, table.state.turn) == ("turn", WEST)
    assert table.asked() == {WEST}, "South's chow is no longer asked about"


@ALL
def test_a_pong_wins_at_once_though_the_chow_is_undecided(options):
    table = asking(options).act(NORTH, "pass").act(WEST, "pong")
    assert (table.state.phase, table.state.turn) == ("turn", WEST)


@ALL
def test_a_chow_waits_for_the_ponger_and_the_winner(options):
    table = asking(options).act(SOUTH, "chow", "46m")
    assert table.asked() == {WEST, NORTH}
    table.act(NORTH, "pass")
    assert table.asked() == {WEST}
    table.act(WEST, "pass")
    assert (table.state.phase, table.state.turn) == ("turn", SOUTH)


@ALL
def test_a_chow_yields_to_a_later_pong(options):
    table = asking(options).act(SOUTH, "chow", "46m").act(NORTH, "pass").act(WEST, "pong")
    assert table.state.turn == WEST
    assert table.state.seats[SOUTH].melds == ()


@ALL
def test_everybody_passes_and_the_next_draws(options):
    table = asking(options).act(WEST, "pass").act(SOUTH, "pass").act(NORTH, "pass")
    assert (table.state.phase, table.state.turn) == ("turn", SOUTH)
    assert table.sent(SOUTH) == [
        {"kind": "drew", "seat": SOUTH, "tile": "9s", "drawable": 82, "replacement": False},
    ]


@ALL
def test_a_pass_is_final_and_told_to_its_seat_alone(options):
    table = asking(options).act(NORTH, "pass")
    assert table.legal(NORTH) == set()
    for seat in (EAST, SOUTH, WEST, None):
        assert table.sent(seat) == []
    assert [event["kind"] for event in table.sent(NORTH)] == ["passed"]
    with pytest.raises(IllegalAction):
        table.act(NORTH, "win")


@ALL
def test_an_open_window_shows_nobody_who_else_is_asked_or_has_answered(options):
    table = asking(options)
    before = {seat: table.sees(seat) for seat in (EAST, SOUTH, None)}
    table.act(WEST, "pass").act(NORTH, "pass")
    assert {seat: table.sees(seat) for seat in (EAST, SOUTH, None)} == before


@ALL
def test_all_who_claim_it_win(options):
    table = asking(options, {SOUTH: "46m444555666p77z", WEST: PONGER, NORTH: WINNER}).act(NORTH, "win")
    assert table.asked() == {SOUTH, WEST}, "South may win too"
    table.act(SOUTH, "win")
    assert table.state.phase == "over"
    assert [win["seat"] for win in table.result["wins"]] == [SOUTH, NORTH]


@ALL
def test_one_may_win_alone_when_the_other_passes(options):
    table = asking(options, {SOUTH: "46m444555666p77z", NORTH: WINNER}).act(SOUTH, "pass").act(NORTH, "win")
    assert [win["seat"] for win in table.result["wins"]] == [NORTH]


@ALL
def test_who_could_win_may_chow_instead(options):
    table = asking(options, {SOUTH: "46m444555666p77z"}).act(SOUTH, "chow", "46m")
    assert (table.state.phase, table.state.turn) == ("turn", SOUTH)


@ALL
def test_only_the_next_player_chows_and_never_honours(options):
    table = setup(options, {WEST: CHOWER}, "5m").act(EAST, "discard", "5m")
    assert table.state.turn == SOUTH
    table = setup(options, {SOUTH: "258m258p258s1246z"}, "3z").act(EAST, "discard", "3z")
    assert table.state.turn == SOUTH


@ALL
def test_three_ways_to_chow(options):
    table = setup(options, {SOUTH: "3467m258p258s124z"}, "5m").act(EAST, "discard", "5m")
    assert table.legal(SOUTH) == {"chow 34m", "chow 46m", "chow 67m", "pass"}
    table.act(SOUTH, "chow", "34m")
    meld = table.sees(EAST)["seats"][SOUTH]["melds"][0]
    assert meld == {"kind": "chow", "tiles": "345m", "from": EAST, "tile": "5m"}
    assert table.sees(EAST)["seats"][EAST]["river"][-1]["taken"]


@ALL
def test_a_chow_does_not_reach_over_the_edge_of_a_suit(options):
    table = setup(options, {SOUTH: "8m12p258p258s1247z"}, "9m").act(EAST, "discard", "9m")
    assert table.state.turn == SOUTH


@ALL
def test_the_last_discard_can_only_be_won(options):
    table = setup(options, {EAST: EASTS, **ASKING}, "5m").left(0).act(EAST, "discard", "5m")
    assert table.asked() == {NORTH}
    assert table.legal(NORTH) == {"win", "pass"}
    table.act(NORTH, "pass")
    assert table.state.phase == "over"
    assert table.result["wins"] == []
    assert table.result["next_dealer"] == EAST


@ALL
def test_nobody_can_win_the_last_discard(options):
    table = setup(options, {EAST: EASTS, SOUTH: CHOWER, WEST: PONGER}, "5m").left(0).act(EAST, "discard", "5m")
    assert table.kinds == ["discarded", "ended"]
    assert table.points == [0, 0, 0, 0]


# 漏胡 and 漏碰.
TWO_WAITS = "67m111222333p55z"  # waits for 5m and 8m


def missed_win(options):
    """North lets East's 5m go; South then draws 8m, West 5m, North 9s, each to be thrown."""
    table = setup(options, {EAST: EASTS, NORTH: TWO_WAITS}, "5m" + "8m5m9s")
    return table.act(EAST, "discard", "5m").act(NORTH, "pass")


def test_classic_knows_no_missed_win():
    table = missed_win(CLASSIC).act(SOUTH, "discard", "8m")
    assert "win" in table.legal(NORTH)
    table.act(NORTH, "pass").act(WEST, "discard", "5m")
    assert "win" in table.legal(NORTH)
    assert table.sees(NORTH)["locks"] == {"pong": [], "win": None}


def test_baike_bars_the_same_kind_until_the_next_draw():
    table = missed_win(BAIKE)
    assert table.sees(NORTH)["locks"] == {"pong": [], "win": ["5m"]}
    table.act(SOUTH, "discard", "8m")
    assert "win" in table.legal(NORTH)
    table.act(NORTH, "pass").act(WEST, "discard", "5m")
    assert "win" not in table.legal(NORTH)
    if table.asked():
        table.act(NORTH, "pass")
    assert (table.state.turn, table.sees(NORTH)["locks"]) == (NORTH, {"pong": [], "win": None})


def test_tiantian_bars_every_win_on_another_until_the_next_draw():
    table = missed_win(TIAN)
    assert table.sent(NORTH)[0] == {"kind": "passed", "seat": NORTH, "do": "pass", "locks": {"pong": [], "win": "all"}}
    assert table.sees(SOUTH)["locks"] == {"pong": [], "win": None}
    table.act(SOUTH, "discard", "8m")
    assert "win" not in table.legal(NORTH)


def test_a_missed_win_does_not_bar_the_self_draw():
    table = setup(TIAN, {EAST: EASTS, NORTH: TWO_WAITS}, "5m" + "9s9p8m").act(EAST, "discard", "5m").act(NORTH, "pass")
    table.act(SOUTH, "discard", "9s").act(WEST, "discard", "9p")
    assert "win" in table.legal(NORTH)


# North may win on 5m (as the pair's third) or pong it.
WIN_OR_PONG = "55m111222333p55z"


@pytest.mark.parametrize(("options", "lock"), [(CLASSIC, None), (BAIKE, ["5m"]), (TIAN, "all")])
def test_a_pong_instead_of_the_win_is_a_miss(options, lock):
    table = setup(options, {EAST: EASTS, NORTH: WIN_OR_PONG}, "5m" + "9s").act(EAST, "discard", "5m")
    assert table.legal(NORTH) == {"win", "pong", "pass"}
    table.act(NORTH, "pong")
    assert table.sees(NORTH)["locks"]["win"] == lock
    table.act(NORTH, "discard", "5z")
    assert table.sees(NORTH)["locks"]["win"] == lock, "a pong is not a draw"


def test_a_claim_that_lost_to_a_higher_one_is_no_miss():
    # South claimed the best it had, the chow, and West's pong outranks it.
    table = asking(TIAN, {SOUTH: CHOWER, WEST: PONGER}).act(SOUTH, "chow", "46m").act(WEST, "pong")
    assert table.sees(SOUTH)["locks"] == {"pong": [], "win": None}


@pytest.mark.parametrize(("options", "allowed"), [(CLASSIC, True), (BAIKE, True), (TIAN, False)])
def test_a_missed_pong_bars_the_kind_until_the_next_draw(options, allowed):
    table = setup(options, {EAST: EASTS, NORTH: PONGER}, "5m" + "5m9s").act(EAST, "discard", "5m")
    table.act(NORTH, "pass").act(SOUTH, "discard", "5m")
    assert ("pong" in table.legal(NORTH)) is allowed
    assert table.sees(NORTH)["locks"]["pong"] == ([] if allowed else ["5m"])


def test_a_missed_pong_is_forgotten_after_a_draw():
    table = setup(TIAN, {EAST: EASTS, NORTH: PONGER}, "5m" + "9s9p8p5m").act(EAST, "discard", "5m").act(NORTH, "pass")
    table.act(SOUTH, "discard", "9s").act(WEST, "discard", "9p").act(NORTH, "discard", "8p")
    table.act(EAST, "discard", "5m")
    assert table.legal(NORTH) == {"pong", "pass"}


def test_a_chow_instead_of_the_pong_is_a_missed_pong():
    table = setup(TIAN, {EAST: EASTS, SOUTH: "4556m258p258s123z"}, "5m").act(EAST, "discard", "5m")
    table.act(SOUTH, "chow", "46m")
    assert table.sees(SOUTH)["locks"]["pong"] == ["5m"]


def test_the_direct_kong_stays_legal_after_a_missed_pong():
    hands = {EAST: "5m1788m77p1469s55z", SOUTH: "555m369p369s1234z"}
    table = setup(TIAN, hands, "6z" + "").act(EAST, "discard", "5m")
    assert table.legal(SOUTH) == {"pong", "kong", "pass"}
    table.state = table.state._replace(
        seats=(table.state.seats[0], table.state.seats[1]._replace(no_pong=(4,)), *table.state.seats[2:])
    )
    from liuzhou.rules.claims import discard_offers

    assert [action.do for action in discard_offers(table.state)[SOUTH]] == ["kong", "pass"]


# Swap-calling (tiantian): who chows 6m with 78m, 8m with 67m, 5m with 46m.
@pytest.mark.parametrize(
    ("own", "claimed", "forbidden"),
    [
        ("78m", "6m", {"6m", "9m"}),
        ("67m", "8m", {"8m", "5m"}),
        ("46m", "5m", {"5m"}),
        ("12m", "3m", {"3m"}),
        ("89m", "7m", {"7m"}),
        ("89p", "7p", {"7p"}),
        ("12s", "3s", {"3s"}),
    ],
)
def test_swap_calling_ban(own, claimed, forbidden):
    suit = claimed[1]
    held = {f"{rank}{suit}" for rank in "123456789"}
    spare = "".join(sorted(rank for rank in "123456789" if rank not in own))
    for options, banned in ((TIAN, forbidden), (BAIKE, set())):
        table = setup(options, {SOUTH: f"{own}{spare}{suit}1234z"}, claimed)
        table.act(EAST, "discard", claimed).act(SOUTH, "chow", own)
        assert table.discards(SOUTH) & held == {f"{rank}{suit}" for rank in spare} - banned
        assert set(table.sees(SOUTH)["banned"]) == banned
        assert table.sees(WEST)["banned"] == []


def test_a_ponged_tile_may_not_be_thrown_at_once():
    table = setup(TIAN, {EAST: "5m1788m77p1469s55z", WEST: "555m369p369s1234z"}, "6z").act(EAST, "discard", "5m")
    table.act(WEST, "pong")
    assert "5m" not in table.discards(WEST)
    table.act(WEST, "discard", "1z")
    assert table.sees(WEST)["banned"] == ["5m"]


def test_a_claim_without_a_legal_discard_is_not_offered():
    # South holds 78m and two 9m beside three melds: chowing 6m would leave only 9m to throw.
    table = setup(TIAN, {EAST: EASTS, SOUTH: "7899m258p258s123z"}, "6m")
    south = table.state.seats[SOUTH]
    three = tuple(table_meld(kind) for kind in (9, 12, 15))
    from liuzhou.rules.hand import pack
    from liuzhou.rules.tiles import parse_tiles

    bare = south._replace(suits=pack(parse_tiles("7899m"))[0], melds=three)
    table.state = table.state._replace(seats=(table.state.seats[0], bare, *table.state.seats[2:]))
    table.act(EAST, "discard", "6m")
    assert "chow 78m" not in table.legal(SOUTH)


def table_meld(kind):
    from liuzhou.rules.melds import Meld

    return Meld("chow", (kind, kind + 1, kind + 2), EAST, kind)


def test_two_players_chow_from_each_other():
    options = Options.parse("tiantian", {"players": 2})
    table = setup(options, {SOUTH: CHOWER}, "5m").act(EAST, "discard", "5m")
    assert "chow 46m" in table.legal(SOUTH)
    table.act(SOUTH, "chow", "46m").act(SOUTH, "discard", "1z")
    assert table.state.turn == EAST
