"""The rooms' pages through Django: forms and their refusals, room codes that cannot be guessed, the coin lobby, QR codes."""

from __future__ import annotations

import pytest
from django.test import Client

from liuzhou.accounts.models import User
from rooms import services
from rooms.models import Room
from rooms.presence import client as valkey


def client(user: User) -> Client:
    made = Client(REMOTE_ADDR=f"10.1.{user.pk // 250 % 250}.{user.pk % 250}")
    made.force_login(user)
    return made


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"preset": "classic", "fish": "pond"}, {"fish": "pond"}),
        ({"preset": "classic", "fish": "pond", "cap": "none", "players": "4"}, {"fish": "pond"}),
        (
            {
                "preset": "tiantian",
                "players": "3",
                "fish": "159",
                "fish_count": "5",
                "cap": "none",
                "wild_red": "on",
                "base": "5",
            },
            {"players": 3, "fish": "159", "fish_count": 5, "cap": "none", "wild_red": True, "base": 5},
        ),
        ({"preset": "baike"}, {"fish": "pond"}),
    ],
)
def test_a_room_is_opened_with_the_options_of_its_preset(
    cast: list[User], fields: dict[str, str], options: dict[str, object]
) -> None:
    answer = client(cast[0]).post("/rooms/new/", {"hands": "8", "pay": "split", **fields})
    room = Room.objects.get(owner=cast[0])
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/r/{room.code}/")
    assert options.items() <= room.options.items()
    assert (room.hands_total, room.pay, room.price) == (8, "split", 2)


@pytest.mark.parametrize(
    "fields",
    [
        {"preset": "nothing"},
        {"preset": "classic", "fish": "bomb"},
        {"preset": "tiantian", "fish": "pond"},
        {"preset": "tiantian", "fish": "159", "fish_count": "11"},
        {"preset": "tiantian", "players": "5"},
        {"preset": "tiantian", "hands": "3"},
        {"preset": "tiantian", "pay": "nobody"},
        {},
    ],
)
def test_bad_options_come_back_with_the_form_and_open_nothing(cast: list[User], fields: dict[str, str]) -> None:
    answer = client(cast[0]).post("/rooms/new/", {"hands": "4", **fields})
    assert answer.status_code == 400
    assert "error" in answer.content.decode()
    assert not Room.objects.filter(owner=cast[0]).exists()


def test_ten_misses_and_one_has_to_wait(cast: list[User]) -> None:
    visitor = client(cast[0])
    room = services.create_room(user=cast[1], preset="classic", options={})
    codes = [code for code in (f"{n:06d}" for n in range(900_000, 900_030)) if code != room.code]
    for code in codes[:10]:
        assert visitor.post("/rooms/join/", {"code": code}).status_code == 400
    refused = visitor.post("/rooms/join/", {"code": room.code})
    assert refused.context["error_code"] == "too_many_misses"
    assert room.seats.count() == 1
    assert 0 < valkey().ttl(f"misses:user:{cast[0].pk}") <= 600


def test_a_malformed_code_is_no_miss(cast: list[User]) -> None:
    visitor = client(cast[0])
    for _ in range(12):
        assert visitor.post("/rooms/join/", {"code": "12"}).context["error_code"] == "bad_code"


def test_from_the_lobby_to_a_coin_table_in_two_taps(cast: list[User]) -> None:
    visitor = client(cast[0])
    page = visitor.get("/lobby/").content.decode()
    assert "底注" in page
    assert "你的场次" in page
    answer = visitor.post("/lobby/join/", {"preset": "classic"})
    room = Room.objects.get(seats__user=cast[0])
    assert answer.headers["Location"] == f"/r/{room.code}/"
    assert room.stake == 100
    assert visitor.post("/lobby/join/", {"preset": "baike"}).headers["Location"] == f"/r/{room.code}/"
    services.leave_room(room_id=room.pk, user=cast[0])
    assert visitor.post("/lobby/join/", {"preset": "poker"}).status_code == 302
    assert visitor.post("/lobby/change/").status_code == 302
    assert not Room.objects.filter(seats__user=cast[0], status__in=Room.OPEN).exists()


def test_the_link_is_a_qr_code(cast: list[User]) -> None:
    answer = client(cast[0]).get("/r/123456/qr.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in answer.content
    assert client(cast[0]).get("/r/abc/qr.svg").status_code == 404
    assert Client().get("/r/123456/qr.svg").status_code == 302
