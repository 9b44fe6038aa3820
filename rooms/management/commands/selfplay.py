"""`manage.py selfplay`: players sign up, open rooms and play whole hands over the real sockets; every settlement is checked."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rooms.client import Player, Refused, Visitor, Watch
from rooms.history import verify
from rooms.services import HANDS
from rooms.trial import running_site


class Command(BaseCommand):
    help = "Plays whole hands over real sockets with the rules' bots and checks every settlement."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tables", type=int, default=4, help="tables at the same time (default 4)")
        parser.add_argument("--hands", type=int, default=2, help="hands at each table, 1 to 16 (default 2)")
        parser.add_argument("--url", default="", help="a running site; without it one is found or started for the run")
        parser.add_argument("--skill", default="greedy", choices=("auto", "greedy"), help="how the players play")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["tables"] < 1 or not 1 <= options["hands"] <= max(HANDS):
            raise CommandError("--tables must be at least 1 and --hands from 1 to 16.")
        with running_site(options["url"], self.stdout.write) as url:
            tables = [Table(url, options["hands"], options["skill"]) for _ in range(options["tables"])]
            began = time.perf_counter()
            try:
                asyncio.run(self._play(tables))
            except (Refused, OSError) as error:
                raise CommandError(f"{url}: {error}") from error
            took = time.perf_counter() - began
            mismatches = [problem for table in tables for problem in table.check()]
        self._report(tables, took, mismatches, options["tables"] * options["hands"])

    async def _play(self, tables: list[Table]) -> None:
        await asyncio.gather(*(table.open() for table in tables))
        showing = asyncio.create_task(self._progress(tables))
        await asyncio.gather(*(table.play() for table in tables))
        showing.cancel()

    async def _progress(self, tables: list[Table]) -> None:
        while True:
            await asyncio.sleep(2)
            acts = sum(table.watch.acts for table in tables)
            settled = sum(table.settled for table in tables)
            self.stdout.write(f"… {settled} hands settled, {acts} actions")

    def _report(self, tables: list[Table], took: float, mismatches: list[str], wanted: int) -> None:
        acts = sum(table.watch.acts for table in tables)
        latencies = sorted(value for table in tables for value in table.watch.latencies)
        self.stdout.write(f"{acts} actions in {took:.1f} s: {acts / took:.0f} actions/s")
        if latencies:
            at = [latencies[min(len(latencies) - 1, int(len(latencies) * q))] * 1000 for q in (0.5, 0.95, 0.99)]
            self.stdout.write("action to the last of four: p50 {:.1f} ms, p95 {:.1f} ms, p99 {:.1f} ms".format(*at))
        for problem in mismatches:
            self.stdout.write(problem)
        settled = sum(table.settled for table in tables)
        self.stdout.write(f"{wanted} hands, {settled} settled, {len(mismatches)} mismatches")
        if mismatches or settled != wanted:
            raise SystemExit(1)


class Table:
    """One room and its four players."""

    def __init__(self, url: str, hands: int, skill: str) -> None:
        self.url, self.hands, self.skill = url, hands, skill
        self.watch = Watch(4)
        self.players: list[Player] = []

    @property
    def settled(self) -> int:
        return min((len(player.settled) for player in self.players), default=0)

    async def open(self) -> None:
        visitors = [Visitor(self.url) for _ in range(4)]
        await asyncio.gather(*(asyncio.to_thread(v.sign_up, f"bot{secrets.token_hex(5)}") for v in visitors))
        total = min(n for n in HANDS if n >= self.hands)
        where, _ = await asyncio.to_thread(visitors[0].post, "/rooms/new/", preset="classic", fish="pond", hands=total)
        code = where.strip("/").split("/")[-1]
        for visitor in visitors[1:]:
            await asyncio.to_thread(visitor.post, "/rooms/join/", code=code)
        self.players = [Player(v, code, skill=self.skill, watch=self.watch) for v in visitors]

    async def play(self) -> None:
        await asyncio.gather(*(player.play(self.hands) for player in self.players))

    def check(self) -> list[str]:
        """Every settlement against the replay of its log, and against what each client was told; totals too."""
        problems = []
        sums = [0, 0, 0, 0]
        records = self._records()
        for record in records:
            hand = record["hand"]
            problems += [f"hand {hand}: {wrong}" for wrong in verify(record)]
            sums = [a + b for a, b in zip(sums, record["settlement"]["score"], strict=True)]
            problems += self._told(hand, record["settlement"], sums)
        return problems + self._lost(records)

    def _told(self, hand: int, settlement: dict[str, Any], sums: list[int]) -> list[str]:
        wrong = []
        for player in self.players:
            told = player.settled.get(hand)
            if told is None or told["result"] != settlement:
                wrong.append(f"hand {hand}: seat {player.seat} was told another settlement")
            elif told["score"] != sums:
                wrong.append(f"hand {hand}: seat {player.seat} was told {told['score']}, the hands sum to {sums}")
        return wrong

    def _records(self) -> list[dict[str, Any]]:
        visitor = self.players[0].visitor
        return [json.loads(visitor.get(f"/hands/{hand}/record.json")[1]) for hand in sorted(self.players[0].settled)]

    def _lost(self, records: list[dict[str, Any]]) -> list[str]:
        """Every acknowledged action must be in the log."""
        kept = {(record["hand"], row["ref"]) for record in records for row in record["log"]}
        lost = [key for player in self.players for key in player.acked if key[0] in player.settled and key not in kept]
        return [f"acknowledged but not in the log: {key}" for key in lost]
