"""The cast of the agents' tests: an applicant with three friends at the table, admins, agents with players and cards."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group

from ledger import desk
from ledger import services as ledger
from liuzhou.accounts.agents.handing import stock_account
from liuzhou.accounts.agents.models import Agent, Bond
from liuzhou.accounts.models import User
from liuzhou.accounts.staff import AGENTS
from rooms import records, services, table
from rooms.models import Room
from tests import staff

HOUR = 3_600_000
CLASSIC: dict[str, Any] = {"preset": "classic", "options": {"fish": "none"}}
MakeUser = Callable[..., User]


def new_player(name: str, **fields: Any) -> User:
    """A committed player under a name nobody else has, with a new player's coins and cards."""
    nickname = f"{name}{uuid.uuid4().hex[:6]}"
    user = User.objects.create_user(f"{name}-{uuid.uuid4().hex[:10]}", password="x", nickname=nickname, **fields)
    ledger.grant_signup(user_id=user.pk)
    return user


@pytest.fixture
def table_of_four(real_db: None) -> list[User]:
    """东 wants to become an agent and has cards enough for many rooms."""
    four = [new_player(name) for name in ("dong", "nan", "xi", "bei")]
    give_cards(four[0], 100)
    return four


def give_cards(user: User, cards: int) -> None:
    wallet = ledger.wallet(owner_ref=user.pk, currency=ledger.CARD)
    desk.issue(key=f"test:{uuid.uuid4().hex}", account=wallet, amount=cards, actor=1, reason="test")


def open_room(four: list[User], at: datetime | None = None) -> Room:
    """A private room of the first one's, everybody ready, its first hand running; opened at that time."""
    room = services.create_room(user=four[0], **CLASSIC)
    for user in four[1:]:
        services.join_room(user=user, code=room.code)
    for user in four:
        services.set_ready(room_id=room.pk, user=user)
    if at is not None:
        Room.objects.filter(pk=room.pk).update(created_at=at)
    return room


def first_hand(room: Room) -> int:
    return int(room.hands.get(number=1).pk)


def play_out(room: Room, four: list[User]) -> Room:
    """Settle the running hand by the clock, then dissolve the room, so that the next can be opened."""
    table.expire(room.hands.get(state="running").pk, records.database_now() + HOUR)
    return close(room, four)


def close(room: Room, four: list[User]) -> Room:
    services.ask_dissolve(room_id=room.pk, user=four[0])
    for user in four[1:]:
        services.vote(room_id=room.pk, user=user, agree=True)
    room.refresh_from_db()
    assert room.status == Room.Status.DISSOLVED
    return room


def open_rooms(four: list[User], count: int, at: datetime | None = None) -> None:
    for _ in range(count):
        play_out(open_room(four, at), four)


@pytest.fixture
def boss(real_db: None) -> User:
    rights = ("view_agent", "view_application", "view_order", "view_bond", "view_handover", "decide_application")
    return staff.make("boss", *(f"agents.{one}" for one in (*rights, "suspend_agent", "issue_order")))


@pytest.fixture
def make_agent(real_db: None) -> Callable[..., Agent]:
    """make_agent(cards=0): an agent as an approval leaves one, with that stock."""
    return new_agent


def new_agent(cards: int = 0, name: str = "agent") -> Agent:
    user = new_player(name, is_staff=True)
    user.groups.add(Group.objects.get_or_create(name=AGENTS)[0])
    agent = Agent.objects.create(user=user)
    if cards:
        lines = [
            ledger.Line(ledger.system("card_sales", ledger.CARD), -cards),
            ledger.Line(stock_account(agent), cards),
        ]
        ledger.post(kind="purchase", key=f"test:{uuid.uuid4().hex}", lines=lines, actor=1, reason="test")
    return agent


def bind(agent: Agent, player: User | None = None) -> Bond:
    """A player of the agent's, as consent leaves it."""
    player = player or new_player("player")
    return Bond.objects.create(agent=agent, player=player, via=Bond.Via.NUMBER, state=Bond.State.ACTIVE)
