"""Rooms in Django admin: to look at, and voiding a hand with a reason. Nobody sees a running hand's secret."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from liuzhou.accounts.models import User
from rooms import services
from rooms.models import Hand
from tests.rooms.test_services import running
from tests.staff import signed_in


def staff(user: User, *permissions: str) -> Client:
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return signed_in(User.objects.get(pk=user.pk))


def test_a_hand_is_voided_with_a_reason_and_once(cast: list[User]) -> None:
    hand = running(cast).hands.get(state="running")
    client = staff(cast[4], "view_hand", "void_hand")
    address = f"/admin/rooms/hand/{hand.pk}/void/"
    assert "作废这一局" in client.get(f"/admin/rooms/hand/{hand.pk}/change/").content.decode()
    assert client.post(address, {"reason": " "}).status_code == 200
    assert Hand.objects.get(pk=hand.pk).state == "running"
    assert client.post(address, {"reason": "机器故障"}).status_code == 302
    assert Hand.objects.get(pk=hand.pk).void_reason == "机器故障"
    assert "已经结束" in client.post(address, {"reason": "机器故障"}).content.decode()


def test_without_the_right_nothing_is_voided(cast: list[User]) -> None:
    hand = running(cast).hands.get(state="running")
    client = staff(cast[4], "view_hand")
    assert client.post(f"/admin/rooms/hand/{hand.pk}/void/", {"reason": "x"}).status_code == 403
    assert Hand.objects.get(pk=hand.pk).state == "running"


def test_no_admin_page_shows_a_running_hands_secret(cast: list[User]) -> None:
    hand = running(cast).hands.get(state="running")
    client = staff(cast[4], "view_hand", "view_room", "void_hand")
    secret = bytes(hand.secret).hex()
    for address in (
        f"hand/{hand.pk}/change/",
        "hand/",
        f"room/{hand.room_id}/change/",
        "room/",
        f"hand/{hand.pk}/void/",
    ):
        page = client.get(f"/admin/rooms/{address}")
        assert page.status_code == 200
        assert secret not in page.content.decode()
        assert repr(bytes(hand.secret)) not in page.content.decode()


@pytest.mark.parametrize(("words", "shown"), [([], "臭牌"), (["臭"], "＊牌")])
def test_the_operators_words_are_masked_in_chat(
    cast: list[User], settings: pytest.FixtureRequest, words: list[str], shown: str
) -> None:
    settings.CHAT_WORDS, settings.CHAT_FILTER = words, ""
    services.chat_filter.cache_clear()
    room = services.create_room(user=cast[0], preset="classic", options={})
    assert services.say(room_id=room.pk, user=cast[0], kind="text", body="臭牌").body == shown
    services.chat_filter.cache_clear()
