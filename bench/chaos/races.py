"""The faults that are races between people and the clock, an admin, each other; and many who come and go."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from bench.chaos.faults import Scene, fault
from bench.chaos.players import ChaosPlayer
from bench.chaos.tables import db, new_user, signed_in
from rooms import fold as folds
from rooms import records, services, table
from rooms.client import Refused
from rooms.errors import RoomError
from rooms.models import Hand, Seat

RACES = 40
JOINS = 50
CHURN, CHURN_FULL = 400, 10_000
# A connection leaves cycles, which Python collects now and then: some 20 MiB, reached after about a thousand connections.
GROWTH_MIB, GROWTH_FULL_MIB = 15.0, 5.0


@fault("timeout racing click")
async def timeout_race(scene: Scene) -> str:
    """The clock answers for a seat whose click is on its way, through another process's door."""
    lost = won = 0
    for _ in range(RACES):
        tasks: list[asyncio.Task[bool]] = []

        def strike(player: ChaosPlayer, tasks: list[asyncio.Task[bool]] = tasks) -> None:
            tasks.append(asyncio.create_task(db(_expire_one, player.hand, player.seat)))

        if await scene.caught(scene.rng.choice(("turn", "claim", "turn")), strike) is None:
            break
        if await tasks[0]:
            won += 1
        else:
            lost += 1
    return f"{won} won by the clock, {lost} by the click"


def _expire_one(hand: int, seat: int) -> bool:
    """What `table.expire` does for one seat whose time is up, once."""
    fold = records.load(hand)
    if not fold.running or fold.asks[seat] is None:
        return False
    body = folds.msgspec.json.decode(folds.body_of(table.house_action(fold, seat)))
    try:
        table.commit(table.attempt(fold, seat, body, origin=folds.CLOCK, now=records.database_now()))
    except table.LostRace:
        return False
    return True


@fault("settle racing dissolve racing void")
async def closing_race(scene: Scene) -> str:
    """At the moment a hand is won an admin voids it and everybody votes to dissolve the room."""
    admin = await db(new_user, "admin")
    ends: list[str] = []
    for _ in range(4):
        racing: list[asyncio.Task[Any]] = []

        def strike(player: ChaosPlayer, racing: list[asyncio.Task[Any]] = racing) -> None:
            works = [db(_void, player.hand, admin), db(_dissolve, player.hand)]
            scene.rng.shuffle(works)
            racing.extend(asyncio.create_task(work) for work in works)

        hands: list[int] = []
        player = await scene.caught("before win", lambda p, hands=hands: (hands.append(p.hand), strike(p)))
        if player is None:
            break
        await asyncio.gather(*racing)
        await asyncio.sleep(0.5)
        ends.append(await db(lambda hands=hands: Hand.objects.get(pk=hands[0]).state))
    return f"ended as {', '.join(ends) or 'nobody won'}"


def _void(hand: int, admin: Any) -> None:
    try:
        services.void_hand(hand_id=hand, admin=admin, reason="chaos")
    except RoomError as error:
        if error.code != "hand_over":
            raise


def _dissolve(hand: int) -> None:
    room = Hand.objects.values_list("room_id", flat=True).get(pk=hand)
    people = [seat.user for seat in Seat.objects.filter(room=room, bot="").select_related("user")]
    for n, user in enumerate(people):
        try:
            if n == 0:
                services.ask_dissolve(room_id=room, user=user)
            else:
                services.vote(room_id=room, user=user, agree=True)
        except RoomError as error:
            if error.code not in ("no_vote", "vote_open", "room_closed", "busy"):
                raise


@fault("50 joins for the last seat")
async def last_seat(scene: Scene) -> str:
    users = [await db(new_user, "join") for _ in range(3)]
    room = await db(services.create_room, user=users[0], preset="classic", options={})
    for user in users[1:]:
        await db(services.join_room, user=user, code=room.code)
    urls = list(scene.site.urls.values())
    visitors = [await db(lambda n=n: signed_in(new_user("join"), urls[n % 2])) for n in range(JOINS)]

    def join(visitor: Any) -> bool:
        try:
            return "/r/" in visitor.post("/rooms/join/", code=room.code)[0]
        except Refused:
            return False

    seated = sum(await asyncio.gather(*(asyncio.to_thread(join, visitor) for visitor in visitors)))
    taken = await db(Seat.objects.filter(room=room).count)
    if (seated, taken) != (1, 4):
        scene.wrong.append(f"50 joins: {seated} were let in, {taken} seats are taken")
    await db(services.ask_dissolve, room_id=room.pk, user=users[0])
    return f"{seated} let in"


@fault("coming and going")
async def churn(scene: Scene) -> str:
    """Connects and disconnects, politely and not, must leave nothing behind in the process."""
    users = [await db(new_user, "churn") for _ in range(4)]
    room = await db(services.create_room, user=users[0], preset="classic", options={})
    for user in users[1:]:
        await db(services.join_room, user=user, code=room.code)
    url = scene.site.urls["web2"]
    visitors = [await db(signed_in, user, url) for user in users]
    total = CHURN_FULL if scene.full else CHURN
    sizes = [scene.site.memory("web2")]
    for _ in range(4):
        await _come_and_go(visitors, room.code, total // 4)
        sizes.append(scene.site.memory("web2"))
    grown = sizes[-1] - sizes[2]  # in the second half; the first fills caches and the allocator's arenas
    if grown > (GROWTH_FULL_MIB if scene.full else GROWTH_MIB):
        scene.wrong.append(f"coming and going: {grown:.1f} MiB more after {total // 2} connections")
    await db(services.ask_dissolve, room_id=room.pk, user=users[0])
    return f"{total} times, MiB: {' '.join(f'{size:.1f}' for size in sizes)}"


async def _come_and_go(visitors: list[Any], code: str, times: int) -> None:
    queue = iter(range(times))

    async def one(visitor: Any, polite: bool) -> None:
        address = visitor.base.replace("http", "ws", 1) + f"/ws/r/{code}/"
        headers = {"Cookie": visitor.cookies(), "Origin": visitor.base}
        for _ in queue:
            try:
                socket = await connect(address, additional_headers=headers, ping_interval=None, close_timeout=1)
                if polite:
                    await asyncio.wait_for(socket.recv(), 10)
                    await socket.close()
                else:
                    socket.transport.abort()
            except (WebSocketException, OSError, TimeoutError):
                continue

    await asyncio.gather(*(one(visitor, polite) for visitor in visitors for polite in (True, True, False)))
