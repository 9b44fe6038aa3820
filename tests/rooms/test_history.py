"""A finished hand: who may see it, its replay from every seat, and the command that proves it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.test import Client

from liuzhou.accounts.models import User
from liuzhou.rules.view import reduce
from rooms import chat, records, services, table
from rooms.fold import SPECTATOR
from rooms.history import replay, share_key
from rooms.models import Hand, Room, Said
from tests.rooms.test_services import running
from tests.rooms.test_table import HOUR

BACKEND = settings.AUTHENTICATION_BACKENDS[0]


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


def said_in(hand: Hand, user: User | None, key: str = "") -> list[dict[str, object]] | None:
    """The chat as the replay gives it to `user`; None where it gives none."""
    answer = client(user).get(f"/hands/{hand.pk}/replay.json", {"k": key} if key else {})
    assert answer.status_code == 200
    said: list[dict[str, object]] | None = answer.json().get("said")
    return said


@pytest.fixture
def talked(cast: list[User]) -> Hand:
    """A finished hand with words before it, in it, after it, and in the next one."""
    room = running(cast)
    Said.objects.create(room=room, seat=0, name="东", kind="text", body="早", at=records.moment(0))
    chat.say(room_id=room.pk, user=cast[0], kind="text", body="好牌")
    chat.say(room_id=room.pk, user=cast[1], kind="phrase", body="hurry")
    hand = room.hands.get(state="running")
    table.expire(hand.pk, records.database_now() + HOUR)
    chat.say(room_id=room.pk, user=cast[2], kind="emoji", body="cry")
    for user in cast[:4]:
        services.set_ready(room_id=room.pk, user=user)
    chat.say(room_id=room.pk, user=cast[3], kind="text", body="下一局")
    return Hand.objects.get(pk=hand.pk)


def test_the_chat_is_the_hands_own_and_at_the_moments_it_was_said(talked: Hand, cast: list[User]) -> None:
    said = said_in(talked, cast[3])
    assert said is not None
    assert [(line["seat"], line.get("text") or line.get("phrase") or line.get("emoji")) for line in said] == [
        (0, "好牌"), (1, "hurry"), (2, "cry"),
    ]  # fmt: skip
    assert talked.started_at is not None
    assert records.milliseconds(talked.started_at) <= int(str(said[0]["at"])) <= int(str(said[1]["at"]))


def test_the_chat_is_for_the_players_and_whom_they_give_it_to(talked: Hand, cast: list[User]) -> None:
    plain, whole = share_key(talked.pk), share_key(talked.pk, chat=True)
    staff = cast[4]
    staff.user_permissions.add(Permission.objects.get(codename="view_hand"))
    assert said_in(talked, staff) is None
    for stranger in (staff, None):
        assert said_in(talked, stranger, plain) is None
        assert len(said_in(talked, stranger, whole) or ()) == 3
        assert whole not in client(stranger).get(f"/hands/{talked.pk}/", {"k": plain}).text
    assert len(said_in(talked, cast[0], plain) or ()) == 3
    assert whole in client(cast[0]).get(f"/hands/{talked.pk}/").text
    other = share_key(talked.pk + 1, chat=True)
    assert client(None).get(f"/hands/{talked.pk}/replay.json", {"k": other}).status_code == 404


def test_at_a_coin_table_the_chat_ends_with_the_hand(talked: Hand, cast: list[User]) -> None:
    Room.objects.filter(pk=talked.room_id).update(stake=10)
    assert [line["seat"] for line in said_in(talked, cast[0]) or ()] == [0, 1]


def test_words_the_operator_masks_later_are_masked_in_the_replay(
    talked: Hand, cast: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "CHAT_WORDS", ["好"])
    chat.chat_filter.cache_clear()
    try:
        assert [line.get("text") for line in said_in(talked, cast[0]) or ()] == ["＊牌", None, None]
    finally:
        chat.chat_filter.cache_clear()


def test_auditors_see_the_hand_behind_a_settlement(finished: Hand, cast: list[User]) -> None:
    cast[4].groups.add(Group.objects.get(name="auditors"))
    assert client(cast[4]).get(f"/hands/{finished.pk}/record.json").status_code == 200
    assert said_in(finished, cast[4]) is None
