"""Settlements: every worked example of RULES 9, sanbi, kong points, fish, who pays, the next dealer."""

import pytest

from liuzhou.rules.errors import CaseError
from liuzhou.rules.fish import FOLLOWS
from liuzhou.rules.options import Options
from liuzhou.rules.score import Settlement
from liuzhou.rules.tiles import KIND
from tests.rules.tables import DRAW, discard, robbed, seat, self_draw, settled

CLASSIC = Options.parse("classic", {"fish": "none"})
POND = Options.parse("classic")
BAIKE = Options.parse("baike", {"fish": "none"})
TIANTIAN = Options.parse("tiantian", {"cap": "none"})

BASIC = "123456m789p23s55z"  # waits for 1s and 4s
ONE_OPEN = "123456m23s55z"  # the same beside one meld
BOND_WITH_1 = ("c123m1", "p555m1", "p777p1")  # three melds fed by seat 1
AFTER_BOND = "23s55z"


def lines(settlement: Settlement, kind: str) -> list[tuple[int, int, int]]:
    return sorted((p.payer, p.payee, p.points) for p in settlement.payments if p.kind == kind)


# --- RULES 9 ---


def test_example_1_two_winners_and_a_bond() -> None:
    """Bond 0–1, seat 3 discards, 0 (worth 6) and 1 (worth 1) win: 0 +11, 1 −4, 3 −7."""
    east = seat("9m", "p111m1", "p222m1", "c345m1", "p777m2")
    south = seat("78m456p789p234s55z")
    result = settled(CLASSIC, discard("9m", 3, 0, 1), east, south)
    assert [win.value for win in result.wins] == [6, 1]
    assert result.points == (11, -4, 0, -7)


def test_example_2_the_fish_of_a_loser_make_him_even() -> None:
    """Dealer 0; seat 1 owns fish 西 and 东; 0 wins from 2: seat 1 nets 0."""
    result = settled(POND, discard("1s", 2, 0), seat(BASIC), seat(pond="31z"))
    assert result.points == (2, 0, -2, 0)
    assert lines(result, "fish") == [(1, 0, 1), (2, 1, 1)]


def test_example_3_two_fish_that_follow_the_loser() -> None:
    """Seat 1 owns two 东; 0 discards to 2 and loses 2 points to him by the hand: seat 1 pays 4 to seat 2."""
    # a win of 1 and a kong point, both from seat 0
    winner = seat(ONE_OPEN, "d9999s0")
    result = settled(POND, discard("1s", 0, 2), seat(), seat(pond="11z"), winner)
    assert lines(result, "fish") == [(1, 2, 1)] * 4
    assert result.points == (-2, -4, 6, 0)


@pytest.mark.parametrize(
    ("melds", "index", "points"),
    [
        (("d1111z1",), 0, (7, -7, 0, 0)),
        (("a1111z1",), 0, (7, -3, -2, -2)),
        (("k1111z", "p999s2"), 0, (9, -3, -3, -3)),
        (("k1111z",), 0, (15, -5, -5, -5)),
    ],
)
def test_example_4_baike_kong_flower(melds: tuple[str, ...], index: int, points: tuple[int, ...]) -> None:
    hand = ONE_OPEN if len(melds) == 1 else "123m23s55z"
    result = settled(BAIKE, self_draw("1s", 0, after_kong=index), seat(hand, *melds))
    assert result.points == points
    assert result.wins[0].types == ("kong_flower",)


def test_example_5_baike_bond_and_self_draw() -> None:
    result = settled(BAIKE, self_draw("1s", 0), seat(AFTER_BOND, *BOND_WITH_1))
    assert result.points == (5, -3, -1, -1)


def test_example_6_tiantian_uncapped() -> None:
    flush = "1112223334445m"
    assert settled(TIANTIAN, self_draw("5m", 0), seat(flush)).points == (12, -4, -4, -4)
    assert settled(TIANTIAN, discard("5m", 2, 0), seat(flush)).points == (6, 0, -6, 0)


# --- who pays, RULES 5 ---


@pytest.mark.parametrize(
    ("options", "meld", "points"),
    [
        (CLASSIC, "d1111z2", (7, 0, -7, 0)),
        (CLASSIC, "a1111z2", (7, 0, -7, 0)),
        (CLASSIC, "k1111z", (9, -3, -3, -3)),
        (TIANTIAN, "d1111z2", (7, 0, -7, 0)),
        (TIANTIAN, "a1111z2", (7, -2, -3, -2)),
        (TIANTIAN, "k1111z", (9, -3, -3, -3)),
    ],
)
def test_kong_flower(options: Options, meld: str, points: tuple[int, ...]) -> None:
    assert settled(options, self_draw("1s", 0, after_kong=0), seat(ONE_OPEN, meld)).points == points


def test_after_several_kongs_the_last_decides() -> None:
    winner = seat("123m23s55z", "d1111z2", "k2222z")
    assert settled(TIANTIAN, self_draw("1s", 0, after_kong=1), winner).points == (10, -3, -4, -3)
    assert settled(TIANTIAN, self_draw("1s", 0, after_kong=0), winner).points == (10, -1, -8, -1)


def test_robbed_kong_is_paid_like_a_discard_and_has_no_kong_point() -> None:
    result = settled(TIANTIAN, robbed("1s", 1, 0), seat(BASIC), seat("123m456p789s7z", "p111s2"))
    assert result.points == (3, -3, 0, 0)
    assert result.wins[0].types == ("robbed_kong",)


def test_a_winner_must_win() -> None:
    with pytest.raises(CaseError) as caught:
        settled(CLASSIC, discard("9m", 1, 0), seat(BASIC))
    assert caught.value.code == "no_win"


# --- sanbi, RULES 6 ---


def test_a_partner_pays_once_more_and_twice_as_the_discarder() -> None:
    winner = seat(AFTER_BOND, *BOND_WITH_1)
    for options in (CLASSIC, BAIKE, TIANTIAN):
        assert settled(options, discard("1s", 2, 0), winner).points == (2, -1, -1, 0)
        assert settled(options, discard("1s", 1, 0), winner).points == (2, -2, 0, 0)


def test_the_bond_holds_both_ways_and_is_one() -> None:
    feeder_wins = settled(TIANTIAN, discard("1s", 2, 0), seat(BASIC), seat("1m3p5s7z", "c123m0", "p555m0", "p777p0"))
    assert feeder_wins.points == (2, -1, -1, 0)
    # both directions at once
    mutual = settled(
        TIANTIAN, discard("1s", 2, 0), seat(AFTER_BOND, *BOND_WITH_1), seat("1m3p5s7z", "c123p0", "p888m0", "p999p0")
    )
    assert mutual.points == (2, -1, -1, 0)
    # partners of the discarder pay nothing: the bond 1–2 does not touch the winner
    assert settled(
        TIANTIAN, discard("1s", 2, 0), seat(BASIC), seat("1m3p5s7z", "c123m2", "p555m2", "p777p2")
    ).points == (1, 0, -1, 0)


def test_which_melds_count() -> None:
    direct = seat(AFTER_BOND, "c123m1", "p555m1", "d7777p1")
    assert settled(CLASSIC, discard("1s", 2, 0), direct).points == (2, -1, -1, 0)  # the kong point alone
    assert settled(BAIKE, discard("1s", 2, 0), direct).points == (3, -2, -1, 0)
    added = seat(AFTER_BOND, "c123m1", "p555m1", "a7777p1")
    for options in (CLASSIC, BAIKE, TIANTIAN):
        assert settled(options, discard("1s", 2, 0), added).points == (3, -2, -1, 0)
    concealed = seat(AFTER_BOND, "c123m1", "p555m1", "k7777p")
    assert settled(TIANTIAN, discard("1s", 2, 0), concealed).points == (4, -1, -2, -1)


def test_self_draw_with_a_bond() -> None:
    winner = seat(AFTER_BOND, *BOND_WITH_1)
    assert settled(CLASSIC, self_draw("1s", 0), winner).points == (3, -3, 0, 0)
    assert settled(TIANTIAN, self_draw("1s", 0), winner).points == (5, -3, -1, -1)
    two = Options.parse("tiantian", {"players": 2})
    assert settled(two, self_draw("1s", 0), winner).points == (3, -3)


def test_kong_flower_with_a_bond_counts_as_a_discard() -> None:
    melds = ("c123m1", "p555m1", "p777p1")
    fed_by_partner = seat("5z", *melds, "d9999s1")
    result = settled(TIANTIAN, self_draw("5z", 0, after_kong=3), fed_by_partner)
    assert result.wins[0].types == ("all_melded", "kong_flower")
    assert result.points == (25, -25, 0, 0)  # 3 × 4 twice, and the kong
    fed_by_other = seat("5z", *melds, "d9999s2")
    assert settled(TIANTIAN, self_draw("5z", 0, after_kong=3), fed_by_other).points == (25, -12, -13, 0)
    # classic: the feeder of an added kong alone, and the bond does not shield him
    added = seat("5z", *melds, "a9999s2")
    assert settled(CLASSIC, self_draw("5z", 0, after_kong=3), added).points == (13, -6, -7, 0)


def test_each_winner_is_settled_alone() -> None:
    east, north = seat(AFTER_BOND, *BOND_WITH_1), seat("456m789p123p23s66z")
    result = settled(TIANTIAN, discard("1s", 2, 0, 3), east, seat(), seat(), north)
    assert [win.seat for win in result.wins] == [3, 0]
    assert result.points == (2, -1, -2, 1)


# --- kong points, RULES 7.1 ---


def test_kong_points_stand_in_a_drawn_hand() -> None:
    result = settled(TIANTIAN, DRAW, seat("1m", "d1111z1"), seat("1m", "a2222z2"), seat("1m", "k3333z"))
    assert lines(result, "kong") == [(0, 2, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1), (3, 2, 1)]
    assert result.points == (0, -1, 2, -1)
    assert result.wins == ()


# --- pond fish, RULES 7.2 ---


def test_which_seat_a_tile_follows() -> None:
    rows = [("159", "17"), ("26", "26"), ("37", "35"), ("48", "4")]
    for offset, (ranks, honors) in enumerate(rows):
        assert {FOLLOWS[KIND[rank + suit]] for rank in ranks for suit in "mps"} == {offset}
        assert {FOLLOWS[KIND[honor + "z"]] for honor in honors} == {offset}


def test_fish_follow_from_the_dealer_on() -> None:
    # dealer 2: 3p follows the seat opposite, seat 0, who wins 1 from seat 1
    result = settled(POND, discard("1s", 1, 0), seat(BASIC), seat(), seat(pond="3p"), dealer=2)
    assert result.points == (1, -2, 1, 0)


def test_a_fish_that_follows_its_own_seat() -> None:
    won = settled(POND, discard("1s", 1, 0), seat(BASIC, pond="1m"), seat())
    assert won.points == (2, -2, 0, 0)
    lost = settled(POND, discard("1s", 1, 0), seat(BASIC), seat(pond="2m"))
    assert lost.points == (2, -2, 0, 0)


def test_owner_and_counterparty_the_same_is_nothing() -> None:
    # the payer owns a fish of the winner; the winner owns a fish of the payer
    result = settled(POND, discard("1s", 1, 0), seat(BASIC, pond="2m"), seat(pond="1m"))
    assert result.points == (1, -1, 0, 0)
    assert lines(result, "fish") == []


def test_fish_earn_from_kongs_too_but_not_from_fish() -> None:
    result = settled(POND, DRAW, seat("1m", "k1111z"), seat(), seat(pond="1m"))
    # seat 0 gets 1 from each; the fish of seat 2 follows it: 1 more from seats 1 and 3 to seat 2
    assert result.points == (3, -2, 1, -2)


# --- flip fish, RULES 7.3 ---


def flip(fish: str, wall: str, count: int = 2, players: int = 4, dealer: int = 0, winner: int = 0) -> tuple[int, int]:
    options = Options.parse("tiantian", {"fish": fish, "fish_count": count, "players": players})
    seats = [seat() for _ in range(players)]
    seats[winner] = seat(BASIC)
    result = settled(options, discard("1s", (winner + 1) % players, winner), *seats, dealer=dealer, wall=wall)
    return result.wins[0].fish, result.points[winner]


def test_159() -> None:
    assert flip("159", "1m5p9s", 3) == (3, 4)
    assert flip("159", "1z7z5z2m", 4) == (2, 3)
    assert flip("159", "2m1m1m", 1) == (0, 1)
    assert flip("159", "", 5) == (0, 1)


def test_follow() -> None:
    assert flip("follow", "1m1z", 2, dealer=0, winner=0) == (2, 3)
    assert flip("follow", "6m6z", 2, dealer=3, winner=0) == (2, 3)
    assert flip("follow", "7m5z", 2, dealer=2, winner=0) == (2, 3)
    assert flip("follow", "8m4z", 2, dealer=1, winner=0) == (2, 3)
    assert flip("follow", "8m4z3m", 3, players=3, dealer=0, winner=2) == (2, 3)  # three players: 上家
    assert flip("follow", "2m2z3m", 3, players=3, dealer=0, winner=1) == (2, 3)
    assert flip("follow", "3m3z2m", 3, players=2, dealer=0, winner=1) == (2, 3)  # two players: 对家
    assert flip("follow", "1m7z2m", 3, players=2, dealer=1, winner=1) == (2, 3)


def test_bomb() -> None:
    assert flip("bomb", "9m") == (9, 10)
    assert flip("bomb", "7z9m") == (5, 6)
    assert flip("bomb", "") == (0, 1)


def test_several_winners_turn_in_order_of_play_until_the_wall_is_empty() -> None:
    options = Options.parse("tiantian", {"fish": "159", "fish_count": 3})
    east, west, north = seat(BASIC), seat("456m789p123p23s66z"), seat("456m789p234p23s77z")
    result = settled(options, discard("1s", 1, 0, 3, 2), east, seat(), west, north, wall="1m2m5p9s3s")
    assert [(win.seat, win.fish, len(win.flipped)) for win in result.wins] == [(2, 2, 3), (3, 1, 2), (0, 0, 0)]
    assert result.points == (1, -6, 3, 2)
    assert result.next_dealer == 1


def test_fish_multiply_win_and_sanbi_but_not_kongs() -> None:
    options = Options.parse("tiantian", {"fish": "bomb", "base": 10})
    winner = seat("5z", *BOND_WITH_1, "d9999s2")
    result = settled(options, self_draw("5z", 0), winner, wall="4m")
    # all_melded: 2 each, the partner 6, times 5; the kong point of seat 2 once
    assert result.points == (51, -30, -11, -10)
    assert result.score == (510, -300, -110, -100)


def test_a_turned_red_is_red_among_wilds() -> None:
    options = Options.parse("tiantian", {"fish": "159", "fish_count": 1, "wild_red": True})
    assert settled(options, discard("1s", 1, 0), seat(BASIC), wall="7z").wins[0].fish == 1


# --- the next dealer, RULES 8 ---


@pytest.mark.parametrize(
    ("options", "after"), [(CLASSIC, (2, 2, 2, 1)), (BAIKE, (2, 1, 1, 1)), (TIANTIAN, (2, 2, 1, 1))]
)
def test_next_dealer(options: Options, after: tuple[int, int, int, int]) -> None:
    """Seat 1 discards and deals: one winner, two, three, none."""
    seats = seat(BASIC), seat(), seat("456m789p123p23s66z"), seat("456m789p234p23s77z")
    for winners, dealer in zip([(2,), (0, 2), (3, 0, 2)], after, strict=False):
        assert settled(options, discard("1s", 1, *winners), *seats, dealer=1).next_dealer == dealer
    assert settled(options, DRAW, *seats, dealer=1).next_dealer == after[3]


def test_self_draw_and_robbery_decide_the_dealer_too() -> None:
    assert settled(BAIKE, self_draw("1s", 3), seat(), seat(), seat(), seat(BASIC)).next_dealer == 3
    seats = seat(BASIC), seat(), seat("456m789p123p23s66z"), seat("456m789p234p23s77z")
    assert settled(TIANTIAN, robbed("1s", 1, 0, 2, 3), *seats, dealer=0).next_dealer == 1
