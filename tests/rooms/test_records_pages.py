"""战绩: what a settlement says of a hand, the list with filters and pages, statistics; what an account takes along."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from liuzhou.accounts import leaving
from liuzhou.accounts.days import SHANGHAI, day_of
from liuzhou.accounts.errors import StillSeated
from liuzhou.accounts.models import User
from liuzhou.rules.events import Won
from rooms import chat, losses, my_records, record_charts, records, services, table
from rooms.models import Hand, Played, Room, Said, Seat
from rooms.my_records import Tally, Wanted
from rooms.outcomes import by_own_draw, looked_up, outcome, settled_by_log
from tests.rooms.test_history import client
from tests.rooms.test_services import full_room
from tests.rooms.test_table import HOUR
from tests.rules.playing import all_options, hand, seeds

DAY = timedelta(days=1)


@given(all_options, seeds)
@settings(max_examples=60, deadline=None)
def test_how_a_hand_ended_is_read_off_its_settlement(options: Any, seed: int) -> None:
    won: Won | None = None
    for _before, _action, state, events in hand(options, seed):
        won = next((event for event in events if isinstance(event, Won)), won)
        after = state
    result = after.settlement.as_json()
    drawn = by_own_draw(result, options)
    if drawn is None:
        assert options.players == 2
    else:
        assert drawn == (won is not None and won.source < 0)
    outcomes = [outcome(result, seat, options) for seat in range(options.players)]
    assert [seat for seat, one in enumerate(outcomes) if one.won] == sorted(won.seats if won else ())
    assert [one.points for one in outcomes] == result["points"]
    assert sum(one.fish for one in outcomes) == 0
    if drawn is not None:
        fed = [seat for seat, one in enumerate(outcomes) if one.dealt_in]
        assert fed == ([won.source] if won is not None and won.source >= 0 else [])


def play(room: Room, cast: list[User]) -> Hand:
    """One hand of the room to its end, as bots that want to win would play it."""
    players = room.options["players"]
    for user in cast[:players]:
        services.set_ready(room_id=room.pk, user=user)
    running = room.hands.get(state="running")
    running.setup["bots"] = ["greedy"] * players
    running.save(update_fields=["setup"])
    table.expire(running.pk, records.database_now() + HOUR)
    return Hand.objects.get(pk=running.pk)


@pytest.fixture
def room(cast: list[User]) -> Room:
    """A room with two hands played."""
    made = full_room(cast)
    play(made, cast)
    play(made, cast)
    return Room.objects.get(pk=made.pk)


def test_two_players_are_told_by_the_log(cast: list[User]) -> None:
    opened = services.create_room(user=cast[0], preset="tiantian", options={"players": 2, "fish": "none"})
    services.join_room(user=cast[1], code=opened.code)
    seen = set()
    for _ in range(4):
        done = play(opened, cast)
        options = my_records._options(done)
        assert looked_up(done.pk) == looked_up(done.pk)
        for seat in (0, 1):
            found = settled_by_log(outcome(done.settlement, seat, options), done.pk)
            assert None not in (found.drawn, found.dealt_in)
        winners = [win["seat"] for win in done.settlement["wins"]]
        if winners:
            loser = settled_by_log(outcome(done.settlement, 1 - winners[0], options), done.pk)
            assert loser.dealt_in != looked_up(done.pk)
            seen.add(by_own_draw(done.settlement, options))
    assert seen, "four hands of bots that want to win, and nobody did"
    found = my_records.statistics(user=cast[0], wanted=Wanted())
    assert found.total.hands == 4


def test_the_list_shows_the_room_its_hands_and_everybodys_sums(room: Room, cast: list[User]) -> None:
    page = my_records.page(user=cast[1], wanted=Wanted())
    (sheet,) = page.sheets
    assert (sheet.code, sheet.kind, sheet.preset) == (room.code, "room", "classic")
    assert [line.number for line in sheet.lines] == [2, 1]
    scores = list(Played.objects.filter(user=cast[1]).order_by("-hand_id").values_list("score", flat=True))
    assert [line.amount for line in sheet.lines] == scores
    assert sheet.total == sum(scores)
    assert sheet.players == list(Seat.objects.filter(room=room).order_by("index").values_list("name", "score"))
    assert page.older is None
    assert my_records.page(user=cast[4], wanted=Wanted()).sheets == []


def test_who_left_keeps_the_hands_that_were_played(room: Room, cast: list[User]) -> None:
    Seat.objects.filter(room=room, index=1).delete()
    assert len(my_records.page(user=cast[1], wanted=Wanted()).sheets[0].lines) == 2
    assert client(cast[1]).get(f"/hands/{room.hands.first().pk}/record.json").status_code in (200, 404)


def test_pages_follow_each_other_without_a_gap(room: Room, cast: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        play(room, cast)
    monkeypatch.setattr(my_records, "PAGE", 3)
    first = my_records.page(user=cast[0], wanted=Wanted())
    rest = my_records.page(user=cast[0], wanted=Wanted(), before=first.older)
    numbers = [line.number for page in (first, rest) for sheet in page.sheets for line in sheet.lines]
    assert numbers == [4, 3, 2, 1]
    assert rest.older is None
    assert rest.sheets[0].total == first.sheets[0].total  # the room's, not the page's


def moved(room: Room, moment: datetime) -> None:
    room.hands.filter(ended_at__isnull=False).update(ended_at=moment)


@pytest.mark.parametrize(
    ("moment", "day"),
    [("2026-12-01T23:59:59.999999+08:00", "2026-12-01"), ("2026-12-02T00:00:00+08:00", "2026-12-02")],
)
def test_a_day_is_shanghais(room: Room, cast: list[User], moment: str, day: str) -> None:
    moved(room, datetime.fromisoformat(moment))
    on = date.fromisoformat(day)

    def hands(**wanted: Any) -> int:
        return sum(len(sheet.lines) for sheet in my_records.page(user=cast[0], wanted=Wanted(**wanted)).sheets)

    assert hands(since=on, until=on) == 2
    assert hands(until=on - DAY) == hands(since=on + DAY) == 0


def test_filters_by_preset_and_kind(room: Room, cast: list[User]) -> None:
    practice = services.create_practice(user=cast[4])
    table.expire(practice.hands.get(state="running").pk, records.database_now() + HOUR)
    for user, kind, preset, count in (
        (cast[0], "room", "", 2),
        (cast[0], "", "classic", 2),
        (cast[0], "coins", "", 0),
        (cast[0], "", "baike", 0),
        (cast[4], "practice", "", 1),
        (cast[4], "room", "", 0),
    ):
        assert my_records.played(user, Wanted(kind=kind, preset=preset)).count() == count
    assert my_records.statistics(user=cast[4], wanted=Wanted()).total.hands == 0
    assert my_records.statistics(user=cast[4], wanted=Wanted(kind="practice")).total.hands == 1


def test_statistics_are_the_sum_of_the_hands(room: Room, cast: list[User]) -> None:
    everybody = [my_records.statistics(user=user, wanted=Wanted()) for user in cast[:4]]
    results = [one.settlement for one in room.hands.filter(state="settled")]
    assert [found.total.hands for found in everybody] == [2] * 4
    assert sum(found.total.wins for found in everybody) == sum(len(result["wins"]) for result in results)
    assert sum(found.total.points for found in everybody) == 0
    for found in everybody:
        assert found.presets["classic"] == found.total
        assert found.course[0] == 0
        assert found.course[-1] == found.total.points
        assert found.total.dealt_in + found.total.wins <= 2


def test_rates_of_nothing_are_nothing() -> None:
    empty = Tally()
    assert empty.rates == {"wins": 0.0, "drawn": 0.0, "dealt_in": 0.0}
    assert (empty.average_value, empty.average_fish) == (0.0, 0.0)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=2000))
def test_the_line_stays_inside_its_frame(steps: list[int]) -> None:
    sums = [0]
    for step in steps:
        sums.append(sums[-1] + step)
    chart = record_charts.course(sums)
    assert chart is not None
    points = [tuple(map(float, pair.split(","))) for pair in chart.line.split()]
    assert len(points) <= record_charts.MOST_POINTS
    assert all(chart.left <= x <= chart.right and record_charts.TOP <= y <= chart.base for x, y in points)
    assert points[-1] == chart.end
    assert 2 <= len(chart.ticks) <= 8
    assert record_charts.course(sums[:1]) is None


def test_the_pages_show_it_and_hold_to_the_content_policy(room: Room, cast: list[User]) -> None:
    web = client(cast[0])
    page = web.get("/records/")
    html = page.content.decode()
    assert f"房间 {room.code}" in html
    for played in room.hands.filter(state="settled"):
        assert f'href="/hands/{played.pk}/"' in html
    statistics = web.get("/records/statistics/").content.decode()
    assert "<polyline" in statistics
    assert "经典" in statistics
    for text in (html, statistics):
        assert " style=" not in text
        assert "<style" not in text
        assert "<script>" not in text
    english = web.get("/records/", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert 'lang="en"' in english


@pytest.mark.parametrize(
    "query", ["since=x", "preset=poker", "kind=1", "before=0", "before=x", "since=2026-12-02&until=2026-12-01"]
)
def test_a_filter_that_is_none_is_explained(cast: list[User], query: str) -> None:
    for path in ("/records/", "/records/statistics/"):
        answer = client(cast[0]).get(f"{path}?{query}")
        assert answer.status_code == 400


def test_strangers_are_asked_to_sign_in() -> None:
    for path in ("/records/", "/records/statistics/", "/leaderboard/"):
        assert Client().get(path)["Location"].startswith("/accounts/login/")


def test_an_unsettled_hand_is_listed_without_a_figure(cast: list[User]) -> None:
    opened = full_room(cast)
    for user in cast[:4]:
        services.set_ready(room_id=opened.pk, user=user)
    services.ask_dissolve(room_id=opened.pk, user=cast[0])
    for user in cast[1:4]:
        services.vote(room_id=opened.pk, user=user, agree=True)
    (sheet,) = my_records.page(user=cast[0], wanted=Wanted()).sheets
    assert (sheet.lines[0].amount, sheet.lines[0].outcome, sheet.total) == (None, None, 0)
    assert "中途解散" in client(cast[0]).get("/records/").content.decode()
    assert my_records.statistics(user=cast[0], wanted=Wanted()).total.hands == 0


def test_losses_are_of_today_and_gains_count_against_them(room: Room, cast: list[User]) -> None:
    parts = list(Played.objects.filter(user=cast[0]).order_by("hand_id"))
    noon = datetime(2026, 12, 2, 12, tzinfo=SHANGHAI)
    midnight = noon.replace(hour=0)
    for part, coins, at in zip(parts, (-700, 200), (midnight, noon), strict=True):
        Played.objects.filter(pk=part.pk).update(coins=coins)
        Hand.objects.filter(pk=part.hand_id).update(ended_at=at)
    assert losses.lost_today(user_id=cast[0].pk, now=noon) == 500
    Hand.objects.filter(pk=parts[0].hand_id).update(ended_at=midnight - timedelta(microseconds=1))
    assert losses.lost_today(user_id=cast[0].pk, now=noon) == -200
    assert losses.lost_today(user_id=cast[0].pk, now=noon + DAY) == 0
    assert losses.lost_today(user_id=cast[4].pk, now=noon) == 0


PASSWORD = "correct horse"


def test_an_account_is_not_closed_from_a_table(room: Room, cast: list[User]) -> None:
    with pytest.raises(StillSeated) as refused:
        leaving.close_account(user=cast[0], password=PASSWORD)
    assert room.code in refused.value.zh
    assert User.objects.get(pk=cast[0].pk).is_active


def test_what_rooms_know_is_exported_and_erased(cast: list[User]) -> None:
    opened = services.create_room(user=cast[0], preset="classic", options={"fish": "none"}, hands=4)
    for user in cast[1:4]:
        services.join_room(user=user, code=opened.code)
    chat.say(room_id=opened.pk, user=cast[0], kind="text", body="大家好")
    chat.say(room_id=opened.pk, user=cast[1], kind="text", body="你好")
    for _ in range(4):
        play(opened, cast)
    found = json.loads(json.dumps(leaving.exported(user=cast[0])))
    assert len(found["hands"]) == 4
    assert [one["body"] for one in found["chat"]] == ["大家好"]
    assert found["rooms"][0]["code"] == opened.code
    leaving.close_account(user=cast[0], password=PASSWORD)
    assert list(Said.objects.filter(room=opened).values_list("body", flat=True)) == ["你好"]
    names = set(Played.objects.filter(hand__room=opened, index=0).values_list("name", flat=True))
    assert names == {"已注销"}
    assert Seat.objects.get(room=opened, index=0).name == "已注销"
    sheet = my_records.page(user=cast[1], wanted=Wanted()).sheets[0]
    assert sheet.players[0][0] == "已注销"
    assert day_of(records.moment(records.database_now()))
