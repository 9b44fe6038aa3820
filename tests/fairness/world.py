"""Finished hands as the site would have stored them: played by the rules' bots, with log, settlement, players and coins."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.fairness import play
from liuzhou.accounts.models import User
from liuzhou.rules.actions import action_json
from liuzhou.rules.options import Options
from rooms.models import Action, Hand, Played, Room, Seat
from rooms.proof import commitment, wall_seed
from rooms.seating import hashed

NOON = datetime(2026, 11, 20, 4, tzinfo=UTC)  # in Shanghai
GREEDY = ("greedy",) * 4


def player(name: str) -> User:
    return User.objects.create_user(f"{name}-{secrets.token_hex(4)}", password=None, nickname=name[:8])


def room(players: Sequence[User | None], *, stake: int = 10, preset: str = "classic", practice: bool = False,
         addresses: Sequence[str] = (), **options: Any) -> Room:  # fmt: skip
    """A table where these sit."""
    chosen = Options.parse(preset, {"players": len(players), **options})
    made = Room.objects.create(
        code=f"{secrets.randbelow(1_000_000):06d}", stake=stake, preset=preset, options=chosen.as_json(),
        status=Room.Status.DONE, practice=practice,
    )  # fmt: skip
    for index, user in enumerate(players):
        address = hashed(addresses[index]) if index < len(addresses) else ""
        Seat.objects.create(
            room=made, index=index, user=user, name=f"{index}", address=address, bot="" if user else "greedy"
        )
    return made


def settled(where: Room, players: Sequence[User | None], rng: random.Random, *, ended: datetime = NOON,
            names: Sequence[str] = GREEDY, feeding: Mapping[int, int] | None = None, dump: bool = False) -> Hand:  # fmt: skip
    """One hand at that table, played to its end and stored."""
    options, secret = Options.parse(where.preset, where.options), rng.randbytes(32)
    number = where.hands.count() + 1
    hand = Hand.objects.create(
        room=where, number=number, secret=secret, commit=commitment(secret), nonces=["", "", "", ""][: options.players],
        preset=where.preset, options=where.options, dealer=number % options.players, state=Hand.State.SETTLED,
        setup={"bots": [""] * options.players, "autos": [False] * options.players, "pace": "normal"},
        started_at=ended - timedelta(minutes=3), ended_at=ended,
    )  # fmt: skip
    seed = wall_seed(secret, hand.nonces, hand.pk)
    state, done = play(options, names, number % options.players, rng, seed=seed, feeding=feeding, dump=dump)
    assert state.settlement is not None
    hand.settlement = state.settlement.as_json()
    hand.seq = len(done)
    hand.save()
    Action.objects.bulk_create(
        Action(hand=hand, seq=seq, seat=action.seat, body=json.dumps(action_json(action))) for seq, action in enumerate(done, 1)
    )  # fmt: skip
    points = state.settlement.score
    Played.objects.bulk_create(
        Played(hand=hand, index=index, user=user, name=f"{index}", score=points[index],
               coins=points[index] * where.stake if where.stake else None)
        for index, user in enumerate(players)
    )  # fmt: skip
    return hand


def evening(players: Sequence[User], hands: int, seed: int, *, reseat: int = 8, **how: Any) -> list[Hand]:
    """So many hands of these four, at a new table in another order after every few. `feeding` is by place in `players`."""
    rng, made = random.Random(seed), []
    feeding = how.pop("feeding", None)
    start = how.pop("start", NOON)
    stake = how.pop("stake", 10)
    order, where = list(range(len(players))), None
    for number in range(hands):
        if number % reseat == 0:
            rng.shuffle(order)
            where = room([players[place] for place in order], stake=stake)
        seats = {order.index(one): order.index(other) for one, other in feeding.items()} if feeding else None
        assert where is not None
        when = start + timedelta(minutes=4 * number)
        made.append(settled(where, [players[place] for place in order], rng, ended=when, feeding=seats, **how))
    return made
