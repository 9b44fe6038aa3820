"""Rooms in the admin: watching shows what everybody sees, the log is whole when the hand is over; prices keep their past."""

# ruff: noqa: F811 - the rooms' tests lend their fixtures

import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.db.models.functions import Now
from django.test import Client

from ledger import selectors
from ledger.services import COIN
from liuzhou.accounts import standing
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from liuzhou.values.models import Change
from rooms import records, services, table, watching
from rooms.fold import SPECTATOR
from rooms.models import Hand, Price, Room
from tests.rooms.conftest import cast, make_user  # noqa: F401
from tests.rooms.test_coin_tables import begin, players, seated  # noqa: F401
from tests.rooms.test_services import running
from tests.rooms.test_table import play_one
from tests.staff import make, signed_in

HOUR = 3_600_000


@pytest.fixture
def client(real_db: None) -> Client:
    return signed_in(make("admin", "operations.watch_room", "rooms.view_room", "rooms.view_hand", "rooms.void_hand"))


@pytest.fixture
def hand(cast: list[User]) -> Hand:
    return running(cast).hands.get(state="running")


def play_some(hand: Hand) -> None:
    """A few moves: discards, and whatever is claimed of them."""
    fold = records.load(hand.pk)
    for _ in range(8):
        seat = next(seat for seat in range(4) if fold.asks[seat] is not None)
        fold = play_one(fold, seat)


def test_watching_shows_the_public_view_and_no_hidden_tile(client: Client, hand: Hand) -> None:
    play_some(hand)
    page = client.get(f"/admin/rooms/room/{hand.room_id}/watch/").content.decode()
    fold = records.load(hand.pk)
    view = watching.watch(Room.objects.get(pk=hand.room_id)).view
    assert view == fold.view(SPECTATOR)
    assert [seat["hand"] for seat in view["seats"]] == [None] * 4
    shown = set(re.findall(r"#t-(\w+)", page))
    open_tiles = {one["tile"] for seat in view["seats"] for one in seat["river"]}
    melds = "".join(meld["tiles"] or "" for seat in view["seats"] for meld in seat["melds"])
    assert shown <= open_tiles | {f"{rank}{suit}" for suit in "mpsz" for rank in "123456789" if suit in melds} | {
        "back"
    }
    assert open_tiles <= shown
    assert "手牌" in page
    fresh = Hand.objects.get(pk=hand.pk)
    assert bytes(fresh.secret).hex() not in page


def test_a_page_that_renews_itself_is_kept_once_in_ten_minutes(client: Client, hand: Hand) -> None:
    for _ in range(3):
        assert client.get(f"/admin/rooms/room/{hand.room_id}/watch/").status_code == 200
    assert Trail.objects.filter(action="room-watch", subject=f"rooms.room:{hand.room_id}").count() == 1
    assert not Trail.objects.filter(action="page-view", subject=f"rooms_room_watch:{hand.room_id}").exists()


def test_the_log_of_a_running_hand_is_what_onlookers_were_sent(client: Client, hand: Hand) -> None:
    play_some(hand)
    steps = list(watching.public_log(hand))
    assert steps
    assert {step.what for step in steps} <= {
        "discarded", "drew", "melded", "kong_declared", "robbed", "auto", "away", "dealt", "fished", "fish_ended", "won", "ended"
    }  # fmt: skip
    assert all("tile=" not in step.detail for step in steps if step.what == "drew")
    with pytest.raises(ValueError, match="not over"):
        list(watching.whole_log(hand))
    page = client.get(f"/admin/rooms/hand/{hand.pk}/log/").content.decode()
    assert "只有人人都看得到的事件" in page
    assert Trail.objects.filter(action="hand-log", subject=f"rooms.hand:{hand.pk}").exists()


def test_permuting_what_nobody_sees_changes_nothing_that_is_shown(client: Client, hand: Hand) -> None:
    """Another secret deals other tiles: before a tile lies open the pages are the same."""
    pages = []
    for secret in (b"1" * 32, b"2" * 32):
        Hand.objects.filter(pk=hand.pk).update(secret=secret)
        table.cache.forget(hand.pk)
        body = client.get(f"/admin/rooms/room/{hand.room_id}/watch/").content.decode()
        pages.append(re.sub(r'nonce="[^"]*"|csrfmiddlewaretoken" value="[^"]*"', "", body))
    assert pages[0] == pages[1]


def test_the_log_of_a_finished_hand_is_whole(client: Client, hand: Hand) -> None:
    table.expire(hand.pk, records.database_now() + HOUR)
    hand.refresh_from_db()
    steps = list(watching.whole_log(hand))
    assert [step.seq for step in steps] == list(range(1, hand.seq + 1))
    rows = records.log_of(hand.pk)
    assert [step.what for step in steps] == [msgspec.json.decode(row.body)["do"] for row in rows]
    assert "完整记录" in client.get(f"/admin/rooms/hand/{hand.pk}/log/").content.decode()


def test_a_hand_that_never_began_has_no_log(client: Client, cast: list[User]) -> None:
    room = services.create_room(user=cast[0], preset="classic", options={})
    pending = room.hands.get()
    assert "没有记录" in client.get(f"/admin/rooms/hand/{pending.pk}/log/").content.decode()
    page = client.get(f"/admin/rooms/room/{room.pk}/watch/").content.decode()
    assert page.count("空位") == 3
    assert client.get(f"/admin/rooms/room/{room.pk}/change/").status_code == 200


def test_voiding_is_kept(client: Client, hand: Hand) -> None:
    assert client.post(f"/admin/rooms/hand/{hand.pk}/void/", {"reason": "机器故障"}).status_code == 302
    assert Trail.objects.get(action="hand-void", subject=f"rooms.hand:{hand.pk}").detail == {"reason": "机器故障"}


def test_staff_who_look_at_a_finished_hand_leave_a_trail(client: Client, hand: Hand) -> None:
    table.expire(hand.pk, records.database_now() + HOUR)
    assert client.get(f"/hands/{hand.pk}/").status_code == 200
    assert Trail.objects.filter(action="hand-view", detail__path=f"/hands/{hand.pk}/").exists()


def test_each_needs_its_right(hand: Hand) -> None:
    client = signed_in(make("reader", "rooms.view_room", "rooms.view_hand"))
    assert client.get(f"/admin/rooms/room/{hand.room_id}/watch/").status_code == 403
    assert client.get(f"/admin/rooms/hand/{hand.pk}/log/").status_code == 403


@pytest.mark.django_db
def test_a_price_changes_with_a_reason_and_keeps_its_past() -> None:
    boss = make("boss", "rooms.view_price", "rooms.change_price")
    client, price = signed_in(boss), Price.objects.get(hands=8)
    page = "/admin/rooms/price/8/change/"
    before: Any = price.cards
    assert client.post(page, {"cards": before + 1}).status_code == 200
    assert client.post(page, {"cards": "-1", "reason": "x"}).status_code == 200
    price.refresh_from_db()
    assert price.cards == before
    assert client.post(page, {"cards": before + 1, "reason": "节日"}).status_code == 302
    kept = Change.objects.get(name="price.8")
    assert (kept.old, kept.new, kept.reason, kept.by) == (before, before + 1, "节日", boss)
    assert "节日" in client.get(page).content.decode()
    assert Trail.objects.get(action="price-change").detail == {"old": before, "new": before + 1, "reason": "节日"}
    assert signed_in(make("reader", "rooms.view_price")).post(page, {"cards": 1, "reason": "x"}).status_code == 403


def test_a_frozen_player_gets_up_from_a_coin_table_with_all_coins(players: list[User]) -> None:
    """The running hand is settled with them; then they are not ready, and a frozen wallet still receives."""
    room = seated(players)
    hand = begin(room, players)
    by = make("admin")
    standing.freeze(user=players[1], by=by, reason="举报")
    assert not table.expire(hand.pk, records.database_now() + HOUR).running
    hand.refresh_from_db()
    assert hand.state == Hand.State.SETTLED
    for user in (players[0], players[2], players[3]):
        services.set_ready(room_id=room.pk, user=user)
    held = room.seats.get(user=players[1]).coins
    Room.objects.filter(pk=room.pk).update(next_at=Now() - timedelta(minutes=1))
    services.start_overdue(room_id=room.pk)
    assert not room.seats.filter(user=players[1]).exists()
    assert selectors.wallet_balances(owner_ref=players[1].pk)[COIN] == held
    assert room.seats.count() == 3
