"""A finished hand as a record that anyone can replay and check: log, settlement, and what fixed its wall. Reads only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from django.contrib.auth.models import AnonymousUser
from django.core.signing import Signer
from django.utils.crypto import constant_time_compare

from liuzhou.accounts.models import User
from liuzhou.rules import engine, wall
from liuzhou.rules.actions import parse_action
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from rooms import fold as folds
from rooms.chat import chat_filter
from rooms.models import Hand, Said
from rooms.proof import commitment, wall_seed
from rooms.records import log_of, milliseconds, setup_of


def hand_record(hand: Hand) -> dict[str, Any]:
    """The hand for `GET /hands/<id>/record.json`. `actions` are the rules' own; `log` has every row with its time."""
    rows = [{**row._asdict(), "body": msgspec.json.decode(row.body)} for row in log_of(hand.pk)]
    secret = bytes(hand.secret)
    return {
        "hand": hand.pk,
        "room": hand.room.code,
        "no": hand.number,
        "state": hand.state,
        "preset": hand.preset,
        "options": hand.options,
        "dealer": hand.dealer,
        "commit": hand.commit,
        "secret": secret.hex(),
        "nonces": hand.nonces,
        "seed": wall_seed(secret, hand.nonces, hand.pk).hex(),
        "started_at": milliseconds(hand.started_at) if hand.started_at else None,
        "actions": [{"seat": row["seat"], **row["body"]} for row in rows if row["body"]["do"] not in folds.TABLE_ROWS],
        "log": rows,
        "settlement": hand.settlement,
        "players": [
            {"seat": seat.index, "name": seat.name, "bot": seat.user_id is None}
            for seat in hand.players.order_by("index")
        ],
    }


def share_key(hand: int, *, chat: bool = False) -> str:
    """What a link to the hand's replay carries so that others may see it: unguessable, and for this hand alone.

    With `chat` the link also shows what was said; who shares decides which of the two to give away."""
    return Signer(salt="rooms.hand.chat" if chat else "rooms.hand").signature(str(hand))


def may_see(hand: Hand, user: User | AnonymousUser, key: str) -> bool:
    """A finished hand is seen by those who played it, by whoever has the link, and by staff who may look at hands."""
    if hand.ended_at is None:
        return False
    staff = user.has_perm("rooms.view_hand") or user.has_perm("ledger.audit")  # auditors come from a settlement's entry
    return staff or _fits(hand, key) or _fits(hand, key, chat=True) or _played(hand, user)


def may_hear(hand: Hand, user: User | AnonymousUser, key: str) -> bool:
    """What was said at the table is for those who played the hand and whom they gave a link with the chat.

    Staff see tiles and money without it: whoever looks into a hand need not read what players told each other."""
    return hand.ended_at is not None and (_fits(hand, key, chat=True) or _played(hand, user))


def _fits(hand: Hand, key: str, *, chat: bool = False) -> bool:
    return bool(key) and constant_time_compare(key, share_key(hand.pk, chat=chat))


def _played(hand: Hand, user: User | AnonymousUser) -> bool:
    return user.is_authenticated and hand.players.filter(user_id=user.pk).exists()


def said_during(hand: Hand) -> list[dict[str, Any]]:
    """The chat from the hand's start to its end, oldest first, through today's filter: [{at, seat, name, text|phrase|emoji}].

    Where the seats stay with their players, what they say of the result belongs to it: up to the next hand's start."""
    lines = (
        Said.objects.filter(room_id=hand.room_id, at__gte=hand.started_at) if hand.started_at else Said.objects.none()
    )
    if (end := _last_moment(hand)) is not None:
        lines = lines.filter(at__lt=end)
    return [
        {
            "at": milliseconds(said.at),
            "seat": said.seat,
            "name": said.name,
            said.kind: chat_filter()(said.body) if said.kind == "text" else said.body,
        }
        for said in lines.order_by("pk")
    ]


def _last_moment(hand: Hand) -> datetime | None:
    """When the hand's chat ends: at a coin table with the hand, because others may sit down after it."""
    if hand.room.stake:
        return hand.ended_at
    later = hand.room.hands.filter(number__gt=hand.number, started_at__isnull=False).order_by("number")
    return later.values_list("started_at", flat=True).first()


def replay(hand: Hand, seat: int) -> dict[str, Any]:
    """The hand as `seat` saw it (or a spectator): the first view, then each row's events with its time in ms."""
    fold = folds.begin(setup_of(hand))
    first, steps = fold.view(seat), []
    for row in log_of(hand.pk):
        fold, outgoing = folds.step(fold, row)
        if seat in outgoing and outgoing[seat].events:
            steps.append({"at": row.at, "origin": row.origin, "events": [event for _, event in outgoing[seat].events]})
    return {"seat": seat, "started": fold.setup.started, "view": first, "steps": steps}


def verify(record: dict[str, Any]) -> list[str]:
    """What is wrong with a hand's record, in words; empty if it proves itself.

    Checks that the secret is the one committed to, that the seed follows from it and the nonces, and that replaying
    the actions on that wall gives the stored settlement. Needs nothing but the record.
    """
    wrong = []
    secret = bytes.fromhex(record["secret"])
    if commitment(secret) != record["commit"]:
        wrong.append("the secret is not the one that was committed to")
    seed = wall_seed(secret, record["nonces"], record["hand"])
    if seed.hex() != record["seed"]:
        wrong.append("the seed does not follow from secret, nonces and hand id")
    try:
        replayed = _replay(record, seed)
    except RuleError as error:
        return [*wrong, f"the log cannot be played on this wall: {error}"]
    if replayed != record["settlement"]:
        wrong.append("replaying the log does not give the stored settlement")
    return wrong


def _replay(record: dict[str, Any], seed: bytes) -> dict[str, Any] | None:
    """The settlement that the record's actions lead to, or None if they end before it."""
    options = Options.parse(record["preset"], record["options"])
    state, _ = engine.start(options, record["dealer"], wall.build(seed, options))
    for action in record["actions"]:
        body = {key: value for key, value in action.items() if key != "seat"}
        state, _ = engine.apply(state, parse_action(action["seat"], body))
    return state.settlement.as_json() if state.settlement is not None else None
