"""A finished hand: who may see it, its replay from every seat, and the command that proves it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from liuzhou.accounts.models import User
from liuzhou.rules.view import reduce
from rooms import records, table
from rooms.fold import SPECTATOR
from rooms.history import replay, share_key
from rooms.models import Hand
from tests.rooms.test_services import running
from tests.rooms.test_table import HOUR

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def finished(cast: list[User]) -> Hand:
    hand = running(cast).hands.get(state="running")
    table.expire(hand.pk, records.database_now() + HOUR)
    return Hand.objects.get(pk=hand.pk)


def client(user: User | None) -> Client:
    made = Client()
    if user is not None:
        made.force_login(user, backend=BACKEND)
    return made


@pytest.mark.parametrize("seat", [0, 1, 2, 3, SPECTATOR])
def test_the_replay_leads_from_the_first_view_to_the_last(finished: Hand, seat: int) -> None:
    shown = replay(finished, seat)
    view = shown["view"]
    for step in shown["steps"]:
        for event in step["events"]:
            view = reduce(view, event)
    assert view == records.load(finished.pk).view(seat)
    assert view["result"] == finished.settlement


def test_players_and_holders_of_the_link_see_it_and_nobody_else(finished: Hand, cast: list[User]) -> None:
    for path in ("record.json", "replay.json", "replay.json?seat=2"):
        address = f"/hands/{finished.pk}/{path}"
        assert client(cast[0]).get(address).status_code == 200
        for stranger in (cast[4], None):
            assert client(stranger).get(address).status_code == 404
            mark = "&" if "?" in address else "?"
            assert client(stranger).get(f"{address}{mark}k={share_key(finished.pk)}").status_code == 200
            assert client(stranger).get(f"{address}{mark}k={share_key(finished.pk + 1)}").status_code == 404


def test_a_running_hand_is_shown_to_nobody(cast: list[User]) -> None:
    hand = running(cast).hands.get(state="running")
    for path in ("", "record.json", "replay.json"):
        assert client(cast[0]).get(f"/hands/{hand.pk}/{path}?k={share_key(hand.pk)}").status_code == 404
    with pytest.raises(CommandError, match="not over"):
        call_command("verify_hand", hand.pk)


@pytest.mark.parametrize("seat", ["4", "-1", "x", "1.0", "９"])
def test_a_seat_that_is_none_is_explained(finished: Hand, cast: list[User], seat: str) -> None:
    answer = client(cast[0]).get(f"/hands/{finished.pk}/replay.json", {"seat": seat})
    assert answer.status_code == 400
    assert "0 / 1 / 2 / 3" in answer.json()["error"]


def test_the_command_proves_a_hand_and_finds_a_forged_one(finished: Hand) -> None:
    out = StringIO()
    call_command("verify_hand", finished.pk, stdout=out)
    assert "as committed" in out.getvalue()
    Hand.objects.filter(pk=finished.pk).update(commit="00" * 32)
    with pytest.raises(SystemExit):
        call_command("verify_hand", finished.pk, stdout=out)
    assert "WRONG: the secret" in out.getvalue()
    with pytest.raises(CommandError, match="no hand"):
        call_command("verify_hand", 0)
