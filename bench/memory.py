"""`python -m bench.memory`: what the processes of a site hold while bots play for half an hour, and what 1,000 tables cost.

Playing: tables of four players at one room after another, and practice tables (one player, three bots of the house), each
player thinking a moment before every answer; all RSS once a minute. After the warm-up: first, last, highest, and the slope
of the straight line through the samples. Waiting: practice tables with one connected player each, every hand standing at its
player's question (their clocks are given an hour, as after an outage), and Daphne's RSS before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bench import _crowd as crowd
from rooms.client import Player
from rooms.trial import started_site

HANDS = 4  # of a room
AT_ONCE = 20  # tables opened at the same time
GRACE_MS = 3_600_000


def say(text: str) -> None:
    print(text, flush=True)


# -- playing ---------------------------------------------------------------------------------------------------------------


class Thinking(Player):
    """A player who takes a moment for each answer."""

    think = 0.1

    async def _answer(self, ask: dict[str, Any]) -> None:
        await asyncio.sleep(self.think * (0.5 + self.random.random()))
        await super()._answer(ask)


class Count:
    def __init__(self) -> None:
        self.rooms = self.hands = self.actions = self.mismatches = 0


async def private(url: str, count: Count, until: float, think: float) -> None:
    """Rooms of four players one after another, as `manage.py selfplay` has them, settlements checked."""
    from rooms.management.commands.selfplay import Table

    while time.monotonic() < until:
        visitors = [crowd.visitor(url, guest) for guest in crowd.guests(4)]
        where, _ = await asyncio.to_thread(visitors[0].post, "/rooms/new/", preset="classic", fish="pond", hands=HANDS)
        code = where.strip("/").split("/")[-1]
        for visitor in visitors[1:]:
            await asyncio.to_thread(visitor.post, "/rooms/join/", code=code)
        table = Table(url, HANDS, "greedy")
        table.players = [Thinking(visitor, code, skill="greedy", watch=table.watch) for visitor in visitors]
        for player in table.players:
            player.think = think
        await table.play()
        count.rooms += 1
        count.hands += table.settled
        count.actions += table.watch.acts
        count.mismatches += len(await asyncio.to_thread(table.check))


async def practice(url: str, count: Count, until: float, think: float) -> None:
    """Practice tables one after another: the next one closes the last."""
    visitor = crowd.visitor(url, crowd.guests(1)[0])
    while time.monotonic() < until:
        where, _ = await asyncio.to_thread(visitor.post, "/practice/")
        player = Thinking(visitor, where.strip("/").split("/")[-1])
        player.think, player.hands_wanted = think, HANDS + 1  # never enough: it is left after HANDS
        playing = asyncio.create_task(player.play(HANDS + 1))
        while len(player.settled) < HANDS and time.monotonic() < until + 60:
            await asyncio.sleep(0.5)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        count.rooms += 1
        count.hands += len(player.settled)
        count.actions += len(player.acked)


async def sample(folder: Path, every: float, until: float, count: Count) -> list[tuple[float, dict[str, float]]]:
    began, samples = time.monotonic(), []
    while (now := time.monotonic()) < until + every / 2:
        held = crowd.memory(folder)
        samples.append(((now - began) / 60, held))
        shown = ", ".join(f"{name} {mib:.1f}" for name, mib in held.items())
        say(f"{(now - began) / 60:5.1f} min, {count.hands} hands, {count.actions} actions, {crowd.load()}: {shown} MiB")
        await asyncio.sleep(every)
    return samples


async def playing(url: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    crowd.join(folder)
    until, count = time.monotonic() + options.minutes * 60, Count()
    tables = [private(url, count, until, options.think) for _ in range(options.tables)]
    tables += [practice(url, count, until, options.think) for _ in range(options.practice)]
    sampling = asyncio.create_task(sample(folder, options.every, until, count))
    await asyncio.gather(*tables)
    samples = await sampling
    say(f"{count.rooms} rooms, {count.hands} hands, {count.actions} actions, {count.mismatches} mismatches")
    return {"rooms": count.rooms, "hands": count.hands, "actions": count.actions, "samples": samples}


def judged(samples: list[tuple[float, dict[str, float]]], warm: float) -> dict[str, dict[str, float]]:
    """First, last, highest after the warm-up (MiB) and the slope (MiB an hour) of each process."""
    told = {}
    for name in sorted({name for _, held in samples for name in held}):
        points = [(at, held[name]) for at, held in samples if at >= warm and name in held]
        if len(points) < 2:
            continue
        mean_at = sum(at for at, _ in points) / len(points)
        mean = sum(mib for _, mib in points) / len(points)
        spread = sum((at - mean_at) ** 2 for at, _ in points)
        slope = 60 * sum((at - mean_at) * (mib - mean) for at, mib in points) / spread
        values = [mib for _, mib in points]
        told[name] = {"first": values[0], "last": values[-1], "max": max(values), "slope": slope}
        say(
            f"{name}: first {values[0]:.1f}, last {values[-1]:.1f}, highest {max(values):.1f} MiB, {slope:+.1f} MiB an hour"
        )
    return told


# -- waiting ---------------------------------------------------------------------------------------------------------------


class Waiting:
    """A player at a practice table who is asked and does not answer."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.asked = asyncio.Event()
        self.hand = 0

    async def run(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in self.socket:
                frame = msgspec.json.decode(text)
                ask = frame.get("ask")
                if (frame["on"] == "sync" and ask) or (frame["on"] == "ask" and frame["actions"]):
                    self._stop_clock(frame["hand"])

    def _stop_clock(self, hand: int) -> None:
        from rooms import table

        if not self.asked.is_set():
            self.asked.set()
            table.give_back(hand, GRACE_MS)

    async def ping(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.socket.send('{"do":"ping","id":"p"}')
                await asyncio.sleep(8)


async def sit(url: str, guest: crowd.Guest, gate: asyncio.Semaphore, tasks: list[asyncio.Task[None]]) -> Waiting:
    """A practice table of the guest, its player connected and asked."""
    from rooms import services

    async with gate:
        room = services.create_practice(user=guest.user)
        address = url.replace("http", "ws", 1) + f"/ws/r/{room.code}/"
        headers = {"Cookie": guest.cookie, "Origin": url}
        socket = await connect(
            address, additional_headers=headers, ping_interval=None, compression=None, open_timeout=60
        )
        waiting = Waiting(socket)
        tasks += [asyncio.create_task(waiting.run()), asyncio.create_task(waiting.ping())]
        await asyncio.wait_for(waiting.asked.wait(), 60)
        return waiting


async def waiting(url: str, folder: Path, tables: int, settle: float) -> dict[str, float]:
    crowd.join(folder)
    say(f"making {tables} players")
    known = crowd.guests(tables + 20)
    gate, tasks = asyncio.Semaphore(AT_ONCE), list[asyncio.Task[None]]()
    await asyncio.gather(*(sit(url, guest, gate, tasks) for guest in known[:20]))  # whatever is made once is made now
    await asyncio.sleep(settle)
    before = crowd.memory(folder)
    for begin in range(20, len(known), 100):
        await asyncio.gather(*(sit(url, guest, gate, tasks) for guest in known[begin : begin + 100]))
        held = crowd.memory(folder)
        say(f"{begin + 100 - 20:5d} tables, {crowd.load()}: " + ", ".join(f"{n} {m:.1f}" for n, m in held.items()))
    await asyncio.sleep(settle)
    after = crowd.memory(folder)
    standing = await asyncio.to_thread(_standing)
    for task in tasks:
        task.cancel()
    for name in after:
        say(
            f"{name}: {before.get(name, 0):.1f} MiB before, {after[name]:.1f} after: {after[name] - before.get(name, 0):+.1f}"
        )
    cost = after["web"] - before["web"]
    each = 1024 * cost / tables
    say(
        f"{tables} more tables, {standing} hands at their player's question: Daphne {cost:+.1f} MiB, {each:.0f} KiB each"
    )
    return {"tables": tables, "standing": standing, "before": before["web"], "after": after["web"], "cost": cost}


def _standing() -> int:
    """Hands that wait for longer than any clock allows: at the questions that were given an hour."""
    from datetime import timedelta

    from django.db.models.functions import Now

    from rooms.models import Hand

    return Hand.objects.filter(state=Hand.State.RUNNING, deadline__gt=Now() + timedelta(minutes=5)).count()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=("playing", "waiting"), help="both without")
    parser.add_argument("--minutes", type=float, default=30, help="of play")
    parser.add_argument("--warm", type=float, default=5, help="minutes before what is judged")
    parser.add_argument("--every", type=float, default=60, help="seconds between samples")
    parser.add_argument("--tables", type=int, default=6, help="private rooms played at the same time")
    parser.add_argument("--practice", type=int, default=6, help="practice tables played at the same time")
    parser.add_argument("--think", type=float, default=0.15, help="seconds a player thinks, on average")
    parser.add_argument("--waiting", type=int, default=1000, help="practice tables that wait")
    parser.add_argument("--settle", type=float, default=10, help="seconds before a waiting site is measured")
    parser.add_argument("--json", default="", help="write the figures there")
    options = parser.parse_args()
    crowd.ends_when_asked()
    if not options.part:  # each in a process of its own: Django knows one site
        return max(_alone(part) for part in ("playing", "waiting"))
    with tempfile.TemporaryDirectory(prefix="liuzhou-bench-") as name, crowd.results(options.json) as told:
        folder = Path(name)
        with started_site(folder, {}, say) as url:
            if options.part == "playing":
                told["playing"] = asyncio.run(playing(url, folder, options))
                told["judged"] = judged(told["playing"]["samples"], options.warm)
            else:
                told["waiting"] = asyncio.run(waiting(url, folder, options.waiting, options.settle))
    return 0


def _alone(part: str) -> int:
    process = subprocess.Popen([sys.executable, "-m", "bench.memory", part, *sys.argv[1:]])
    try:
        return process.wait()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
