"""Tables fed by hand: real hands of the rules engine, brought to a moment worth looking at, and a socket that shows them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from playwright.sync_api import WebSocketRoute

from liuzhou.rules import bots, engine, wall
from liuzhou.rules.actions import Action, action_json
from liuzhou.rules.hand import waits
from liuzhou.rules.options import Options
from liuzhou.rules.state import State, adjusted
from liuzhou.rules.view import view

NAMES = ("小柳", "螺蛳姑娘", "鱼峰山人", "壶西老王")
COLORS = ("#2456a6", "#a6244f", "#6b7a3a", "#5b3fa0")


def now() -> int:
    return int(time.time() * 1000)


class FakeTable:
    """Answers the page's socket with one moment of a hand. `heard` is what the page sent, pings and syncs apart."""

    def __init__(self, state: State | None = None, *, status: str = "playing", **room: Any) -> None:
        self.state = state
        self.room = {**room_json(status), **room}
        self.heard: list[dict[str, Any]] = []
        self.socket: WebSocketRoute | None = None
        self.settled: dict[str, Any] | None = None
        self.reserve = 30_000  # what the asked seat has in its bank (ms)
        self.deaf = False  # neither answers nor accepts a new line: the network is gone

    def connected(self, socket: WebSocketRoute) -> None:
        if self.deaf:
            socket.close(code=1012)
            return
        self.socket = socket
        socket.on_message(self.answer)
        self.send(self.sync())

    def send(self, frame: dict[str, Any]) -> None:
        assert self.socket is not None
        self.socket.send(json.dumps(frame))

    def answer(self, text: str | bytes) -> None:
        frame = json.loads(text)
        if self.deaf:
            return
        if frame["do"] == "ping":
            self.send({"on": "pong", "id": frame["id"], "now": now(), "seq": 0})
        elif frame["do"] == "sync":
            self.send(self.sync())
        else:
            self.heard.append(frame)

    def acknowledge(self) -> None:
        self.send({"on": "ack", "id": self.heard[-1]["id"]})

    def refuse(self, code: str, text: str) -> None:
        self.send({"on": "error", "id": self.heard[-1]["id"], "code": code, "text": text})

    def sync(self) -> dict[str, Any]:
        shown, legal = (None, ()) if self.state is None else (view(self.state, 0), engine.legal_actions(self.state, 0))
        turn = self.state is not None and self.state.phase == "turn"
        due = {"deadline": now() + 12_000 + self.reserve * turn, "reserve": self.reserve * turn}
        ask = {"ask": "7", "actions": [action_json(one) for one in legal], **due} if legal else None
        clock = {"seat": self.state.turn, **due} if self.state is not None and turn else None
        return {
            "on": "sync",
            "seq": 0,
            "hand": None if self.state is None else 1,
            "you": 0,
            "now": now(),
            "room": self.room,
            "view": shown,
            "clock": clock,
            "ask": ask,
            "said": [],
            "settled": self.settled,
        }

    def settled_coins(self, coins: list[int]) -> None:
        """The state's settlement as the server tells it at a coin table, where `coins` moved."""
        assert self.state is not None
        result = view(self.state, 0)["result"]
        proof = {"secret": "", "seed": "", "nonces": []}
        score = [0, 0, 0, 0]
        self.settled = {"on": "settled", "hand": 1, "seq": 0, "no": 3, "result": result, "score": score, **proof}
        self.settled["coins"] = coins


def coin_room(coins: Sequence[int], offer: int | None = None) -> dict[str, Any]:
    """What makes the room a coin table of 底注 10, 小柳 being offered to move to another."""
    seats = [{**seat, "coins": held, "offer": None} for seat, held in zip(room_json("")["seats"], coins, strict=True)]
    seats[0]["offer"] = offer
    return {"stake": 10, "hands_total": 0, "price": 0, "owner": None, "seats": seats}


def room_json(status: str) -> dict[str, Any]:
    """A full room in which 小柳 sits at seat 0."""
    seats = [
        {
            "seat": seat,
            "name": name,
            "color": color,
            "number": "10000001",
            "bot": False,
            "online": seat != 3,
            "ready": seat == 1,
            "auto": seat == 2,
            "score": (12, -4, -11, 3)[seat],
            "coins": None,
            "offer": None,
        }
        for seat, (name, color) in enumerate(zip(NAMES, COLORS, strict=True))
    ]
    return {
        "code": "204680",
        "status": status,
        "practice": False,
        "stake": 0,
        "pay": "owner",
        "price": 2,
        "spectators": "none",
        "preset": "classic",
        "options": Options.parse("classic", {"fish": "pond"}).as_json(),
        "pace": "normal",
        "hands_total": 4,
        "hands_played": 1,
        "owner": 0,
        "seats": seats,
        "commit": None,
        "hand": None,
        "next_at": now() + 15_000 if status == "between" else None,
        "dissolve": None,
        "history": [],
    }


def _hand(number: int) -> Iterator[tuple[State, Sequence[Action]]]:
    """Every state of one classic hand by the bots, with what seat 0 may do there."""
    options = Options.parse("classic", {"fish": "pond"})
    rng = random.Random(number)
    state, _ = engine.start(options, number % 4, wall.build(number.to_bytes(32, "big"), options))
    yield state, engine.legal_actions(state, 0)
    while asked := engine.deciders(state):
        seat = rng.choice(asked)
        action = bots.greedy(view(state, seat), engine.legal_actions(state, seat), rng)
        state, _ = engine.apply(state, action)
        yield state, engine.legal_actions(state, 0)


@cache
def moment(name: str) -> State:
    """The first moment of that name in the hands from its hint on (found once by counting from 0)."""
    wanted = MOMENTS[name]
    for number in range(HINTS.get(name, 0), 4000):
        for state, legal in _hand(number):
            if wanted(state, legal):
                return state
    raise LookupError(name)


HINTS = {"kong": 60, "crowded": 414, "settled": 55, "claim": 16, "win": 21}


def _does(legal: Sequence[Action], do: str) -> int:
    return sum(action.do == do for action in legal)


def _melds(state: State) -> int:
    return sum(len(seat.melds) for seat in state.seats)


def _kinds(state: State) -> set[str]:
    settlement = state.settlement
    return {payment["kind"] for payment in settlement.as_json()["payments"]} if settlement else set()  # type: ignore[index]


def _tenpai(state: State, legal: Sequence[Action]) -> bool:
    """Whether some discard leaves seat 0 waiting."""
    seat = state.seats[0]
    return any(
        waits(adjusted(seat.suits, action.tile, -1), 0, len(seat.melds), state.options)
        for action in legal
        if action.do == "discard"
    )


MOMENTS: dict[str, Callable[[State, Sequence[Action]], bool]] = {
    "fishing": lambda state, legal: state.phase == "fish" and state.pond.count(-1) == 5 and state.pond.count(0) == 1,
    "turn": lambda state, legal: state.phase == "turn" and state.turn == 0 and state.drawable < 60,
    "kong": lambda state, legal: state.phase == "turn" and _does(legal, "kong") > 0 and _does(legal, "win") > 0,
    "claim": lambda state, legal: state.phase == "claim" and _does(legal, "chow") > 1 and _does(legal, "pong") > 0,
    "win": lambda state, legal: state.phase == "claim" and _does(legal, "win") > 0 and _does(legal, "pong") > 0,
    "ready": lambda state, legal: state.phase == "turn" and _does(legal, "win") == 0 and _tenpai(state, legal),
    "crowded": lambda state, legal: (
        state.phase == "turn" and state.turn == 0 and _melds(state) > 8 and state.drawable < 30
    ),
    "settled": lambda state, legal: _kinds(state) == {"win", "sanbi", "kong", "fish"},
}
