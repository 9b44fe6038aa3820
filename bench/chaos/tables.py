"""Tables that are played on, room after room, until the faults are over."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import Cookie
from importlib import import_module
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import InterfaceError, OperationalError, close_old_connections

from bench.chaos.players import ChaosPlayer, Evidence, Trap
from ledger import services as ledger
from liuzhou.accounts.models import User
from rooms import coin_tables, services
from rooms.client import Visitor
from rooms.models import Room

T = TypeVar("T")
_pool = ThreadPoolExecutor(max_workers=8, thread_name_prefix="chaos")
PATIENCE = 40
LOBBY_PRESET = "classic"
GAMES: tuple[dict[str, Any], ...] = (
    {"preset": "classic", "options": {"fish": "pond"}},
    {"preset": "classic", "options": {"fish": "none"}},
    {"preset": "baike", "options": {}},
    {"preset": "tiantian", "options": {}},
    {"preset": "tiantian", "options": {"players": 3}},
)


async def db(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run it in a thread; while the database is away, again and again."""

    def call() -> T:
        until = time.monotonic() + PATIENCE
        while True:
            close_old_connections()
            try:
                return function(*args, **kwargs)
            except (OperationalError, InterfaceError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.3)

    return await asyncio.get_running_loop().run_in_executor(_pool, call)


def new_user(name: str) -> User:
    """A user without a password (nobody signs in by the form) who can afford many rooms and hands."""
    user = User.objects.create_user(f"{name}-{uuid.uuid4().hex[:10]}")
    ledger.grant_signup(user_id=user.pk)
    for currency, amount in ((ledger.CARD, 500), (ledger.COIN, 60_000)):
        lines = [
            ledger.Line(ledger.system("mint", currency), -amount),
            ledger.Line(ledger.wallet(owner_ref=user.pk, currency=currency), amount),
        ]
        ledger.post(kind="issue", key=f"chaos:{user.pk}:{currency}", lines=lines, reason="chaos")
    return user


def signed_in(user: User, url: str) -> Visitor:
    """The user with a session of the real store: signing up by the form is not what is tested here."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    visitor = Visitor(url)
    values = (session.session_key, None, False, "127.0.0.1", True, False, "/", True, False, None, False, None, None, {})
    visitor.jar.set_cookie(Cookie(0, settings.SESSION_COOKIE_NAME, *values))
    return visitor


class Table:
    """People and the rooms they play in, one after the other. `kind`: room (four people), coins (the lobby), practice
    (one of them with three bots)."""

    def __init__(self, kind: str, trap: Trap, evidence: Evidence, rng: random.Random) -> None:
        self.kind, self.trap, self.evidence, self.rng = kind, trap, evidence, rng
        self.homes: list[str] = []
        self.users: list[User] = []
        self.visitors: list[Visitor] = []
        self.players: list[ChaosPlayer] = []
        self.rooms: set[int] = set()
        self.stopping = False

    async def open(self, homes: list[str]) -> None:
        self.homes = homes
        self.users = [await db(new_user, self.kind) for _ in range(1 if self.kind == "practice" else 4)]
        self.visitors = [await db(signed_in, user, homes[0]) for user in self.users]

    async def run(self) -> None:
        """Room after room; ends once `stop` was called and the present room is left or closed."""
        while not self.stopping:
            joined = [await db(self._sit_down)] if self.kind != "coins" else [
                await db(coin_tables.quick_join, user=user, preset=LOBBY_PRESET) for user in self.users
            ]  # fmt: skip
            self.rooms |= {room.pk for room in joined}
            seats = joined[0].options.get("players", 4)
            self.players = [
                ChaosPlayer(visitor, joined[n % len(joined)].code, self.homes, self.trap, self.evidence, self.rng)
                for n, visitor in enumerate(self.visitors[:seats])
            ]
            self._characters()
            await asyncio.gather(*(player.play(99) for player in self.players))

    def _characters(self) -> None:
        if self.kind == "practice":
            self.players[0].lazy = self.rng.random() < 0.5
            self.players[0].think = (0.2, 0.6)
        elif self.rng.random() < 0.3:
            self.rng.choice(self.players).lazy = True
        for player in self.players:
            player.leaves = self.kind != "room"

    def _sit_down(self) -> Room:
        game = self.rng.choice(GAMES)
        if self.kind == "practice":
            return services.create_practice(user=self.users[0], **game)
        seat = services.seat_of(self.users[0])  # a room that was opened, though its answer was lost
        pay = self.rng.choice(services.PAYS)
        room = seat.room if seat else services.create_room(user=self.users[0], pace="fast", pay=pay, **game)
        for user in self.users[1 : room.options.get("players", 4)]:
            services.join_room(user=user, code=room.code)
        return room

    def stop(self) -> None:
        """No further room; this one is left or dissolved once its present hand is over."""
        self.stopping = True
        for player in self.players:
            player.lazy = False
            player.hands_wanted = len(player.settled) + 1 if self.kind == "room" else 0  # leaves between hands
            player.later(player.again())

    def seated(self) -> list[ChaosPlayer]:
        """Those who are at the table and see a hand."""
        return [p for p in self.players if p.socket is not None and p.hand is not None and not p.finished]
