"""Leaderboards: days and weeks of Shanghai, equal ranks, opting out, the week's big hands."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta

import pytest
from django.core.cache import cache
from django.db import connection

from ledger import services as ledger
from ledger import standings
from ledger.services import COIN, POINT, Line
from liuzhou.accounts import profile
from liuzhou.accounts.days import SHANGHAI, database_now, day_of, start_of
from liuzhou.accounts.models import User
from rooms import rankings, services
from rooms.history import share_key
from rooms.models import Hand, Room
from tests.rooms.test_history import client
from tests.rooms.test_records_pages import play
from tests.rooms.test_services import full_room

DAY = timedelta(days=1)
BIG = 10**9  # more than any other test's players have


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def points(user: User, amount: int, kind: str = "settlement") -> int:
    """Move 积分 as a hand's settlement would; the entry's number."""
    lines = [
        Line(ledger.system("penalty", POINT), -amount),
        Line(ledger.wallet(owner_ref=user.pk, currency=POINT), amount),
    ]
    hand = uuid.uuid4().int % 2**62 if kind in ("settlement", "void") else None
    return ledger.post(kind=kind, key=f"test:{uuid.uuid4()}", lines=lines, reason="test", hand=hand).id


def today() -> date:
    return day_of(database_now())


def own(user: User, period: str = "all") -> tuple[int, int] | None:
    place = rankings.board(period=period, today=today(), viewer=user).own
    return (place.rank, place.points) if place else None


def test_more_points_come_first_and_equal_ones_share_a_rank(cast: list[User]) -> None:
    for user, amount in zip(cast[:4], (3 * BIG, 2 * BIG, 2 * BIG, BIG), strict=True):
        points(user, amount)
    places = rankings.board(period="day", today=today()).places
    mine = [place for place in places if place.user in cast]
    first = mine[0].rank
    assert [place.rank - first for place in mine] == [0, 1, 1, 3]
    assert {place.user for place in mine[1:3]} == {cast[1], cast[2]}
    assert own(cast[3]) == (mine[3].rank, BIG)
    assert own(cast[4]) is None


def test_only_what_hands_move_counts_and_a_reversal_takes_it_back(cast: list[User]) -> None:
    points(cast[0], 500)
    points(cast[0], -100, "penalty")
    points(cast[0], -40, "void")
    points(cast[0], 10**12, "issue")
    assert own(cast[0])[1] == 360
    cache.clear()
    undone = points(cast[0], 7_000)
    ledger.reverse(key=f"test:{uuid.uuid4()}", entry=undone, actor=None, reason="test")
    issued = points(cast[0], 9_000, "issue")
    ledger.reverse(key=f"test:{uuid.uuid4()}", entry=issued, actor=None, reason="test")
    assert own(cast[0])[1] == 360


def test_coins_are_no_points(cast: list[User]) -> None:
    lines = [Line(ledger.system("mint", COIN), -5), Line(ledger.wallet(owner_ref=cast[0].pk, currency=COIN), 5)]
    ledger.post(kind="settlement", key=f"test:{uuid.uuid4()}", lines=lines, hand=10**15 + cast[0].pk)
    assert own(cast[0]) is None


def test_periods_begin_at_midnight_and_on_monday() -> None:
    sunday = date(2026, 12, 6)
    assert rankings.since("day", sunday) == datetime(2026, 12, 6, tzinfo=SHANGHAI)
    assert rankings.since("week", sunday) == datetime(2026, 11, 30, tzinfo=SHANGHAI)
    assert rankings.since("week", sunday + DAY) == datetime(2026, 12, 7, tzinfo=SHANGHAI)
    assert rankings.since("all", sunday) is None


def test_what_was_before_does_not_count(cast: list[User]) -> None:
    points(cast[0], 50)
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(at) FROM ledger.entry")
        (last,) = cursor.fetchone()

    def counted(since: datetime) -> bool:
        return cast[0].pk in dict(standings.gains(currency=POINT, kinds=rankings.KINDS, since=since))

    assert counted(last)
    assert not counted(last + timedelta(microseconds=1))


def test_who_opts_out_is_gone_at_once_and_takes_no_rank(cast: list[User]) -> None:
    for user, amount in ((cast[0], 5 * BIG), (cast[1], 4 * BIG)):
        points(user, amount)
    before = own(cast[1])
    profile.show_in_rankings(user=cast[0], shown=False)
    assert own(cast[0]) is None
    assert own(cast[1])[0] == before[0] - 1
    assert cast[0] not in [place.user for place in rankings.board(period="all", today=today()).places]
    page = client(cast[0]).get("/leaderboard/").content.decode()
    assert "你没有参加排行榜" in page
    profile.show_in_rankings(user=cast[0], shown=True)
    assert own(cast[1]) == before


def test_ones_own_place_is_told_far_below(cast: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankings, "SHOWN", 1)
    points(cast[0], 9 * BIG)
    points(cast[1], -9 * BIG)
    board = rankings.board(period="all", today=today(), viewer=cast[1])
    assert len(board.places) == 1
    assert board.own is not None
    assert board.own.rank > 1
    assert "我的名次" in client(cast[1]).get("/leaderboard/?by=all").content.decode()


@pytest.fixture
def won(cast: list[User]) -> Hand:
    """A hand of a private room, made the week's biggest."""
    hand = play(full_room(cast), cast)
    result = hand.settlement
    result["wins"] = [
        {"seat": 2, "types": ["all_pungs", "full_flush"], "concealed": False, "last_tile": False, "value": BIG,
         "fish": 0, "flipped": []}
    ]  # fmt: skip
    Hand.objects.filter(pk=hand.pk).update(settlement=result)
    hand.refresh_from_db()
    return hand


def biggest(hand: Hand) -> rankings.BigHand | None:
    cache.clear()
    return next((one for one in rankings.big_hands(today=today()) if one.hand == hand.pk), None)


def test_the_weeks_big_hands(won: Hand, cast: list[User]) -> None:
    shown = biggest(won)
    assert shown is not None
    assert (shown.rank, shown.user, shown.value, shown.preset) == (1, cast[2], BIG, "classic")
    assert shown.key == share_key(won.pk)
    page = client(cast[4]).get("/leaderboard/?by=hands").content.decode()
    assert "对对胡 清一色" in page
    assert f"/hands/{won.pk}/?k={share_key(won.pk)}" in page
    Hand.objects.filter(pk=won.pk).update(ended_at=start_of(today() - timedelta(days=today().weekday())) - DAY)
    assert biggest(won) is None


def test_a_big_hand_without_its_winner_is_not_shown_and_with_a_shy_loser_not_opened(
    won: Hand, cast: list[User]
) -> None:
    profile.show_in_rankings(user=cast[0], shown=False)
    assert biggest(won).key == ""
    profile.show_in_rankings(user=cast[2], shown=False)
    assert biggest(won) is None


def test_practice_makes_no_big_hands(won: Hand) -> None:
    Room.objects.filter(pk=won.room_id).update(practice=True)
    assert biggest(won) is None


def test_the_page_for_an_unknown_tab_is_todays(cast: list[User], make_user: Callable[[str], User]) -> None:
    answer = client(cast[0]).get("/leaderboard/?by=year")
    assert answer.context["tab"] == "day"
    assert " style=" not in answer.content.decode()
    assert services.seat_of(cast[0]) is None
