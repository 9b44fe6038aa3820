"""Takes settled hands into the sums, each exactly once: its row in `Taken` and what it adds are one transaction.

Only hands that are settled are ever read; a running hand's log and secret are not looked at."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from liuzhou.accounts.days import database_now, day_of
from liuzhou.fairness import marks
from liuzhou.fairness.expectation import table_class
from liuzhou.fairness.facts import OWN, TALLY, Facts, Own, Tally, facts_of
from liuzhou.fairness.models import Mark, Progress, Taken
from liuzhou.rules import engine, wall
from liuzhou.rules.actions import parse_action
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from rooms.fold import TABLE_ROWS
from rooms.models import Hand, Played, Seat
from rooms.proof import wall_seed
from rooms.records import log_of

BATCH: Final = 100
SLOT_HOURS: Final = 3
# A hand's end is stamped a moment before it is committed: hands are looked for this far behind the mark, again and again.
OVERLAP: Final = timedelta(minutes=15)

CLAIM = """
INSERT INTO fairness_taken (hand_id, weighed, problem)
SELECT hand, false, '' FROM unnest(%s::bigint[]) AS hand ORDER BY hand
ON CONFLICT (hand_id) DO NOTHING RETURNING hand_id
"""
SIT = """
INSERT INTO fairness_sitting (slot, preset, stake, room_id, player_id) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (room_id, slot, player_id) DO NOTHING
"""

PairKey = tuple[int, int, date, str]  # taker, feeder, day, table
PlayerKey = tuple[int, date, str]


class Unreadable(ValueError):
    """A hand whose log does not lead to its settlement."""


@dataclass
class Sums:
    """What a batch of hands adds."""

    pairs: dict[PairKey, Tally] = field(default_factory=lambda: defaultdict(Tally))
    players: dict[PlayerKey, Own] = field(default_factory=lambda: defaultdict(Own))
    sittings: set[tuple[datetime, str, int, int, int]] = field(default_factory=set)


def waiting(through: datetime | None) -> QuerySet[Hand]:
    """Settled hands of rooms with people that are not in yet, the oldest first."""
    found = Hand.objects.filter(state=Hand.State.SETTLED, room__practice=False, ended_at__isnull=False)
    if through is not None:
        found = found.filter(ended_at__gte=through - OVERLAP)
    return found.filter(~Exists(Taken.objects.filter(hand=OuterRef("pk")))).order_by("ended_at", "pk")


def take(*, most: int = BATCH) -> int | None:
    """Take in the next batch; how many hands that were, None while another worker is at it."""
    Progress.objects.get_or_create(pk=1)
    with transaction.atomic():
        progress = Progress.objects.select_for_update(skip_locked=True).filter(pk=1).first()
        if progress is None:
            return None
        hands = list(waiting(progress.through).select_related("room")[:most])
        count, problems = take_in(hands)
        if hands:
            latest = max(hand.ended_at for hand in hands if hand.ended_at)
            progress.through = max(latest, progress.through or latest)
        progress.hands += count
        progress.problems += problems
        progress.taken_at = database_now()
        progress.save(update_fields=["through", "hands", "problems", "taken_at"])
        return count


def take_all(*, seconds: float) -> int:
    """Batch after batch until none is left, another worker is at it, or the time is over."""
    until, total = time.monotonic() + seconds, 0
    while (count := take()) and time.monotonic() < until:
        total += count
    return total + (count or 0)


def take_in(hands: Sequence[Hand]) -> tuple[int, int]:
    """Add these hands to the sums, except those that somebody has added before: (hands added, unreadable among them).

    Call it inside a transaction. A second worker with the same hands waits here for the first one's commit."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [[hand.pk for hand in hands]])
        mine = {row[0] for row in cursor.fetchall()}
    hands = [hand for hand in hands if hand.pk in mine]
    seats = _seats(hands)
    known = _note_addresses(hands, seats)
    sums, problems = Sums(), 0
    for hand in hands:
        try:
            _add(sums, hand, seats[hand.pk], known)
        except (Unreadable, RuleError) as error:
            problems += 1
            Taken.objects.filter(hand=hand).update(problem=str(error)[:200], weighed=True)
    _store(sums)
    return len(hands), problems


def _seats(hands: Iterable[Hand]) -> dict[int, list[Played]]:
    found: dict[int, list[Played]] = {hand.pk: [] for hand in hands}
    for played in Played.objects.filter(hand__in=found).order_by("hand_id", "index"):
        found[played.hand_id].append(played)
    return found


def _note_addresses(hands: Sequence[Hand], seats: Mapping[int, list[Played]]) -> Mapping[int, list[Mark]]:
    """Keep from where the coin tables' players came (as far as they still sit there); all marks of these players."""
    tables = {hand.room_id: hand for hand in hands if hand.room.stake}
    seen = []
    users = {played.user_id for hand in tables.values() for played in seats[hand.pk] if played.user_id}
    for seat in Seat.objects.filter(room__in=tables, user__in=users).exclude(address=""):
        ended = tables[seat.room_id].ended_at
        if ended and seat.user_id:
            address = marks.address_digest(seat.address)
            seen.append(marks.Seen(seat.user_id, Mark.Kind.ADDRESS, address, day_of(ended)))
    marks.note(seen)
    return marks.known(
        played.user_id for hand in hands if hand.room.stake for played in seats[hand.pk] if played.user_id
    )


def final_state(hand: Hand) -> State:
    """The end of a settled hand, by replaying its log. Unreadable where that is not the settlement that was stored."""
    if hand.state != Hand.State.SETTLED:
        raise ValueError("only settled hands are read")
    options = Options.parse(hand.preset, hand.options)
    seed = wall_seed(bytes(hand.secret), hand.nonces, hand.pk)
    state, _ = engine.start(options, hand.dealer or 0, wall.build(seed, options))
    for row in log_of(hand.pk):
        body: dict[str, Any] = msgspec.json.decode(row.body)
        if body["do"] not in TABLE_ROWS:
            state, _ = engine.apply(state, parse_action(row.seat, body))
    if state.settlement is None or state.settlement.as_json() != hand.settlement:
        raise Unreadable("the log does not lead to the stored settlement")
    return state


def _add(sums: Sums, hand: Hand, seats: Sequence[Played], known: Mapping[int, list[Mark]]) -> None:
    state, stake = final_state(hand), hand.room.stake
    users = {played.index: played.user_id for played in seats}
    if len(users) != state.options.players:
        raise Unreadable("it is not known who sat where")
    coins = [played.coins or 0 for played in seats] if stake else None
    facts = facts_of(state, stake=stake, coins=coins)
    assert hand.ended_at is not None  # `waiting` asks for it
    day, table = day_of(hand.ended_at), table_class(hand.preset, state.options.players)
    people = [user for user in users.values() if user is not None]
    _add_pairs(sums, facts, users, day, table)
    for seat, own in enumerate(facts.seats):
        if (user := users[seat]) is not None:
            sums.players[user, day, table].add(own)
    if stake:
        sums.sittings.update((slot_of(hand.ended_at), hand.preset, stake, hand.room_id, user) for user in people)
        places = marks.shared(people, day, known)
        for one, other in places.address | places.device:
            for key in ((one, other, day, table), (other, one, day, table)):
                sums.pairs[key].same_address += (one, other) in places.address
                sums.pairs[key].same_device += (one, other) in places.device


def _add_pairs(sums: Sums, facts: Facts, users: Mapping[int, int | None], day: date, table: str) -> None:
    for pair, tally in facts.pairs.items():
        taker, feeder = users[pair.taker], users[pair.feeder]
        if taker is not None and feeder is not None:
            sums.pairs[taker, feeder, day, table].add(tally)


def slot_of(moment: datetime) -> datetime:
    """The block of hours a moment lies in, by its beginning."""
    length = SLOT_HOURS * 3600
    return datetime.fromtimestamp(moment.timestamp() // length * length, tz=UTC)


def _store(sums: Sums) -> None:
    _upsert("fairness_pairday", ("taker_id", "feeder_id", "day", "table"), TALLY, sums.pairs)
    _upsert("fairness_playerday", ("player_id", "day", "table"), OWN, sums.players)
    with connection.cursor() as cursor:
        cursor.executemany(SIT, sorted(sums.sittings))


def _upsert(table: str, keys: Sequence[str], columns: Sequence[str], rows: Mapping[Any, Tally | Own]) -> None:
    """Add the rows to those that are there, in the order of their keys: two writers never wait for each other in a ring."""
    quote = connection.ops.quote_name
    names = [quote(name) for name in (*keys, *columns)]
    grown = ", ".join(f"{quote(name)} = {table}.{quote(name)} + excluded.{quote(name)}" for name in columns)
    statement = (
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})"  # noqa: S608 - names only
        f" ON CONFLICT ({', '.join(names[: len(keys)])}) DO UPDATE SET {grown}"
    )
    values = [(*key, *(getattr(rows[key], name) for name in columns)) for key in sorted(rows)]
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(statement, values)
