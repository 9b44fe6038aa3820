"""Reads hands back out of the database: a hand's setup and log as a fold, rows after a number, the database's time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from liuzhou.rules.options import Options
from rooms import fold as folds
from rooms.fold import Fold, Row, Setup
from rooms.models import Hand
from rooms.proof import wall_seed


def milliseconds(when: datetime) -> int:
    """A timestamp of the database as ms since 1970, rounded as the log's SQL rounds it."""
    return round(when.timestamp() * 1000)


def moment(ms: int) -> datetime:
    """The inverse of `milliseconds`."""
    return datetime.fromtimestamp(ms / 1000, tz=UTC)


def database_now() -> int:
    """The database's clock, in ms."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        return cursor.fetchone()[0]


PULSE = """
WITH before AS (SELECT at FROM rooms_pulse WHERE name = %(name)s FOR UPDATE),
     beat AS (
         INSERT INTO rooms_pulse (name, at) VALUES (%(name)s, clock_timestamp())
         ON CONFLICT (name) DO UPDATE SET at = excluded.at
     )
SELECT (extract(epoch FROM clock_timestamp() - at) * 1000)::bigint FROM before
"""


def pulse(name: str) -> int:
    """Give a sign of life; how long ago the last one was, in ms (0 for the first). One caller alone sees a long gap."""
    with connection.cursor() as cursor:
        cursor.execute(PULSE, {"name": name})
        found = cursor.fetchone()
    return found[0] if found else 0


def setup_of(hand: Hand) -> Setup:
    """A started hand's setup, its wall seed derived from secret, nonces and id."""
    if hand.started_at is None:
        raise ValueError(f"hand {hand.pk} has not started")
    return Setup(
        hand=hand.pk,
        room=hand.room_id,
        options=Options.parse(hand.preset, hand.options),
        dealer=hand.dealer or 0,
        seed=wall_seed(bytes(hand.secret), hand.nonces, hand.pk),
        bots=tuple(hand.setup["bots"]),
        autos=tuple(hand.setup["autos"]),
        pace=hand.setup["pace"],
        started=milliseconds(hand.started_at),
    )


def rows_after(hand_id: int, seq: int) -> list[Row]:
    """The hand's committed rows beyond `seq`, in order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq, seat, body, origin, ref, (extract(epoch FROM at) * 1000)::bigint FROM rooms_action"
            " WHERE hand_id = %s AND seq > %s ORDER BY seq",
            [hand_id, seq],
        )
        return [Row(*found) for found in cursor.fetchall()]


def load(hand_id: int) -> Fold:
    """The hand as it stands in the log."""
    fold = folds.begin(setup_of(Hand.objects.get(pk=hand_id)))
    for row in rows_after(hand_id, 0):
        fold, _ = folds.step(fold, row)
    return fold


def log_of(hand_id: int) -> list[Row]:
    return rows_after(hand_id, 0)


@dataclass(frozen=True, slots=True)
class Head:
    """How far a hand is: its number of rows and its state."""

    seq: int
    state: str


def heads(hand_ids: list[int]) -> dict[int, Head]:
    return {
        pk: Head(seq, state)
        for pk, seq, state in Hand.objects.filter(pk__in=hand_ids).values_list("pk", "seq", "state")
    }
