"""The faults, each a coroutine that hurts the site or lets players misbehave, and says in a few words what it did."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from bench.chaos.players import ChaosPlayer, Evidence, Trap
from bench.chaos.site import WEBS, Site
from bench.chaos.tables import Table

TRAP_SECONDS = 20


@dataclass
class Scene:
    """Where a fault happens."""

    site: Site
    tables: list[Table]
    trap: Trap
    evidence: Evidence
    rng: random.Random
    full: bool
    wrong: list[str] = field(default_factory=list)

    def player(self) -> ChaosPlayer:
        """Somebody who sits at a table of people, with a hand before them."""
        seated = [player for table in self.tables[1:] for player in table.seated() if not player.lazy]
        return self.rng.choice(seated or [player for table in self.tables[1:] for player in table.players])

    def table_of(self, player: ChaosPlayer) -> Table:
        return next(table for table in self.tables if player in table.players)

    async def caught(self, kind: str, strike: Callable[[ChaosPlayer], Any]) -> ChaosPlayer | None:
        """Wait for an action of that kind and strike while it is on its way; None if none was played in time."""
        done: asyncio.Future[ChaosPlayer] = asyncio.get_running_loop().create_future()

        def sprung(player: ChaosPlayer) -> None:
            if not done.done():
                strike(player)
                done.set_result(player)

        self.trap.arm(kind, sprung)
        try:
            return await asyncio.wait_for(done, TRAP_SECONDS)
        except TimeoutError:
            return None


Fault = Callable[[Scene], Awaitable[str]]
FAULTS: dict[str, Fault] = {}


def fault(name: str) -> Callable[[Fault], Fault]:
    def add(function: Fault) -> Fault:
        FAULTS[name] = function
        return function

    return add


# -- processes ---------------------------------------------------------------------------------------------------------


def _kill_at(kind: str) -> Fault:
    async def kill(scene: Scene) -> str:
        names = {url: name for name, url in scene.site.urls.items()}
        after = scene.rng.choice((0.0, 0.002, 0.005, 0.01, 0.02))
        loop = asyncio.get_running_loop()

        def strike(player: ChaosPlayer) -> None:
            loop.call_later(after, scene.site.kill, names[player.visitor.base])

        player = await scene.caught(kind, strike)
        await asyncio.sleep(0.3)
        if player is None:
            scene.site.kill(scene.rng.choice(WEBS))
            await asyncio.sleep(0.3)
            return f"no {kind} came; killed all the same"
        return f"killed {names[player.visitor.base]} {after * 1000:.0f} ms after the frame"

    return kill


for _kind in ("turn", "claim", "fish", "win"):
    FAULTS[f"kill -9 daphne at {_kind}"] = _kill_at(_kind)


def _kill(name: str, wait: float) -> Fault:
    async def kill(scene: Scene) -> str:
        scene.site.kill(name)
        await asyncio.sleep(wait)
        return "killed"

    return kill


for _name, _wait in (("worker", 3.0), ("beat", 3.0), ("postgres", 1.0), ("valkey", 1.0)):
    FAULTS[f"kill -9 {_name}"] = _kill(_name, _wait)


@fault("kill -9 everything")
async def kill_everything(scene: Scene) -> str:
    for child in scene.site.supervisor.children:
        scene.site.kill(child.name)
    await asyncio.sleep(1)
    return "killed"


@fault("FLUSHALL")
async def flushall(scene: Scene) -> str:
    def flush() -> None:
        with scene.site.valkey() as client:
            client.flushall()

    before = _autos(scene)
    for _ in range(3):
        await asyncio.to_thread(flush)
        await asyncio.sleep(1.2)
    return f"three times; {_autos(scene) - before} players more in 托管"


@fault("SIGSTOP valkey")
async def stop_valkey(scene: Scene) -> str:
    """While Valkey hangs people must be able to play on; those who come anew, too."""
    seconds = scene.rng.choice((4, 7))
    acked = len(scene.evidence.acked)
    scene.site.signal("valkey", signal.SIGSTOP)
    try:
        await asyncio.sleep(1)
        for player in (scene.player(), scene.player()):
            if player.socket is not None:
                await player.socket.close()
        middle = len(scene.evidence.acked)
        await asyncio.sleep(seconds - 1)
        after = len(scene.evidence.acked)
    finally:
        scene.site.signal("valkey", signal.SIGCONT)
    if after == middle:
        scene.wrong.append(f"SIGSTOP valkey: nobody could act for {seconds - 1} s")
    return f"{seconds} s; {middle - acked} actions in its first second, {after - middle} later"


@fault("two beats")
async def two_beats(scene: Scene) -> str:
    with scene.site.second_beat():
        await asyncio.sleep(5)
    return "for 5 s"


def _clock(name: str) -> Fault:
    async def step(scene: Scene) -> str:
        steps = [5, -5, 61]
        scene.rng.shuffle(steps)
        for seconds in steps:
            scene.site.shift(name, seconds)
            await asyncio.sleep(2.5)
        scene.site.shift(name, 0)
        await asyncio.sleep(1)
        return f"stepped to {steps} s and back"

    return step


for _name in ("web1", "worker", "beat"):
    FAULTS[f"clock of {_name}"] = _clock(_name)


def _autos(scene: Scene) -> int:
    return sum(bool(seat and seat["auto"]) for table in scene.tables for player in table.players[:1]
               for seat in player.room.get("seats", []))  # fmt: skip


# -- frames --------------------------------------------------------------------------------------------------------------


async def _on_wires(scene: Scene, seconds: float, **values: Any) -> None:
    victims = {scene.player() for _ in range(4)}
    for player in victims:
        for key, value in values.items():
            setattr(player.wire, key, value)
    await asyncio.sleep(seconds)
    for player in victims:
        player.wire = type(player.wire)()
        player.later(player.send({"do": "sync"}))
    await asyncio.sleep(0.5)


@fault("frames dropped")
async def dropped(scene: Scene) -> str:
    await _on_wires(scene, 4, drop_in=0.25, drop_out=0.25)
    return "a quarter of up to four players' frames, both ways, for 4 s"


@fault("frames doubled")
async def doubled(scene: Scene) -> str:
    await _on_wires(scene, 3, copies=3)
    return "each sent three times for 3 s"


@fault("two clicks")
async def two_clicks(scene: Scene) -> str:
    before = len(scene.evidence.pairs)
    await _on_wires(scene, 3, two_clicks=True)
    return f"{len(scene.evidence.pairs) - before} questions answered twice"


@fault("half-open sockets")
async def half_open(scene: Scene) -> str:
    victims = {scene.player() for _ in range(5)}
    for player in victims:
        player.hang_up_silently()
    await asyncio.sleep(4)
    for player in victims:
        player.bury()
    return f"{len(victims)} sockets left open and unread for 4 s"


@fault("stale and reordered frames")
async def stale(scene: Scene) -> str:
    sent = 0
    for _ in range(30):
        player = scene.player()
        old = list(player.old)
        scene.rng.shuffle(old)
        for frame in old[:8]:
            await player.raw(frame)  # as they were, in any order: each has had its effect or never will
            await player.poison({"do": "act", "ask": _past(player, frame["ask"]), "action": frame["action"]})
            sent += 2
        await asyncio.sleep(0.05)
    return f"{sent} frames"


def _past(player: ChaosPlayer, ask: str) -> str:
    """An old question's name; if it happens to be the open one's, one that never was."""
    return ask if player.question is None or player.question["ask"] != ask else "0"


@fault("frames from the future")
async def future(scene: Scene) -> str:
    for n in range(100):
        player = scene.player()
        if player.question is not None:
            ask = int(player.question["ask"])
            for name in (str(ask + 40 + n), "99999", "-1", ""):
                await player.poison({"do": "act", "ask": name, "action": player.question["actions"][0]})
        await asyncio.sleep(0.02)
    return "questions that were not asked, answered"


NONSENSE: tuple[str | bytes, ...] = (
    "", "null", "[]", "{", b"\xff\x00", '{"do":"act"}', '{"do":"act","id":1,"ask":"1","action":{"do":"pass"}}',
    '{"do":"sync","id":"\\u0000"}', '{"do":"act","id":"a\\u0000b","ask":"1","action":{"do":"pass"}}',
    '{"do":"auto","id":"c\\u0000d","on":true}', '{"do":"say","id":"e","text":"\\u0000"}',
    '{"do":"say","id":"f\\ud800","text":"x"}', '{"do":"ready","id":"g","nonce":"\\u0000\\u0000"}', '{"do":"sync","id":""}',
    '{"do":"vote","id":"h","agree":true}', '{"do":"kick","id":"i","seat":3}', "[" * 4000, "x" * 5000,
)  # fmt: skip


@fault("nonsense")
async def nonsense(scene: Scene) -> str:
    """Nothing that one client sends may reach anybody else's table."""
    victims = {scene.player() for _ in range(3)}
    busy: list[str] = []
    for player in (player for table in scene.tables for player in table.players):
        if player not in victims:
            player.on_frame = lambda frame: busy.append(frame["code"]) if frame.get("code") == "busy" else None
    for _ in range(5):
        for player in victims:
            allowed = len(scene.evidence.wrong)
            for text in scene.rng.sample(NONSENSE, 8):
                await player.raw(text)
            await asyncio.sleep(0.2)
            del scene.evidence.wrong[allowed:]
    for table in scene.tables:
        for player in table.players:
            player.on_frame = None
    if busy:
        scene.wrong.append(f"nonsense: {len(busy)} other players' commands were answered with busy")
    return f"{len(victims)} players sent it"
