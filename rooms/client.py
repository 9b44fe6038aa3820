"""A player as a program: signs up over HTTP, plays over the real socket, knows only what its seat is sent.

`manage.py selfplay`, the benches and the fault tests stand on it; it is also the example for third-party bots.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from liuzhou.rules import bots
from liuzhou.rules.actions import action_json, parse_action
from liuzhou.rules.view import reduce

TIMEOUT = 30


class Refused(Exception):
    """The site answered with an error page: its status and the sentence on it."""


class Visitor:
    """A browser's cookies and forms, without the browser. Blocking; `asyncio.to_thread` is the caller's business."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")
        self.jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, path: str) -> tuple[str, str]:
        """The address reached and the page there."""
        return self._open(urllib.request.Request(self.base + path))  # noqa: S310 - http(s) by construction

    def post(self, path: str, **fields: object) -> tuple[str, str]:
        """Send a form with its CSRF token; the address reached after redirects and the page there."""
        token = self.cookie("csrftoken") or (self.get("/accounts/login/"), self.cookie("csrftoken"))[1]
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        headers = {"Referer": self.base + path}
        return self._open(urllib.request.Request(self.base + path, body, headers))  # noqa: S310

    def _open(self, request: urllib.request.Request) -> tuple[str, str]:
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                return urllib.parse.urlparse(answer.url).path, answer.read().decode()
        except urllib.error.HTTPError as error:
            raise Refused(f"{request.full_url}: {error.code}") from error

    def cookie(self, name: str) -> str:
        return next((cookie.value or "" for cookie in self.jar if cookie.name == name), "")

    def cookies(self) -> str:
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def sign_up(self, username: str) -> None:
        password = secrets.token_urlsafe(18)
        where, _ = self.post("/accounts/signup/", username=username, password1=password, password2=password)
        if "signup" in where:
            raise Refused(f"signing up {username}: the form came back")


@dataclass
class Watch:
    """What a table's four players measure together: from an action's sending to the last seat that saw it (seconds)."""

    players: int
    latencies: list[float] = field(default_factory=list)
    acts: int = 0
    _open: dict[tuple[int, str], tuple[float, set[int]]] = field(default_factory=dict)

    def sent(self, seat: int, do: str) -> None:
        self._open[(seat, do)] = (time.perf_counter(), set())

    def seen(self, by: int, seat: int, do: str) -> None:
        began, seats = self._open.get((seat, do), (0.0, set()))
        if not began:
            return
        seats.add(by)
        if len(seats) == self.players:
            self.latencies.append(time.perf_counter() - began)
            del self._open[(seat, do)]


class Player:
    """One seat of one room: keeps its view by the events alone, answers each question by `skill`."""

    def __init__(
        self, visitor: Visitor, code: str, *, skill: str = "greedy", watch: Watch | None = None, seed: int | None = None
    ) -> None:
        self.visitor, self.code, self.skill = visitor, code, skill
        self.watch = watch
        self.random = random.Random(seed)  # noqa: S311 - which tile a bot discards is no secret
        self.view: dict[str, Any] | None = None
        self.room: dict[str, Any] = {}
        self.seat, self.hand, self.seq = -1, None, 0
        self.settled: dict[int, dict[str, Any]] = {}
        self.errors: list[dict[str, Any]] = []
        self.acked: list[tuple[int, str]] = []  # (hand, id) of the game's actions
        self.hands_wanted = 0
        self._sent: dict[str, int] = {}
        self._ids = (f"{secrets.token_hex(4)}-{n}" for n in itertools.count(1))
        self.socket: ClientConnection | None = None
        self.on_frame: Callable[[dict[str, Any]], None] | None = None
        self._step = self._answered = ""

    async def play(self, hands: int) -> None:
        """Play until `hands` hands are settled, then help to close the room; reconnects as often as it must."""
        self.hands_wanted = hands
        while not self.finished:
            try:
                await self._session()
            except (ConnectionClosed, OSError):
                await asyncio.sleep(0.2)

    @property
    def finished(self) -> bool:
        return self.room.get("status") in ("done", "dissolved")

    @property
    def enough(self) -> bool:
        return len(self.settled) >= self.hands_wanted

    async def _session(self) -> None:
        address = self.visitor.base.replace("http", "ws", 1) + f"/ws/r/{self.code}/"
        headers = {"Cookie": self.visitor.cookies(), "Origin": self.visitor.base}
        self._step = self._answered = ""
        async with connect(address, additional_headers=headers, max_size=2**20, ping_interval=None) as self.socket:
            pinging = asyncio.create_task(self._ping())
            try:
                async for text in self.socket:
                    await self.hear(json.loads(text))
                    if self.finished:
                        return
            finally:
                pinging.cancel()

    async def _ping(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(2.5)
                await self.send({"do": "ping"})

    async def send(self, frame: dict[str, Any]) -> str:
        ident = next(self._ids)
        if self.socket is not None:
            await self.socket.send(json.dumps({**frame, "id": ident}))
        return ident

    async def hear(self, frame: dict[str, Any]) -> None:
        if self.on_frame is not None:
            self.on_frame(frame)
        handler = getattr(self, f"_on_{frame['on']}", None)
        if handler is not None:
            await handler(frame)

    async def _on_sync(self, frame: dict[str, Any]) -> None:
        self.seat, self.hand, self.seq, self.view = frame["you"], frame["hand"], frame["seq"], frame["view"]
        if frame["settled"]:
            await self._on_settled(frame["settled"])
        await self._on_room(frame)
        if frame["ask"]:
            await self._answer(frame["ask"])

    async def _on_room(self, frame: dict[str, Any]) -> None:
        self.room = frame["room"]
        if self.finished:
            return
        mine = self.room["seats"][self.seat]
        step = f"{self.room['status']} {self.room['hands_played']} {self.enough} {self.room['dissolve'] is not None}"
        if mine is None or step == self._step:
            return
        self._step = step
        if self.enough:
            await self._close()
        elif self.room["status"] in ("waiting", "between") and not mine["ready"]:
            await self.send({"do": "ready", "nonce": secrets.token_hex(16)})

    async def _close(self) -> None:
        """Enough hands played: the first seat asks to dissolve, the others agree."""
        vote = self.room["dissolve"]
        if vote is None and self.seat == 0:
            await self.send({"do": "dissolve"})
        elif vote is not None and self.seat not in vote["agreed"]:
            await self.send({"do": "vote", "agree": True})

    async def _on_event(self, frame: dict[str, Any]) -> None:
        if frame["hand"] != self.hand or self.view is None:
            return
        if frame["seq"] != self.seq + 1:
            await self.send({"do": "sync"})
            return
        self.seq = frame["seq"]
        event = frame["event"]
        self.view = reduce(self.view, event)
        if self.watch is not None and event["kind"] == "discarded":
            self.watch.seen(self.seat, event["seat"], "discard")

    async def _on_ask(self, frame: dict[str, Any]) -> None:
        if frame["hand"] == self.hand and frame["actions"] and frame["ask"] != self._answered:
            await self._answer(frame)

    async def _answer(self, ask: dict[str, Any]) -> None:
        self._answered = ask["ask"]
        legal = [parse_action(self.seat, action) for action in ask["actions"]]
        action = action_json(getattr(bots, self.skill)(self.view, legal, self.random))
        if self.watch is not None:
            self.watch.acts += 1
            self.watch.sent(self.seat, str(action["do"]))
        ident = await self.send({"do": "act", "ask": ask["ask"], "action": action})
        self._sent[ident] = self.hand or 0

    async def _on_ack(self, frame: dict[str, Any]) -> None:
        if frame["id"] in self._sent:
            self.acked.append((self._sent.pop(frame["id"]), frame["id"]))

    async def _on_error(self, frame: dict[str, Any]) -> None:
        self.errors.append(frame)
        if self._sent.pop(frame["id"], None) is not None and frame["code"] != "stale":
            await self.send({"do": "sync"})  # the question is still open; after `stale` the server syncs by itself

    async def _on_settled(self, frame: dict[str, Any]) -> None:
        self.settled[frame["hand"]] = frame
        if self.enough and not self.finished and self.seat == 0:
            self._step = ""
