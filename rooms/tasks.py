"""The clock of all tables (DESIGN 5.5): a sweep twice a second finds what is due and gives it an alarm."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.db import connection

from liuzhou.values import maintenance
from rooms import coin_tables, records, services, table
from rooms.errors import RoomError
from rooms.models import Room

LOOK_AHEAD_SECONDS = 1.0
BATCH = 500

# A row is given an alarm once per deadline; one that is long overdue has lost it (a killed worker) and gets another.
CLAIM = """
UPDATE rooms_hand SET alarm = deadline
WHERE id IN (
    SELECT id FROM rooms_hand
    WHERE state = 'running' AND deadline < clock_timestamp() + %s * interval '1 s'
      AND (alarm IS DISTINCT FROM deadline OR deadline < clock_timestamp() - interval '2 s')
    ORDER BY deadline LIMIT %s
    FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id, extract(epoch FROM deadline - clock_timestamp())::float8
"""

RUNNING = """
SELECT seq, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM rooms_hand WHERE id = %s AND state = 'running'
"""

# Beat's clock and a worker's may differ, by a minute where one was stepped: sweeps must not be thrown away for that.
# Without any expiry an hour without workers would end in an hour of sweeps.
SWEEP_EXPIRES = 120


@shared_task
def sweep() -> None:
    """Give an alarm to every hand due within a second; start and close the rooms whose time has come."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [LOOK_AHEAD_SECONDS, BATCH])
        due: list[tuple[int, float]] = cursor.fetchall()
    for hand, seconds in due:
        # Never an ETA by the database's clock, which is not the workers'; and none at all for what is overdue.
        expire.apply_async(kwargs={"hand": hand}, countdown=seconds if seconds > 0 else None)
    for room in _overdue(next_at__isnull=False, status__in=Room.OPEN, past="next_at"):
        start_next.delay(room=room)
    for room in _overdue(dissolve_at__isnull=False, status__in=Room.OPEN, past="dissolve_at"):
        dissolve.delay(room=room)
    stale = records.moment(records.database_now()) - timedelta(minutes=services.WAITING_MINUTES)
    down = maintenance.current()
    if down.on or (down.since is not None and down.since > stale):
        return  # the half hour in which to begin counts anew from the end of maintenance
    for room in Room.objects.filter(status=Room.Status.WAITING, stake=0, created_at__lt=stale).values_list(
        "pk", flat=True
    )[:BATCH]:
        dissolve.delay(room=room)


def _overdue(*, past: str, **filters: object) -> list[int]:
    now = records.moment(records.database_now())
    return list(Room.objects.filter(**filters, **{f"{past}__lte": now}).values_list("pk", flat=True)[:BATCH])


@shared_task
def expire(*, hand: int) -> None:
    """Answer for whoever's time is up in `hand`. A task that comes early (clocks differ) comes back when it is time."""
    with connection.cursor() as cursor:
        cursor.execute(RUNNING, [hand])
        found: tuple[int, int] | None = cursor.fetchone()
    if found is None:
        table.cache.forget(hand)
        return
    before, now = found
    fold = table.expire(hand, now)
    deadline = fold.deadline()
    if fold.seq == before and deadline is not None and deadline - now < LOOK_AHEAD_SECONDS * 1000:
        expire.apply_async(kwargs={"hand": hand}, countdown=max(0.0, (deadline - now) / 1000))


@shared_task
def start_next(*, room: int) -> None:
    """Start the next hand of a room whose pause is over."""
    services.start_overdue(room_id=room)


@shared_task
def dissolve(*, room: int) -> None:
    """Dissolve a room that is due for it; if it is just being changed, the next sweep comes by again."""
    try:
        services.dissolve(room_id=room)
    except RoomError as error:
        if error.code != "busy":
            raise


@shared_task
def tidy() -> None:
    """Coins at closed tables go back, absent players leave waiting coin tables."""
    coin_tables.tidy()


SCHEDULE = {
    "sweep": {"task": "rooms.tasks.sweep", "schedule": 0.5, "options": {"expires": SWEEP_EXPIRES}},
    "tidy": {"task": "rooms.tasks.tidy", "schedule": 30.0},
}
