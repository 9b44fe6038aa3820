"""Players for a site that is being hurt: they come back by the other Daphne, send again what was not answered, and misbehave
when told to. What they were told and promised is what the audit holds against the database."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from liuzhou.rules import bots
from liuzhou.rules.actions import action_json, parse_action
from rooms.client import Player, Visitor

RESEND_SECONDS = 1.5
# What a site in trouble may answer a player who does nothing wrong.
ALLOWED = {"stale", "busy", "fish_taken", "too_fast", "elsewhere", "no_vote", "vote_open", "not_waiting", "hand_over"}
ALLOWED |= {"no_hand", "room_closed", "in_progress", "escape_price", "below_bracket", "not_seated"}


class Trap:
    """Lets a fault strike at the moment an action of some kind is on its way."""

    def __init__(self) -> None:
        self._armed: dict[str, list[Callable[[ChaosPlayer], None]]] = {}

    def arm(self, kind: str, strike: Callable[[ChaosPlayer], None]) -> None:
        """`strike(player)` once, when the next action of that kind (a phase, or `win`) has just been sent, or is about to
        be (`before win`)."""
        self._armed.setdefault(kind, []).append(strike)

    def sprung(self, kind: str, player: ChaosPlayer) -> bool:
        strikes = self._armed.pop(kind, [])
        for strike in strikes:
            strike(player)
        return bool(strikes)


@dataclass
class Wire:
    """What happens to one player's frames."""

    drop_out: float = 0.0
    drop_in: float = 0.0
    copies: int = 1
    two_clicks: bool = False


@dataclass
class Evidence:
    """What the audit needs of all players together."""

    acked: set[tuple[int, str]] = field(default_factory=set)
    poison: set[str] = field(default_factory=set)  # ids of frames that must have no effect
    pairs: list[tuple[str, str]] = field(default_factory=list)  # ids of which at most one may have had an effect
    wrong: list[str] = field(default_factory=list)
    settled: dict[int, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    reconnects: int = 0


class ChaosPlayer(Player):
    """A seat that keeps playing, whatever happens to the site."""

    def __init__(
        self, visitor: Visitor, code: str, homes: list[str], trap: Trap, evidence: Evidence, rng: random.Random
    ) -> None:
        super().__init__(visitor, code, seed=rng.randrange(2**32))
        self.homes, self.trap, self.evidence = homes, trap, evidence
        self.wire = Wire()
        self.leaves = False  # gets up when there are enough hands, instead of having the room dissolved
        self.out = False  # the seat is not ours any more
        self.lazy = False  # goes into 托管 and leaves its questions to the clock
        self._slept: int | None = None
        self.think = (0.01, 0.1)
        self.question: dict[str, Any] | None = None
        self.open: dict[str, dict[str, Any]] = {}  # acts that were neither acknowledged nor refused yet
        self.old: list[dict[str, Any]] = []  # frames sent before, to be sent again when they are stale
        self.zombies: list[ClientConnection] = []
        self._hang = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    # -- the connection ------------------------------------------------------------------------------------------------

    async def play(self, hands: int) -> None:
        self.hands_wanted = hands
        while not self.finished:
            with contextlib.suppress(WebSocketException, OSError, EOFError):
                await self._session()
            self.evidence.reconnects += 1
            await asyncio.sleep(self.random.uniform(0.05, 0.4))
        for task in list(self._tasks):
            task.cancel()
        self.bury()

    @property
    def finished(self) -> bool:
        return self.out or super().finished

    async def _session(self) -> None:
        self.visitor.base = self.random.choice(self.homes)
        self._step = self._answered = ""
        self.question = None
        self._hang.clear()
        address = self.visitor.base.replace("http", "ws", 1) + f"/ws/r/{self.code}/"
        headers = {"Cookie": self.visitor.cookies(), "Origin": self.visitor.base}
        socket = self.socket = await connect(
            address, additional_headers=headers, max_size=2**20, ping_interval=None, open_timeout=8, close_timeout=1
        )
        helpers = [asyncio.create_task(self._ping()), asyncio.create_task(self._resend())]
        reading = asyncio.create_task(self._read(socket))
        hanging = asyncio.create_task(self._hang.wait())
        try:
            await asyncio.wait([reading, hanging], return_when=asyncio.FIRST_COMPLETED)
            if self._hang.is_set() and not reading.done():
                socket.transport.pause_reading()  # half open: the server is not told that nobody is there any more
                self.zombies.append(socket)
                return
            await reading
        finally:
            self.socket = None
            for task in (*helpers, reading, hanging):
                task.cancel()
            if socket not in self.zombies:
                await socket.close()

    async def _read(self, socket: ClientConnection) -> None:
        async for text in socket:
            if self.random.random() >= self.wire.drop_in:
                await self.hear(json.loads(text))
            if self.finished:
                return

    def hang_up_silently(self) -> None:
        """Leave the socket open, unread, and come back by another."""
        self._hang.set()

    def bury(self) -> None:
        for socket in self.zombies:
            socket.transport.abort()
        self.zombies.clear()

    async def _resend(self) -> None:
        """What got no answer is sent again, under the same id; after a reconnect too, be it for a hand long over."""
        while True:
            await asyncio.sleep(RESEND_SECONDS)
            for frame in list(self.open.values()):
                await self.raw(frame)

    async def raw(self, frame: dict[str, Any] | str | bytes) -> None:
        if self.socket is None:
            return
        text = frame if isinstance(frame, str | bytes) else json.dumps(frame)
        for _ in range(self.wire.copies):
            if self.random.random() >= self.wire.drop_out:
                await self.socket.send(text)

    async def send(self, frame: dict[str, Any]) -> str:
        ident = next(self._ids)
        await self.raw({**frame, "id": ident})
        return ident

    def later(self, work: Any) -> None:
        async def guarded() -> None:
            with contextlib.suppress(WebSocketException, OSError):
                await work

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- playing -------------------------------------------------------------------------------------------------------

    async def _answer(self, ask: dict[str, Any]) -> None:
        self._answered = ask["ask"]
        self.question = ask
        if not self.lazy:
            self.later(self._act(self.hand or 0, ask))
        elif self._slept != self.hand:
            self._slept = self.hand
            self.later(self._sleep())

    async def _sleep(self) -> None:
        await self.send({"do": "auto", "on": True})

    async def _act(self, hand: int, ask: dict[str, Any]) -> None:
        await asyncio.sleep(self.random.uniform(*self.think))
        if self.question is not ask or self.hand != hand or self.view is None or self.socket is None:
            return
        legal = [parse_action(self.seat, action) for action in ask["actions"]]
        action = action_json(bots.greedy(self.view, legal, self.random))
        kind = "win" if action["do"] == "win" else self.view["phase"]
        frame = self._frame(hand, ask["ask"], action)
        if self.wire.two_clicks and len(legal) > 1:
            other = next(a for a in map(action_json, legal) if a != action)
            second = self._frame(hand, ask["ask"], other)
            self.evidence.pairs.append((frame["id"], second["id"]))
            await self.raw(second)
        if self.trap.sprung(f"before {kind}", self):
            await asyncio.sleep(self.random.uniform(0, 0.03))
        self.old.append(frame)
        del self.old[:-40]
        await self.raw(frame)
        self.trap.sprung(kind, self)

    def _frame(self, hand: int, ask: str, action: dict[str, Any]) -> dict[str, Any]:
        ident = next(self._ids)
        self._sent[ident] = hand
        self.open[ident] = {"do": "act", "ask": ask, "action": action, "id": ident}
        return self.open[ident]

    async def _on_ask(self, frame: dict[str, Any]) -> None:
        if frame["hand"] == self.hand and not frame["actions"]:
            self.question = None
        await super()._on_ask(frame)

    async def _on_ack(self, frame: dict[str, Any]) -> None:
        self.open.pop(frame["id"], None)
        if (hand := self._sent.pop(frame["id"], None)) is not None:
            self.evidence.acked.add((hand, frame["id"]))

    async def _on_error(self, frame: dict[str, Any]) -> None:
        ident, code = frame["id"], frame["code"]
        mine = self.open.pop(ident, None) is not None
        self._sent.pop(ident, None)
        if ident is None and code == "not_seated":
            self.out = True
        if ident in self.evidence.poison or ident is None:
            return
        if code not in ALLOWED:
            self.evidence.wrong.append(f"room {self.code} seat {self.seat}: refused with {code}: {frame['text']}")
        if mine or code in ("busy", "too_fast"):
            self.later(self.again())

    async def _close(self) -> None:
        if self.leaves:
            await self.send({"do": "leave"})
        else:
            await super()._close()

    async def _on_room(self, frame: dict[str, Any]) -> None:
        if self.leaves and 0 <= self.seat < len(frame["room"]["seats"]) and frame["room"]["seats"][self.seat] is None:
            self.out = True
        await super()._on_room(frame)

    async def again(self) -> None:
        """Read the room anew and think again about what it needs of us."""
        await asyncio.sleep(0.3)
        self._step = ""
        await self.send({"do": "sync"})

    async def _on_settled(self, frame: dict[str, Any]) -> None:
        if frame["hand"] not in self.settled:
            self.evidence.settled.setdefault(frame["hand"], []).append((self.seat, frame))
        await super()._on_settled(frame)

    # -- misbehaving ---------------------------------------------------------------------------------------------------

    async def poison(self, frame: dict[str, Any]) -> None:
        """Send a frame that must have no effect on the log."""
        ident = next(self._ids)
        self.evidence.poison.add(ident)
        await self.raw({**frame, "id": ident})
