"""`python -m bench.coins --hands 2000`: random coin hands with escapes, bankruptcies and dissolved rooms, then the audit.

On throw-away servers of its own. Everything goes through the services, as from the sockets; the clock is moved, so that
nobody waits. At the end: `audit_ledger` must be clean (every settlement replayed), the coins there are must be explained
by grants, relief and penalties to the last one, and no coins or cards may be left at a seat or held.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import uuid
from collections import Counter
from typing import TYPE_CHECKING

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

if TYPE_CHECKING:
    from liuzhou.accounts.models import User
    from rooms.models import Room

HOUR = 3_600_000
PRESETS = ("classic", "baike", "tiantian")


class Lobby:
    """The players and what has happened to them."""

    def __init__(self, players: int, rng: random.Random) -> None:
        from ledger import services as ledger
        from liuzhou.accounts.models import User

        self.rng, self.happened = rng, Counter[str]()
        self.users = []
        for _ in range(players):
            user = User.objects.create_user(f"coins-{uuid.uuid4().hex[:10]}")
            ledger.grant_signup(user_id=user.pk)
            self.users.append(user)
        for user in self.users[::2]:  # half of them poor, so that there are bankruptcies and relief
            purse, mint = ledger.wallet(owner_ref=user.pk, currency="COIN"), ledger.system("mint", "COIN")
            lines = [ledger.Line(purse, -1_800), ledger.Line(mint, 1_800)]
            ledger.post(kind="burn", key=f"poor:{user.pk}", lines=lines, reason="for the trial")

    def round(self) -> None:
        """Four players find each other at a table and play some hands there, or a private room is opened and dissolved."""
        four = self.rng.sample(self.users, 4)
        if self.rng.random() < 0.06:
            self._private(four)
            return
        preset = self.rng.choice(PRESETS)
        rooms = {room.pk: room for user in four if (room := self._sit(user, preset))}
        for room in rooms.values():
            self._play(room)
        for room in rooms.values():
            self._leave(room)

    def _sit(self, user: User, preset: str) -> Room | None:
        from liuzhou.accounts import coins
        from liuzhou.accounts.errors import AccountError
        from rooms import coin_tables
        from rooms.errors import RoomError

        try:
            return coin_tables.quick_join(user=user, preset=preset)
        except RoomError as error:
            self.happened[error.code] += 1
            if error.code == "too_poor":
                try:
                    coins.relieve(user=user)
                    self.happened["relieved"] += 1
                except AccountError:
                    self.happened["relief refused"] += 1
        return None

    def _play(self, room: Room) -> None:
        from rooms import services
        from rooms.errors import RoomError

        for _ in range(self.rng.randint(3, 12)):
            for seat in room.seats.select_related("user"):
                try:
                    services.set_ready(room_id=room.pk, user=seat.user)
                except RoomError as error:
                    self.happened[error.code] += 1
            running = room.hands.filter(state="running").first()
            if running is None:
                return
            if self.rng.random() < 0.06:
                self._escape(room, running.pk)
                return
            self._finish(running.pk)

    def _finish(self, hand: int) -> None:
        from rooms import records, table

        table.expire(hand, records.database_now() + HOUR)
        self.happened["hands settled"] += 1

    def _escape(self, room: Room, hand: int) -> None:
        from liuzhou.rules import engine
        from rooms import services, table

        for _ in range(self.rng.randint(0, 25)):
            fold = table.cache.current(hand)
            seat = self.rng.choice(engine.deciders(fold.state))
            body = self.rng.choice(fold.actions(seat))
            tried = table.attempt(fold, seat, body, origin=0, now=0)
            table.commit(tried)
            if tried.settles:
                self.happened["hands settled"] += 1
                return
        runner = self.rng.choice(list(room.seats.select_related("user")))
        services.leave_room(room_id=room.pk, user=runner.user, confirm=True)
        self.happened["escapes"] += 1

    def _leave(self, room: Room) -> None:
        from rooms import services

        for seat in room.seats.select_related("user"):
            services.leave_room(room_id=room.pk, user=seat.user, confirm=True)

    def _private(self, four: list[User]) -> None:
        from rooms import services
        from rooms.errors import RoomError

        pay = self.rng.choice(("owner", "split", "winner"))
        try:
            room = services.create_room(user=four[0], preset="classic", options={"fish": "none"}, pay=pay)
        except RoomError as error:
            self.happened[error.code] += 1
            return
        joined = [four[0]]
        for user in four[1:]:
            try:
                services.join_room(user=user, code=room.code)
                joined.append(user)
            except RoomError as error:
                self.happened[error.code] += 1
        if len(joined) == 4:
            for user in joined:
                services.set_ready(room_id=room.pk, user=user)
            services.ask_dissolve(room_id=room.pk, user=joined[1])
            for user in joined:
                if user is not joined[1]:
                    services.vote(room_id=room.pk, user=user, agree=True)
        else:
            services.ask_dissolve(room_id=room.pk, user=joined[0])
        self.happened["rooms dissolved"] += 1


def supply() -> tuple[int, dict[str, int], int]:
    """(coins of all players, what the house gave and took by entry kind, coins and cards still at seats or held)."""
    from django.db import connection

    def rows(query: str) -> list[tuple]:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    coins = rows("SELECT coalesce(sum(balance), 0) FROM ledger.account WHERE currency = 'COIN' AND kind <> 'system'")[
        0
    ][0]
    house = dict(
        rows(
            "SELECT e.kind, -sum(l.amount) FROM ledger.line l JOIN ledger.entry e ON e.id = l.entry_id"
            " JOIN ledger.account a ON a.id = l.account_id"
            " WHERE a.currency = 'COIN' AND a.kind = 'system' GROUP BY e.kind"
        )
    )
    left = rows("SELECT coalesce(sum(balance), 0) FROM ledger.account WHERE kind IN ('seat', 'hold')")[0][0]
    return int(coins), {kind: int(amount) for kind, amount in house.items()}, int(left)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--players", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    import django

    django.setup()
    from django.core.management import call_command

    from rooms import broadcast

    call_command("migrate", database="owner", verbosity=0, interactive=False)
    broadcast.publish = lambda message: None  # nobody listens
    lobby = Lobby(options.players, random.Random(options.seed))
    began = shown = time.monotonic()
    while lobby.happened["hands settled"] < options.hands:
        lobby.round()
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            print(f"… {lobby.happened['hands settled']} / {options.hands} hands", flush=True)
    return report(lobby, time.monotonic() - began)


def report(lobby: Lobby, took: float) -> int:
    """What happened and whether it adds up; 1 if it does not."""
    from ledger.audit import run_audit

    print(", ".join(f"{count} {what}" for what, count in sorted(lobby.happened.items())), f"in {took:.0f} s")
    audit = run_audit()
    coins, house, left = supply()
    print(
        f"audit: {'clean' if audit.ok else 'NOT CLEAN'} over {audit.counts['lines']} lines, checks {', '.join(audit.checks)}"
    )
    for difference in audit.differences:
        print(f"  {difference}")
    explained = " + ".join(f"{amount} {kind}" for kind, amount in sorted(house.items()))
    print(
        f"coins: {coins} with the players = {explained}: {'explained' if coins == sum(house.values()) else 'NOT EXPLAINED'}"
    )
    print(f"left at seats or held: {left}")
    return int(not audit.ok or coins != sum(house.values()) or left != 0)


if __name__ == "__main__":
    sys.exit(main())
