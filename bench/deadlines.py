"""`python -m bench.deadlines`: how late the clock is with 1,000 running hands: worker alive, worker killed, beat killed.

Rooms of two players who are there but never act: each question runs out, the house plays, the player takes 托管 off again.
At the first `--sockets` tables both players are connected (and ping); at the others nobody is, and this process takes 托管
off in the log. So about 66 questions a second fall due. A worker is killed with all its processes (kill -9); the site's own
supervisor brings it back. Lateness is that of each row the house played: its time less the due time of its seat's question
in the fold before it, replayed from the log alone; a question still open at the end counts as answered then.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import psutil
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bench import _crowd as crowd
from rooms.trial import started_site

BEGIN_SECONDS = 45  # over which the hands' first questions fall due
BEFORE_MS, AFTER_MS = 2_000, 15_000  # around a kill
CONNECTING = 16


def say(text: str) -> None:
    print(text, flush=True)


@dataclass(frozen=True, slots=True)
class Place:
    """A table: its room and hand, the players' cookies, and whether they are connected."""

    room: int
    code: str
    hand: int
    cookies: tuple[str, ...]
    watched: bool


def open_tables(count: int, sockets: int, lead: float) -> list[Place]:
    """`count` running hands of two, made in bulk; their first questions fall due from `lead` seconds on."""
    from rooms import fold, records
    from rooms.models import Hand, Played, Room, Seat
    from rooms.proof import commitment, new_secret
    from rooms.services import parse

    guests = crowd.guests(2 * count)
    options = parse("tiantian", {"players": 2}).as_json()
    codes = [f"{n:06d}" for n in range(100_000, 100_000 + count)]
    owners = guests[::2]
    rooms = Room.objects.bulk_create(
        Room(
            code=code, preset="tiantian", options=options, hands_total=16, owner=owner.user, status=Room.Status.PLAYING, dealer=0
        )
        for code, owner in zip(codes, owners, strict=True)
    )  # fmt: skip
    now = records.database_now()
    hands, seats, played = [], [], []
    for n, room in enumerate(rooms):
        secret = new_secret()
        first = now + round((lead + BEGIN_SECONDS * n / count) * 1000)
        hands.append(
            Hand(
                room=room, number=1, state=Hand.State.RUNNING, secret=secret, commit=commitment(secret), preset="tiantian",
                options=options, dealer=0, nonces=["", ""], setup={"bots": ["", ""], "autos": [False, False], "pace": "normal"},
                started_at=records.moment(first - 45_000),
            )
        )  # fmt: skip
    Hand.objects.bulk_create(hands, batch_size=200)
    for n, (room, hand) in enumerate(zip(rooms, hands, strict=True)):
        hand.deadline = records.moment(fold.begin(records.setup_of(hand)).deadline() or now)
        for index in range(2):
            user = guests[2 * n + index].user
            seats.append(Seat(room=room, index=index, user=user, name=user.username))
            played.append(Played(hand=hand, index=index, user=user, name=user.username))
    Seat.objects.bulk_create(seats, batch_size=500)
    Played.objects.bulk_create(played, batch_size=500)
    Hand.objects.bulk_update(hands, ["deadline"], batch_size=200)
    return [
        Place(
            room.pk, room.code, hand.pk, tuple(guest.cookie for guest in guests[2 * n : 2 * n + 2]), n % count < sockets
        )
        for n, (room, hand) in enumerate(zip(rooms, hands, strict=True))
    ]


# -- players ---------------------------------------------------------------------------------------------------------------


async def attend(url: str, place: Place, seat: int, gate: asyncio.Semaphore, here: set[tuple[int, int]]) -> None:
    """A player who is there, takes 托管 off and never acts; comes back when the connection is lost."""
    address = url.replace("http", "ws", 1) + f"/ws/r/{place.code}/"
    headers = {"Cookie": place.cookies[seat], "Origin": url}
    while True:
        with contextlib.suppress(ConnectionClosed, OSError, TimeoutError):
            async with gate:
                socket = await connect(
                    address, additional_headers=headers, ping_interval=None, compression=None, open_timeout=30
                )
            here.add((place.room, seat))
            pinging = asyncio.create_task(ping(socket))
            try:
                async for text in socket:
                    frame = msgspec.json.decode(text)
                    event = frame.get("event") if frame["on"] == "event" else None
                    if event and event["kind"] == "auto" and event["seat"] == seat and event["on"]:
                        await socket.send(f'{{"do":"auto","id":"{secrets.token_hex(6)}","on":false}}')
            finally:
                pinging.cancel()
                here.discard((place.room, seat))
        await asyncio.sleep(0.5)


async def ping(socket: Any) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.sleep(4 + 4 * secrets.randbelow(1000) / 1000)
            await socket.send('{"do":"ping","id":"p"}')


NEWS = """
SELECT a.hand_id, a.seq, a.seat, a.body, a.origin, a.ref, (extract(epoch FROM a.at) * 1000)::bigint
FROM unnest(%s::bigint[], %s::int[]) AS known(hand, seq) JOIN rooms_action a ON a.hand_id = known.hand AND a.seq > known.seq
ORDER BY a.hand_id, a.seq
"""


class Minder:
    """Takes 托管 off in the log at the tables where nobody is connected, as their players would: a statement for all."""

    def __init__(self, hands: Iterable[int]) -> None:
        from rooms import fold, records
        from rooms.models import Hand

        found = Hand.objects.filter(pk__in=list(hands))
        self._folds = {hand.pk: fold.begin(records.setup_of(hand)) for hand in found}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="minder", daemon=True)
        if self._folds:
            self._thread.start()

    def end(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            self._read()
            self._wake()

    def _read(self) -> None:
        from django.db import connection

        from rooms import fold

        seqs = [one.seq for one in self._folds.values()]
        with connection.cursor() as cursor:
            cursor.execute(NEWS, [list(self._folds), seqs])
            for hand, *row in cursor.fetchall():
                self._folds[hand], _ = fold.step(self._folds[hand], fold.Row(*row))

    def _wake(self) -> None:
        from django.db import connection

        from rooms import log, table

        off = {"do": "auto", "on": False}
        entries = []
        for fold in self._folds.values():
            if fold.running and True in fold.autos:
                tried = table.attempt(fold, fold.autos.index(True), off, origin=0, now=0)
                entries.append(log.entry(tried.after, tried.row))
        if entries:
            with connection.cursor() as cursor:
                cursor.execute(log.APPEND, log._columns(entries))


# -- lateness --------------------------------------------------------------------------------------------------------------


def lateness(places: list[Place], now: int) -> list[tuple[int, int, bool]]:
    """(due, ms late, watched) of every question that the house answered, and of those overdue at `now`: from the log alone."""
    from rooms import fold as folds
    from rooms import records
    from rooms.models import Hand

    found = []
    hands = {hand.pk: hand for hand in Hand.objects.filter(pk__in=[place.hand for place in places])}
    rows: dict[int, list[folds.Row]] = defaultdict(list)
    for place in places:
        rows[place.hand] = records.rows_after(place.hand, 0)
    for place in places:
        fold = folds.begin(records.setup_of(hands[place.hand]))
        for row in rows[place.hand]:
            if row.origin != folds.PLAYER and row.seat >= 0 and folds.is_move(row):
                due = fold.due(row.seat)
                if due is not None:
                    found.append((due, row.at - due, place.watched))
            fold, _ = folds.step(fold, row)
        deadline = fold.deadline()
        if deadline is not None and deadline < now:
            found.append((deadline, now - deadline, place.watched))
    return found


def report(name: str, found: list[tuple[int, int, bool]], begin: int, end: int) -> dict[str, Any]:
    """The lateness of the questions due between two moments, together and by whether somebody was connected."""
    told: dict[str, Any] = {"load": os.getloadavg()[0]}
    for kind, wanted in (("all", (True, False)), ("connected", (True,)), ("nobody connected", (False,))):
        late = [float(ms) for due, ms, watched in found if begin <= due < end and watched in wanted]
        if not late or (kind != "all" and len({watched for *_, watched in found}) == 1):
            continue
        p50, p99 = crowd.quantile(late, 0.5), crowd.quantile(late, 0.99)
        told[kind] = {"questions": len(late), "p50": p50, "p99": p99, "max": max(late)}
        say(
            f"{name}, {kind}: {len(late)} questions, p50 {p50:.0f} p99 {p99:.0f} max {max(late):.0f} ms late ({crowd.load()})"
        )
    return told


# -- the run ---------------------------------------------------------------------------------------------------------------


def kill(folder: Path, name: str) -> int:
    """kill -9 of the process and all its children; their number."""
    process = psutil.Process(crowd.pids(folder)[name])
    doomed = [process, *process.children(recursive=True)]
    for one in doomed:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(signal.SIGKILL)
    return len(doomed)


async def wait(seconds: float, what: str, here: set[tuple[int, int]]) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        say(f"… {what}, {left:.0f} s, {len(here)} sockets, {crowd.load()}")
        await asyncio.sleep(min(10, left))


async def run(url: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    crowd.join(folder)
    from rooms import records

    say(f"making {options.hands} running hands, players connected at {options.sockets} of them")
    places = open_tables(options.hands, options.sockets, lead=5 + 0.01 * options.hands + 0.02 * options.sockets)
    gate, here = asyncio.Semaphore(CONNECTING), set[tuple[int, int]]()
    players = [
        asyncio.create_task(attend(url, place, seat, gate, here))
        for place in places
        if place.watched
        for seat in (0, 1)
    ]
    minder = Minder(place.hand for place in places if not place.watched)
    told: dict[str, Any] = {"hands": options.hands, "sockets": len(players)}
    spans = []
    try:
        began = time.monotonic()
        while len(here) < len(players) and time.monotonic() < began + 120:
            await wait(2, "connecting", here)
        await wait(options.warm, "warming up", here)
        begin = records.database_now()
        cpu = crowd.cpu(folder)
        await wait(options.seconds, "worker alive", here)
        spans.append(("worker alive", begin, records.database_now()))
        told["share"] = {name: (spent - cpu[name]) / options.seconds for name, spent in crowd.cpu(folder).items()}
        say("of a core: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in told["share"].items()))
        for name in ("worker", "beat"):
            at = records.database_now()
            say(f"kill -9 of {name}: {kill(folder, name)} processes")
            await wait((AFTER_MS + 5_000) / 1000, f"after the kill of {name}", here)
            spans.append((f"{name} killed", at - BEFORE_MS, at + AFTER_MS))
            await wait(options.rest, "resting", here)
        minder.end()
        found = lateness(places, records.database_now())
        for name, begin, end in spans:
            told[name] = report(name, found, begin, end)
    finally:
        minder.end()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--sockets", type=int, default=500, help="tables at which both players are connected")
    parser.add_argument("--warm", type=float, default=100, help="seconds until all banks of time are used up")
    parser.add_argument("--seconds", type=float, default=40, help="of measuring with the worker alive")
    parser.add_argument("--rest", type=float, default=10, help="seconds between the two kills")
    parser.add_argument("--json", default="", help="write the figures there")
    options = parser.parse_args()
    crowd.ends_when_asked()
    with tempfile.TemporaryDirectory(prefix="liuzhou-bench-") as name, crowd.results(options.json) as told:
        folder = Path(name)
        with started_site(folder, {}, say) as url:
            told.update(asyncio.run(run(url, folder, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
