"""A real site: freezing, forcing out and a changed password close the player's sockets within five seconds, also when the
message about it was lost; a session that has ended opens none; and the hand they sat in is played on."""

# ruff: noqa: F811 - the rooms' tests lend their fixtures

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from websockets.exceptions import ConnectionClosed

from liuzhou.accounts import hooks, standing
from liuzhou.accounts.models import User
from rooms import broadcast, services
from rooms.client import Visitor
from rooms.models import Hand
from tests.rooms.conftest import cast, make_user, site, visitor_for  # noqa: F401
from tests.rooms.test_live import Line, line
from tests.rooms.test_services import full_room
from tests.staff import make

WITHIN = 5.0


def change_password(user: User) -> None:
    """On the page, from another browser."""
    browser = Client()
    browser.force_login(user)
    words = {"oldpassword": "correct horse", "password1": "ein ganz neues", "password2": "ein ganz neues"}
    assert browser.post("/accounts/password/change/", words).status_code == 302


DEEDS = {
    "freeze": lambda user, by: standing.freeze(user=user, by=by, reason="举报"),
    "sign-out": lambda user, by: standing.sign_out(user=user, by=by, reason="举报"),
    "password": lambda user, by: change_password(user),
}


@pytest.fixture
def admin(real_db: None) -> User:
    return make("admin")


async def signed_in(cast: list[User], site: str) -> list[Visitor]:
    return [await sync_to_async(visitor_for)(user, site) for user in cast[:4]]


@pytest.mark.parametrize("lost", [False, True], ids=["told", "message lost"])
@pytest.mark.parametrize("deed", list(DEEDS))
async def test_sockets_close(
    cast: list[User],
    site: str,
    admin: User,
    deed: str,
    lost: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if lost:
        monkeypatch.setattr(hooks, "_signed_out", [])
    else:
        monkeypatch.setattr(hooks, "_signed_out", [broadcast.signed_out])
    room = await sync_to_async(full_room)(cast)
    victim, visitors = cast[1], await signed_in(cast, site)
    async with line(visitors[1], room.code) as theirs, line(visitors[0], room.code) as others:
        await Line(theirs).until("sync")
        stays = Line(others)
        await stays.until("sync")
        await sync_to_async(DEEDS[deed])(victim, admin)
        async with asyncio.timeout(WITHIN):
            await theirs.wait_closed()
        assert theirs.close_code == 4401
        await stays.send({"do": "ping", "id": "still"})
        await stays.until("pong", id="still")
    # The cookie they still have opens nothing.
    async with line(visitors[1], room.code) as again:
        with pytest.raises(ConnectionClosed):
            await Line(again).until("sync")
        assert again.close_code == 4401


async def test_a_frozen_players_hand_is_played_on_by_托管(cast: list[User], site: str, admin: User) -> None:
    room = await sync_to_async(full_room)(cast)
    for user in cast[:4]:
        await sync_to_async(services.set_ready)(room_id=room.pk, user=user)
    hand = await Hand.objects.aget(room=room, state="running")
    visitors = await signed_in(cast, site)
    victim = hand.dealer
    async with line(visitors[victim], room.code) as theirs, line(visitors[(victim + 1) % 4], room.code) as others:
        await Line(theirs).until("sync")
        seen = Line(others)
        await seen.until("sync")
        await sync_to_async(standing.freeze)(user=cast[victim], by=admin, reason="举报")
        # Away after its socket is gone: five seconds instead of fifteen and the bank, and the tile is discarded for it.
        async with asyncio.timeout(20):
            event: dict[str, Any] = {}
            while event.get("kind") != "discarded":
                event = (await seen.until("event"))["event"]
        assert event["seat"] == victim
    fresh = await Hand.objects.aget(pk=hand.pk)
    assert fresh.state == "running"
