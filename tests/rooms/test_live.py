"""The real site over real sockets: refusals, repeats, reconnecting, a killed server, a table of bots."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.db.models.functions import Now
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from liuzhou.accounts import hooks
from liuzhou.accounts.models import User
from rooms import presence, records, services
from rooms.client import Player, Visitor
from rooms.history import hand_record, verify
from rooms.models import Action, Hand, Room
from rooms.trial import answers, free_port
from tests.rooms.conftest import visitor_for
from tests.rooms.test_services import full_room

SECONDS = 40


class Line:
    """A bare socket: sends what it is told, keeps what it hears."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[dict[str, Any]] = []

    async def send(self, frame: object) -> None:
        await self.socket.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))

    async def until(self, on: str, **values: object) -> dict[str, Any]:
        """The next frame of that kind with those values; what comes before it is kept in `heard`."""
        async with asyncio.timeout(SECONDS):
            while True:
                frame = json.loads(await self.socket.recv())
                self.heard.append(frame)
                if frame["on"] == on and all(frame.get(key) == value for key, value in values.items()):
                    return frame


def line(visitor: Visitor, code: str) -> Any:
    address = visitor.base.replace("http", "ws", 1) + f"/ws/r/{code}/"
    headers = {"Cookie": visitor.cookies(), "Origin": visitor.base}
    return connect(address, additional_headers=headers, ping_interval=None)


@pytest.fixture
def table(cast: list[User], site: str) -> tuple[Room, list[Visitor], list[User]]:
    """A full room, nobody ready yet; fishing off."""
    return full_room(cast), [visitor_for(user, site) for user in cast], cast


async def started(table: tuple[Room, list[Visitor], list[User]]) -> Hand:
    room, _, users = table
    for user in users[:4]:
        await sync_to_async(services.set_ready)(room_id=room.pk, user=user)
    return await Hand.objects.aget(room=room, state="running")


async def rows(hand: Hand) -> int:
    """The moves in the log; who is away is noted there too, and at these tables somebody always is."""
    return await Action.objects.filter(hand=hand).exclude(body__contains='"away"').acount()


async def test_bad_frames_get_their_code_and_change_nothing(table: Any) -> None:
    room, visitors, _ = table
    hand = await started(table)
    async with line(visitors[hand.dealer], room.code) as socket:
        here = Line(socket)
        sync = await here.until("sync")
        ask = sync["ask"]["ask"]
        for frame, code in [
            ("not json", "bad_json"),
            (b"\x00\x01", "not_text"),
            ("[1,2]", "bad_frame"),
            ({"do": "fly", "id": "1"}, "bad_frame"),
            ({"do": "act", "id": "2", "ask": ask, "action": {"do": "discard", "tile": "9x"}}, "illegal"),
            ({"do": "act", "id": "3", "ask": ask, "action": {"do": "discard"}}, "illegal"),
            ({"do": "act", "id": "4", "ask": ask, "action": {"do": "pong"}}, "illegal"),
            ({"do": "act", "id": "5", "ask": ask, "action": {"do": "discard", "tile": "1m", "seat": 2}}, "bad_frame"),
            ({"do": "act", "id": "6", "ask": "999", "action": sync["ask"]["actions"][0]}, "stale"),
            ({"do": "vote", "id": "7", "agree": True}, "no_vote"),
            ({"do": "ready", "id": "8"}, "not_waiting"),
            ({"do": "leave", "id": "9"}, "in_progress"),
            ({"do": "kick", "id": "10", "seat": 1}, None),
            ({"do": "say", "id": "11"}, "bad_say"),
            (json.dumps({"do": "say", "id": "12", "text": "x" * 5000}), "too_large"),
        ]:
            await here.send(frame)
            error = await here.until("error")
            assert error["code"] == code if code else error["code"] in ("not_owner", "in_progress")
            assert error["text"]
        assert await rows(hand) == 0
        await here.send({"do": "ping", "id": "still"})
        await here.until("pong", id="still")


async def test_only_the_seat_in_turn_can_act_and_nobody_names_a_seat(table: Any) -> None:
    room, visitors, _ = table
    hand = await started(table)
    async with line(visitors[(hand.dealer + 1) % 4], room.code) as socket:
        here = Line(socket)
        sync = await here.until("sync")
        assert sync["ask"] is None
        tile = sync["view"]["seats"][sync["you"]]["hand"][0] + "m"
        await here.send({"do": "act", "id": "1", "ask": "1", "action": {"do": "discard", "tile": tile}})
        assert (await here.until("error"))["code"] == "stale"
    assert await rows(hand) == 0


@pytest.mark.parametrize(("who", "code", "close"), [("outsider", "not_seated", 4403), ("guest", "signed_out", 4401)])
async def test_who_has_no_seat_is_told_so_and_hears_nothing(
    table: Any, site: str, who: str, code: str, close: int
) -> None:
    room, visitors, _ = table
    visitor = visitors[4] if who == "outsider" else Visitor(site)
    async with line(visitor, room.code) as socket:
        here = Line(socket)
        with pytest.raises(ConnectionClosed):
            await here.until("sync")
        assert [frame["code"] for frame in here.heard] == [code]
        assert socket.close_code == close


async def test_a_repeated_command_is_acknowledged_and_has_one_effect(table: Any) -> None:
    room, visitors, _ = table
    hand = await started(table)
    async with line(visitors[hand.dealer], room.code) as socket:
        here = Line(socket)
        ask = (await here.until("sync"))["ask"]
        command = {"do": "act", "id": "once", "ask": ask["ask"], "action": ask["actions"][0]}
        for _ in range(3):
            await here.send(command)
        for _ in range(3):
            await here.until("ack", id="once")
    assert await Action.objects.filter(hand=hand, ref="once").acount() == 1


async def test_reconnecting_gives_the_view_of_an_uninterrupted_client(table: Any) -> None:
    room, visitors, _ = table
    await started(table)
    players = [Player(visitor, room.code, seed=n) for n, visitor in enumerate(visitors[:4])]
    playing = [asyncio.create_task(player.play(1)) for player in players]
    for _ in range(8):
        await asyncio.wait([*playing, asyncio.create_task(asyncio.sleep(0.1))], return_when="FIRST_COMPLETED")
        if players[3].finished:
            break
        if players[3].socket is None or players[3].hand is None:
            continue
        before = (players[3].seq, players[3].hand, json.dumps(players[3].view, sort_keys=True))
        fold = await sync_to_async(records.load)(players[3].hand)
        if fold.seen[3] == before[0]:
            assert json.dumps(fold.view(3), sort_keys=True) == before[2]
        await players[3].socket.close()
    async with asyncio.timeout(60):
        await asyncio.gather(*playing)
    assert all(player.settled == players[0].settled or player.settled for player in players)


def children(of: str) -> list[int]:
    """The Daphne processes that serve this address."""
    port = of.rsplit(":", 1)[1]
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(b"daphne" in word for word in words) and port.encode() in words:
                found.append(int(entry.name))
    return found


async def test_kill_9_of_daphne_loses_nothing_acknowledged_and_asks_again(table: Any, site: str) -> None:
    room, visitors, _ = table
    hand = await started(table)
    async with line(visitors[hand.dealer], room.code) as socket:
        here = Line(socket)
        ask = (await here.until("sync"))["ask"]
        await here.send({"do": "act", "id": "kept", "ask": ask["ask"], "action": ask["actions"][0]})
        await here.until("ack", id="kept")
    fold = await sync_to_async(records.load)(hand.pk)
    asked = next(seat for seat in range(4) if fold.asks[seat] is not None)
    async with line(visitors[asked], room.code) as socket:
        question = (await Line(socket).until("sync"))["ask"]
        victims = children(site)
        assert victims
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            await Line(socket).until("never")
    async with asyncio.timeout(SECONDS):
        while not await asyncio.to_thread(answers, site):
            await asyncio.sleep(0.1)
    async with line(visitors[asked], room.code) as socket:
        again = (await Line(socket).until("sync"))["ask"]
        assert (again["ask"], again["actions"]) == (question["ask"], question["actions"])
    assert await Action.objects.filter(hand=hand, ref="kept").acount() == 1
    players = [Player(visitor, room.code) for visitor in visitors[:4]]
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.play(1) for player in players))
    await hand.arefresh_from_db()
    record = await sync_to_async(hand_record)(hand)
    assert verify(record) == []


async def test_bots_play_through_celery(cast: list[User], site: str) -> None:
    """At a practice table the three bots' moves come from the worker's alarms, over the channel layer, to this socket."""
    room = await sync_to_async(services.create_practice)(user=cast[0], options={"fish": "none"})
    async with line(visitor_for_sync(cast[0], site), room.code) as socket:
        here = Line(socket)
        await here.until("sync")
        await here.send({"do": "auto", "id": "a", "on": True})
        await here.until("event")
        seats = set()
        while not {1, 2, 3} <= seats:
            seats.add((await here.until("event"))["event"].get("seat"))
    hand = await Hand.objects.aget(room=room, state="running")
    origins = [row.origin async for row in Action.objects.filter(hand=hand, seat__gte=1)]
    assert origins
    assert set(origins) == {Action.Origin.HOUSE}


def visitor_for_sync(user: User, site: str) -> Visitor:
    """`visitor_for` from a coroutine: its session is written in a thread."""
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(visitor_for, user, site).result()


async def test_a_newer_socket_takes_the_seat_over(table: Any) -> None:
    room, visitors, _ = table
    async with line(visitors[0], room.code) as old:
        older = Line(old)
        await older.until("room")
        async with line(visitors[0], room.code) as new:
            newer = Line(new)
            await newer.until("sync")
            await older.until("error", id=None, code="elsewhere")
            await older.send({"do": "auto", "id": "1", "on": True})
            assert (await older.until("error", id="1"))["code"] == "elsewhere"
            await newer.send({"do": "say", "id": "2", "text": "我在这里"})
            await older.until("said", text="我在这里")  # it goes on watching its own view


async def test_who_watches_sees_what_the_player_sees_and_takes_over_by_coming_back(table: Any) -> None:
    room, visitors, _ = table
    hand = await started(table)
    mine = visitors[hand.dealer]
    async with line(mine, room.code) as old, line(mine, room.code) as new:
        older, newer = Line(old), Line(new)
        first, second = [await one.until("sync") for one in (older, newer)]
        assert first["view"] == second["view"]
        await older.until("error", code="elsewhere")
        answer = {"do": "act", "ask": second["ask"]["ask"], "action": second["ask"]["actions"][0]}
        await older.send(answer | {"id": "1"})
        assert (await older.until("error", id="1"))["code"] == "elsewhere"
        await newer.send(answer | {"id": "2"})
        for one in (older, newer):
            await one.until("event")
        await old.close()
        async with line(mine, room.code) as again:
            back = Line(again)
            await back.until("sync")
            await newer.until("error", code="elsewhere")
            await back.send({"do": "auto", "id": "3", "on": True})
            await back.until("ack", id="3")


async def test_who_watches_has_the_seat_again_when_the_newer_socket_is_gone(table: Any) -> None:
    """Also the socket that a client gave up on while it was being opened must not keep its only living one from playing."""
    room, visitors, _ = table
    async with line(visitors[0], room.code) as old:
        older = Line(old)
        await older.until("sync")
        async with line(visitors[0], room.code) as new:
            newer = Line(new)
            await newer.until("sync")
            await older.until("error", code="elsewhere")
            await older.send({"do": "ping", "id": "1"})
            await older.until("pong", id="1")
            await older.send({"do": "sync", "id": "2"})
            assert (await older.until("sync"))["watching"]
            await newer.send({"do": "say", "id": "3", "text": "我还在"})
            await newer.until("ack", id="3")
        while (await older.until("room"))["room"]["seats"][0]["online"]:
            pass
        await older.send({"do": "ping", "id": "4"})
        assert not (await older.until("sync"))["watching"]
        await older.send({"do": "say", "id": "5", "text": "回来了"})
        await older.until("ack", id="5")


async def test_who_missed_that_the_seat_was_opened_elsewhere_hears_of_it_by_its_ping(table: Any) -> None:
    room, visitors, _ = table
    async with line(visitors[0], room.code) as socket:
        here = Line(socket)
        await here.until("room")
        await sync_to_async(presence.arrive)(room.pk, 0, "a socket of another process")
        await here.send({"do": "ping", "id": "1"})
        await here.until("error", id=None, code="elsewhere")


async def test_chat_reaches_everybody_and_is_limited(table: Any) -> None:
    room, visitors, _ = table
    async with line(visitors[0], room.code) as first, line(visitors[1], room.code) as second:
        here, there = Line(first), Line(second)
        await here.until("sync")
        await there.until("sync")
        await here.send({"do": "say", "id": "1", "text": "  大家好  "})
        for listener in (here, there):
            assert (await listener.until("said"))["text"] == "大家好"
        for n in range(8):
            await here.send({"do": "say", "id": f"n{n}", "phrase": "hurry"})
        assert (await here.until("error"))["code"] == "too_fast"


async def test_spectators_see_the_public_view_alone_and_one_discard_late(cast: list[User], site: str) -> None:
    room = await sync_to_async(services.create_room)(
        user=cast[0], preset="classic", options={"fish": "none"}, spectators="delayed"
    )
    for user in cast[1:4]:
        await sync_to_async(services.join_room)(user=user, code=room.code)
    for user in cast[:4]:
        await sync_to_async(services.set_ready)(room_id=room.pk, user=user)
    outside = visitor_for_sync(cast[4], site)
    players = [Player(visitor_for_sync(user, site), room.code, seed=n) for n, user in enumerate(cast[:4])]
    async with line(outside, room.code) as socket:
        watcher = Line(socket)
        sync = await watcher.until("sync")
        assert (sync["you"], sync["ask"]) == (None, None)
        assert all(seat["hand"] is None for seat in sync["view"]["seats"])
        await watcher.send({"do": "act", "id": "1", "ask": "1", "action": {"do": "pass"}})
        assert (await watcher.until("error"))["code"] == "not_seated"
        discards: list[dict[str, Any]] = []

        def note(frame: dict[str, Any]) -> None:
            if frame["on"] == "event" and frame["event"]["kind"] == "discarded":
                discards.append(frame["event"])

        players[0].on_frame = note
        playing = [asyncio.create_task(player.play(1)) for player in players]
        seen: list[dict[str, Any]] = []
        while True:
            frame = await watcher.until("event")
            if frame["event"]["kind"] == "ended":
                break
            if frame["event"]["kind"] == "discarded":
                seen.append(frame["event"])
            assert frame["event"].get("tile") is None or frame["event"]["kind"] not in ("drew",)
        assert [(event["seat"], event["tile"]) for event in seen] == [(e["seat"], e["tile"]) for e in discards]
        await asyncio.gather(*playing)


@pytest.fixture
def second_site(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Another Daphne on the same database and Valkey, without worker or beat."""
    port = free_port()
    command = [sys.executable, "-m", "liuzhou.daphne", "-b", "127.0.0.1", "-p", str(port), "liuzhou.asgi:application"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: answers(url))
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


async def test_four_players_on_two_processes_play_one_table(cast: list[User], site: str, second_site: str) -> None:
    room = await sync_to_async(full_room)(cast)
    homes = (site, second_site, site, second_site)
    players = [Player(visitor_for_sync(user, home), room.code) for user, home in zip(cast, homes, strict=False)]
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.play(2) for player in players))
    hands = sorted(players[0].settled)
    assert len(hands) == 2
    for hand in [hand async for hand in Hand.objects.filter(pk__in=hands)]:
        assert verify(await sync_to_async(hand_record)(hand)) == []
        assert all(player.settled[hand.pk]["result"] == hand.settlement for player in players)


async def test_a_session_that_is_ended_loses_its_sockets(cast: list[User], site: str, second_site: str) -> None:
    room = await sync_to_async(full_room)(cast)
    for seat, home in enumerate((site, second_site)):
        async with line(visitor_for_sync(cast[seat], home), room.code) as socket:
            here = Line(socket)
            await here.until("sync")
            await sync_to_async(hooks.signed_out)(cast[seat].pk, None)
            with pytest.raises(ConnectionClosed):
                await here.until("never")
            assert socket.close_code == 4401


async def test_who_has_left_a_seat_hears_nothing_more_of_it(table: Any) -> None:
    room, visitors, users = table
    async with line(visitors[2], room.code) as left, line(visitors[0], room.code) as stayed:
        here, there = Line(left), Line(stayed)
        await here.until("room")
        await there.until("sync")
        await sync_to_async(services.kick)(room_id=room.pk, user=users[0], index=2)
        with pytest.raises(ConnectionClosed):
            await here.until("never")
        assert left.close_code == 4403
        while (await there.until("room"))["room"]["seats"][2] is not None:
            pass


def frozen(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def password_changed(user: User) -> None:
    user.set_password("another horse")
    user.save(update_fields=["password"])


def signed_out_everywhere(user: User) -> None:
    User.objects.filter(pk=user.pk).update(sessions_revoked_at=Now())


def session_deleted(user: User) -> None:
    for session in Session.objects.filter(expire_date__gt=Now()):
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


@pytest.mark.parametrize("end", [frozen, password_changed, signed_out_everywhere, session_deleted])
async def test_a_socket_does_not_outlive_its_session_whoever_forgot_to_say_so(table: Any, end: Any) -> None:
    """No message is sent here: the process finds it by itself, in time (5 s), and nobody else's socket is touched."""
    room, visitors, users = table
    async with line(visitors[0], room.code) as socket, line(visitors[1], room.code) as other:
        here, there = Line(socket), Line(other)
        await here.until("sync")
        await there.until("sync")
        await sync_to_async(end)(users[0])
        async with asyncio.timeout(5):
            with pytest.raises(ConnectionClosed):
                await here.until("never")
        assert here.socket.close_code == 4401
        await there.send({"do": "ping", "id": "1"})
        await there.until("pong", id="1")
