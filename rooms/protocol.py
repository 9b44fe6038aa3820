"""The typed messages of the live socket, decoded here and nowhere else; `docs/protocol.md` is made from these types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from rooms.errors import RoomError

FRAME_LIMIT = 4096

NO_NUL = "^[^\\x00]*$"  # PostgreSQL keeps no text with a NUL in it
Id = Annotated[
    str,
    Meta(min_length=1, max_length=40, pattern=NO_NUL, description="chosen by the client, echoed in ack and error"),
]
PHRASES = ("hello", "hurry", "nice", "luck", "sorry", "thanks", "oops", "again", "bye")
EMOJI = ("smile", "cry", "angry", "cool", "fish", "flower")


class ActionBody(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One action of the game, as the rules write it (DESIGN 7)."""

    do: Literal["fish", "fish_done", "discard", "chow", "pong", "kong", "win", "pass"]
    tile: Annotated[str, Meta(max_length=2)] | None = None
    tiles: Annotated[str, Meta(max_length=4)] | None = None
    slot: Annotated[int, Meta(ge=1, le=8)] | None = None


class Command(Struct, tag_field="do", forbid_unknown_fields=True):
    """What a client may say. A client never names a seat."""

    id: Id


class Ready(Command, tag="ready"):
    """Ready for the next hand; `nonce` (hex) goes into its wall."""

    nonce: Annotated[str, Meta(max_length=64, pattern="^([0-9a-fA-F]{2})*$")] = ""


class Act(Command, tag="act"):
    """The answer to question `ask`."""

    ask: Annotated[str, Meta(max_length=20)]
    action: ActionBody


class Auto(Command, tag="auto"):
    """托管 on or off."""

    on: bool


class Say(Command, tag="say"):
    """Chat: one of text, phrase, emoji."""

    text: Annotated[str, Meta(max_length=200, pattern=NO_NUL)] | None = None
    phrase: Literal[PHRASES] | None = None  # type: ignore[valid-type]
    emoji: Literal[EMOJI] | None = None  # type: ignore[valid-type]


class Dissolve(Command, tag="dissolve"):
    """The owner closes a room that has not begun; afterwards anyone asks the others to dissolve it."""


class Vote(Command, tag="vote"):
    """Agree to dissolve, or not."""

    agree: bool


class Kick(Command, tag="kick"):
    """The owner sends a player away before the start."""

    seat: Annotated[int, Meta(ge=0, le=3)]


class Leave(Command, tag="leave"):
    """Give up the seat; `confirm` is needed where it has a price (逃跑 at a coin table)."""

    confirm: bool = False


class Sync(Command, tag="sync"):
    """Ask for the whole view."""


class Ping(Command, tag="ping"):
    """Answered by pong; keeps the seat online."""


AnyCommand = Ready | Act | Auto | Say | Dissolve | Vote | Kick | Leave | Sync | Ping


class Clock(Struct):
    """Whose turn the clock runs for, until when (ms since 1970), and how much of that is the seat's bank of time (ms).

    Claim windows show no clock.
    """

    seat: int
    deadline: int
    reserve: int


class Question(Struct):
    """The question open for this seat."""

    ask: str
    actions: list[dict[str, Any]]
    deadline: int
    reserve: int


class Pong(Struct, tag_field="on", tag="pong"):
    id: str
    now: int
    seq: int


class Ack(Struct, tag_field="on", tag="ack"):
    id: str


class ErrorFrame(Struct, tag_field="on", tag="error"):
    id: str | None
    code: str
    text: str


class SaidFrame(Struct, tag_field="on", tag="said", omit_defaults=True):
    seat: int
    name: str
    at: int
    text: str | None = None
    phrase: str | None = None
    emoji: str | None = None


class SeatInfo(Struct):
    """One seat of the room as everyone sees it. At a coin table `coins` is what the player has there, and `offer` the
    底注 they would be offered to move to (0: none is low enough, null: stay)."""

    seat: int
    name: str
    color: str
    number: str
    bot: bool
    online: bool
    ready: bool
    auto: bool
    score: int
    coins: int | None
    offer: int | None


class PlayedHand(Struct):
    hand: int
    no: int
    score: list[int] | None
    state: str


class DissolveVote(Struct):
    """A running request to dissolve: who asked, who agreed, until when silence agrees."""

    by: int
    agreed: list[int]
    deadline: int


class RoomInfo(Struct):
    code: str
    status: str
    practice: bool
    stake: int
    pay: str
    price: int
    spectators: str
    preset: str
    options: dict[str, Any]
    pace: str
    hands_total: int
    hands_played: int
    owner: int | None
    seats: list[SeatInfo | None]
    commit: str | None
    hand: int | None
    next_at: int | None
    dissolve: DissolveVote | None
    history: list[PlayedHand]


class RoomFrame(Struct, tag_field="on", tag="room"):
    seq: int
    room: RoomInfo


class EventFrame(Struct, tag_field="on", tag="event"):
    """`seq` counts the events this seat has seen of this hand, so it tells nothing of what others did unseen."""

    hand: int
    seq: int
    event: dict[str, Any]
    clock: Clock | None
    now: int


class AskFrame(Struct, tag_field="on", tag="ask"):
    """A question, or with empty `actions` its withdrawal."""

    hand: int
    seq: int
    ask: str
    actions: list[dict[str, Any]]
    deadline: int
    reserve: int
    now: int


class SettledFrame(Struct, tag_field="on", tag="settled"):
    """The hand's settlement, and what proves its shuffle. At a coin table `coins` is what really moved (RULES 11.4)."""

    hand: int
    seq: int
    no: int
    result: dict[str, Any]
    score: list[int]
    coins: list[int] | None
    secret: str
    seed: str
    nonces: list[str]


class SyncFrame(Struct, tag_field="on", tag="sync"):
    """All this seat may know; `you` is null for a spectator. `watching`: a newer socket of the player has the seat (他处登录)."""

    seq: int
    hand: int | None
    you: int | None
    now: int
    room: RoomInfo
    view: dict[str, Any] | None
    clock: Clock | None
    ask: Question | None
    said: list[SaidFrame]
    settled: SettledFrame | None
    watching: bool


AnyFrame = Pong | Ack | ErrorFrame | SaidFrame | RoomFrame | EventFrame | AskFrame | SettledFrame | SyncFrame

_decoder = msgspec.json.Decoder(AnyCommand)
encode = msgspec.json.Encoder().encode


def decode(text: str | None) -> AnyCommand:
    """A frame as a command, or a `RoomError` that says what is wrong with it."""
    if text is None:
        raise RoomError("not_text")
    if len(text.encode()) > FRAME_LIMIT:
        raise RoomError("too_large", limit=FRAME_LIMIT)
    try:
        return _decoder.decode(text)
    except msgspec.ValidationError as error:
        raise RoomError("bad_frame", detail=str(error)) from error
    except msgspec.DecodeError as error:
        raise RoomError("bad_json") from error


def frame_id(text: str | None) -> str | None:
    """The `id` of a frame that could not be decoded, so that its error can be matched to it."""
    try:
        value = msgspec.json.decode(text or "", type=dict).get("id")
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, str) and len(value) <= 40 else None
