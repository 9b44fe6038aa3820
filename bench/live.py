"""`python -m bench.live`: real tables over real sockets on one Daphne, durable: a fixed load, then flat out, beside the
naive design in the same run.

Each player answers its question at once (fixed load: when a token comes) with the first legal move, so hands go on until
they are drawn. An *action* is a move acknowledged after its commit; its latency runs from sending it to the last of the
four sockets having the event. CPU is that of the Daphne process, read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from rooms.client import Visitor
from rooms.trial import answers, free_port, started_site

HZ = os.sysconf("SC_CLK_TCK")
HAND_MOVES = 90  # of a hand in which everybody gives the first legal answer
FLAT_OUT = 800.0  # about what is reached, actions/s


@dataclass
class Pace:
    """Tokens at a fixed rate, or none asked (flat out)."""

    rate: float = 0.0
    _next: float = field(default_factory=time.perf_counter)

    async def token(self) -> None:
        if not self.rate:
            return
        self._next = max(self._next + 1 / self.rate, time.perf_counter() - 0.05)
        if (wait := self._next - time.perf_counter()) > 0:
            await asyncio.sleep(wait)


@dataclass
class Tally:
    acts: int = 0
    latencies: list[float] = field(default_factory=list)
    open: dict[tuple[int, int], list[float]] = field(default_factory=dict)

    def sent(self, table: int, seat: int) -> None:
        self.open[(table, seat)] = [time.perf_counter(), 0]

    def seen(self, table: int, seat: int) -> None:
        began = self.open.get((table, seat))
        if began is None:
            return
        began[1] += 1
        if began[1] == 4:
            self.latencies.append(time.perf_counter() - began[0])
            del self.open[(table, seat)]


class Seat:
    """A socket that answers each question with its first legal move."""

    def __init__(self, socket: ClientConnection, table: int, tally: Tally, pace: Pace) -> None:
        self.socket, self.table, self.tally, self.pace = socket, table, tally, pace
        self.you, self.hand, self.count = -1, None, 0
        self.answered: tuple[Any, str] = (None, "")
        self.ready_for = -1

    async def run(self) -> None:
        async for text in self.socket:
            frame = msgspec.json.decode(text)
            match frame["on"]:
                case "event":
                    event = frame["event"]
                    if event["kind"] == "discarded":
                        self.tally.seen(self.table, event["seat"])
                case "ask":
                    await self.answer(frame["hand"], frame["ask"], frame["actions"])
                case "ack":
                    self.tally.acts += frame["id"].startswith("a")
                case "sync":
                    self.you = frame["you"]
                    await self.ready(frame["room"])
                    if frame["ask"]:
                        await self.answer(frame["hand"], frame["ask"]["ask"], frame["ask"]["actions"])
                case "room":
                    await self.ready(frame["room"])

    async def ready(self, room: dict[str, Any]) -> None:
        """Ready once before each hand, as a player taps it."""
        if room["status"] in ("waiting", "between") and self.ready_for != (played := len(room["history"])):
            self.ready_for = played
            await self.send({"do": "ready"}, "r")

    async def answer(self, hand: int, ask: str, actions: list[dict[str, Any]]) -> None:
        if not actions or self.answered == (hand, ask):
            return
        self.answered = (hand, ask)
        calm = ("pass", "fish_done")
        action = next((one for one in actions if one["do"] in calm), actions[0])
        await self.pace.token()
        if action["do"] == "discard":
            self.tally.sent(self.table, self.you)
        await self.send({"do": "act", "ask": ask, "action": action}, "a")

    async def send(self, frame: dict[str, Any], kind: str) -> None:
        self.count += 1
        await self.socket.send(msgspec.json.encode({**frame, "id": f"{kind}{self.count}"}), text=True)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / HZ


def rss_mib(pid: int) -> float:
    line = next(row for row in Path(f"/proc/{pid}/status").read_text().splitlines() if row.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def daphne_of(url: str) -> int:
    """The pid of the Daphne that listens at `url`."""
    port = url.rsplit(":", 1)[1]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(word.endswith(b"daphne") for word in words) and port.encode() in words:
                return int(entry.name)
    raise SystemExit(f"no Daphne at {url}")


async def open_tables(url: str, tables: int) -> list[tuple[str, list[Visitor]]]:
    """Rooms of four signed-up players each, nobody ready yet."""
    opened = []
    for _ in range(tables):
        visitors = [Visitor(url) for _ in range(4)]
        for visitor in visitors:
            await asyncio.to_thread(visitor.sign_up, f"b{secrets.token_hex(6)}")
        where, _ = await asyncio.to_thread(visitors[0].post, "/rooms/new/", preset="classic", fish="none", hands=16)
        code = where.strip("/").split("/")[-1]
        for visitor in visitors[1:]:
            await asyncio.to_thread(visitor.post, "/rooms/join/", code=code)
        opened.append((code, visitors))
    return opened


async def play(
    url: str, pid: int, opened: list[tuple[str, list[Visitor]]], pace: Pace, seconds: float
) -> tuple[Tally, float]:
    """All tables begin, then play for so long; what was counted since everybody plays, and the share of a core `pid` took."""
    tally = Tally()
    async with asyncio.TaskGroup() as group:
        tasks, sockets = [], []
        for table, (code, visitors) in enumerate(opened):
            for visitor in visitors:
                address = url.replace("http", "ws", 1) + f"/ws/r/{code}/"
                headers = {"Cookie": visitor.cookies(), "Origin": url}
                socket = await connect(address, additional_headers=headers, ping_interval=None, compression=None)
                sockets.append(socket)
                tasks.append(group.create_task(Seat(socket, table, tally, pace).run()))
            # Tables begin one after another over the time of a hand, as they do where people play: all hands are drawn after
            # as many moves, and would else all begin and end together for ever.
            await asyncio.sleep(HAND_MOVES / (pace.rate or FLAT_OUT))
        await asyncio.sleep(2)
        tally.acts, tally.latencies = 0, []
        before, began = cpu_seconds(pid), time.perf_counter()
        await asyncio.sleep(seconds)
        acts, latencies = tally.acts, list(tally.latencies)
        share = (cpu_seconds(pid) - before) / (time.perf_counter() - began)
        for task in tasks:
            task.cancel()
        for socket in sockets:
            await socket.close()
    return Tally(acts, latencies), share


def measure(name: str, url: str, opened: list[tuple[str, list[Visitor]]], rate: float, seconds: float) -> float:
    """One line of the report; the actions per second."""
    pid = daphne_of(url)
    tally, share = asyncio.run(play(url, pid, opened, Pace(rate), seconds))
    ordered = sorted(tally.latencies) or [0.0]
    p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * q))] * 1000 for q in (0.5, 0.95, 0.99))
    what = f"{rate:.0f}/s offered" if rate else "flat out"
    print(
        f"{name}, {what}: {tally.acts / seconds:.0f} actions/s, to the last of four p50 {p50:.1f} p95 {p95:.1f} p99 {p99:.1f} ms,"
        f" Daphne {100 * share:.0f} % of a core, RSS {rss_mib(pid):.0f} MiB",
        flush=True,
    )
    return tally.acts / seconds


@contextmanager
def naive_site(folder: Path) -> Iterator[str]:
    """The naive design on the same database and Valkey."""
    port = free_port()
    known = json.loads((folder / "services.json").read_text())["urls"]
    environment = {**os.environ, **known, "LIUZHOU_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "bench.naive.settings"}
    command = [
        sys.executable,
        "-m",
        "liuzhou.daphne",
        "-b",
        "127.0.0.1",
        "-p",
        str(port),
        "bench.naive.asgi:application",
    ]
    with open(folder / "naive.log", "wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 60
        while not answers(url):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit("the naive site did not start")
            time.sleep(0.2)
        yield url
    except BaseException:
        print((folder / "naive.log").read_text()[-2000:])
        raise
    finally:
        process.terminate()
        process.wait(timeout=30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--rate", type=float, default=300, help="the fixed offered load, actions/s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="liuzhou-bench-") as name:
        folder = Path(name)
        with started_site(folder, {}, print) as url:
            opened = asyncio.run(open_tables(url, options.tables))
            measure("liuzhou", url, opened, options.rate, options.seconds)
            ours = measure("liuzhou", url, opened, 0, options.seconds)
            with naive_site(folder) as other:
                opened = [(code, [moved(visitor, other) for visitor in visitors]) for code, visitors in opened]
                naive = measure("naive", other, opened, 0, options.seconds)
            print(f"liuzhou / naive, flat out: {ours / max(naive, 1):.1f} x")
    return 0


def moved(visitor: Visitor, url: str) -> Visitor:
    """The same player at another address (sessions are in the database)."""
    other = Visitor(url)
    other.jar = visitor.jar
    return other


if __name__ == "__main__":
    sys.exit(main())
