"""The room as everyone in it sees it, the last settlement, the chat: what sync and room frames are made of. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from liuzhou.accounts.models import User
from rooms import presence, stakes
from rooms.models import Hand, Played, Room, Said, Seat
from rooms.proof import wall_seed
from rooms.protocol import DissolveVote, PlayedHand, RoomFrame, RoomInfo, SaidFrame, SeatInfo, SettledFrame
from rooms.records import Head, database_now, heads, milliseconds

SAID_KEPT = 50


@dataclass(frozen=True, slots=True)
class RoomState:
    """A room as a live process needs it: `holders` tells which user sits on which seat, `hand` is the one it plays or last
    played, `settled` its last settlement; at `newcomers`' seats sits somebody who did not play that hand."""

    frame: RoomFrame
    holders: dict[int, int | None]
    delayed: bool
    hand: int | None
    settled: SettledFrame | None
    newcomers: frozenset[int]


def read(room_id: int, known: SettledFrame | None = None) -> RoomState:
    """The room in four queries; the last settlement costs more, unless it is the one known already."""
    room = Room.objects.get(pk=room_id)
    seats = list(room.seats.select_related("user").only(*SEAT_FIELDS).order_by("index"))
    hands = _hands(room)
    started = [hand.pk for hand in hands if hand.started_at]
    done = next((hand for hand in reversed(hands) if hand.state == Hand.State.SETTLED), None)
    if done is not None and (known is None or known.hand != done.pk):
        known = settled_frame(Hand.objects.get(pk=done.pk), 0, _totals(room, hands))
    return RoomState(
        frame=RoomFrame(room.version, _room_info(room, seats, hands)),
        holders={seat.index: seat.user_id for seat in seats},
        delayed=room.spectators == "delayed",
        hand=started[-1] if started else None,
        settled=known if done is not None else None,
        newcomers=_newcomers(room, seats, started[-1]) if room.stake and started else frozenset(),
    )


# The table waits for this: what is not shown is not read.
SEAT_FIELDS = (
    "room", "index", "bot", "name", "ready", "auto", "score", "coins", "user__color", "user__number",
)  # fmt: skip


class _Hand(NamedTuple):
    """What the room's frame tells of a hand; `score` is null until it is settled."""

    pk: int
    number: int
    state: str
    commit: str
    started_at: datetime | None
    ended_at: datetime | None
    score: list[int] | None


def _hands(room: Room, **some: int) -> list[_Hand]:
    columns = ("pk", "number", "state", "commit", "started_at", "ended_at", "settlement__score")
    return [_Hand(*row) for row in room.hands.filter(**some).order_by("number").values_list(*columns)]


def _newcomers(room: Room, seats: list[Seat], hand: int) -> frozenset[int]:
    """Seats change hands between the hands of a coin table."""
    if room.status == Room.Status.PLAYING:
        return frozenset()
    played = dict(Played.objects.filter(hand_id=hand).values_list("index", "user_id"))
    return frozenset(seat.index for seat in seats if played.get(seat.index) != seat.user_id)


def _room_info(room: Room, seats: list[Seat], hands: list[_Hand]) -> RoomInfo:
    """Everything public about the room."""
    current = next((hand for hand in hands if hand.state == Hand.State.RUNNING), None)
    pending = next((hand for hand in hands if hand.state == Hand.State.PENDING), None)
    online = presence.online(room.pk, [seat.index for seat in seats])
    places: list[SeatInfo | None] = [None] * room.options["players"]
    for seat in seats:
        places[seat.index] = _seat_info(seat, seat.user, bool(seat.bot) or seat.index in online, room.stake)
    return RoomInfo(
        code=room.code,
        status=room.status,
        practice=room.practice,
        stake=room.stake,
        pay=room.pay,
        price=room.price,
        spectators=room.spectators,
        preset=room.preset,
        options=room.options,
        pace=room.pace,
        hands_total=room.hands_total,
        hands_played=room.hands_played,
        owner=next((seat.index for seat in seats if seat.user_id == room.owner_id), None),
        seats=places,
        commit=(pending or current).commit if (pending or current) else None,  # type: ignore[union-attr]
        hand=current.pk if current else None,
        next_at=milliseconds(room.next_at) if room.next_at else None,
        dissolve=_dissolve(room),
        history=[PlayedHand(hand.pk, hand.number, hand.score, hand.state) for hand in hands if hand.ended_at],
    )


def _seat_info(seat: Seat, user: User | None, online: bool, stake: int) -> SeatInfo:
    color = user.color if user else BOT_COLORS[seat.index % len(BOT_COLORS)]
    number = user.number if user else ""
    return SeatInfo(
        seat=seat.index,
        name=seat.name,
        color=color,
        number=number,
        bot=bool(seat.bot),
        online=online,
        ready=seat.ready,
        auto=seat.auto,
        score=seat.score,
        coins=seat.coins,
        offer=stakes.offer(stake, seat.coins),
    )


BOT_COLORS = ("#5b6b7a", "#7a5b6b", "#6b7a5b", "#7a6b5b")


def _dissolve(room: Room) -> DissolveVote | None:
    if room.dissolve_at is None or room.dissolve_by is None:
        return None
    return DissolveVote(room.dissolve_by, sorted(room.dissolve_votes), milliseconds(room.dissolve_at))


def settled_frame(hand: Hand, seq: int, totals: Sequence[int]) -> SettledFrame:
    """A settled hand with the proof of its shuffle: from now on its secret is public."""
    if hand.settlement is None:
        raise ValueError(f"hand {hand.pk} is not settled")
    secret = bytes(hand.secret)
    return SettledFrame(
        hand=hand.pk,
        seq=seq,
        no=hand.number,
        result=hand.settlement,
        score=list(totals),
        coins=_coins(hand),
        secret=secret.hex(),
        seed=wall_seed(secret, hand.nonces, hand.pk).hex(),
        nonces=hand.nonces,
    )


def _coins(hand: Hand) -> list[int] | None:
    coins = list(hand.players.order_by("index").values_list("coins", flat=True))
    return [amount or 0 for amount in coins] if any(amount is not None for amount in coins) else None


def totals_after(room: Room, number: int) -> list[int]:
    """The room's scores after hand `number`."""
    return _totals(room, _hands(room, number__lte=number))


def _totals(room: Room, hands: Iterable[_Hand]) -> list[int]:
    sums = [0] * room.options["players"]
    for hand in hands:
        if hand.state == Hand.State.SETTLED and hand.score is not None:
            sums = [a + b for a, b in zip(sums, hand.score, strict=True)]
    return sums


def said_frame(said: Said) -> SaidFrame:
    frame = SaidFrame(said.seat, said.name, milliseconds(said.at))
    setattr(frame, said.kind, said.body)
    return frame


def said_frames(room: int) -> list[SaidFrame]:
    """The latest lines of the room's chat, oldest first."""
    newest = Said.objects.filter(room_id=room).order_by("-pk")[:SAID_KEPT]
    return [said_frame(said) for said in reversed(newest)]


@dataclass(frozen=True, slots=True)
class Look:
    """What a process holds its rooms against once a second."""

    now: int
    versions: dict[int, int]
    heads: dict[int, Head]
    online: dict[int, set[int]]


def look(rooms: list[int], hands: list[int]) -> Look:
    """Three queries and one round to Valkey, however many rooms."""
    return Look(
        now=database_now(),
        versions=dict(Room.objects.filter(pk__in=rooms).values_list("pk", "version")),
        heads=heads(hands),
        online=presence.online_in(rooms),
    )
