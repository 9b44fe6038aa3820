"""Becoming an agent: ten rooms within one day of Shanghai, first hands settled; approved once, by somebody else."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from ledger import selectors
from ledger.services import COIN
from liuzhou.accounts.agents import applying, errors
from liuzhou.accounts.agents.models import Agent, Application, Bond
from liuzhou.accounts.agents.progress import progress
from liuzhou.accounts.days import SHANGHAI, database_now, day_of, start_of
from liuzhou.accounts.errors import AtCoinTable
from liuzhou.accounts.models import User
from liuzhou.accounts.staff import is_agent
from liuzhou.trail.models import Trail
from rooms import coin_tables, services
from rooms.errors import RoomError
from rooms.models import Room
from tests import staff
from tests.agents.conftest import bind, close, first_hand, new_agent, new_player, open_room, open_rooms, play_out

pytestmark = pytest.mark.usefixtures("real_db")


def at(days_ago: int, hour: int, minute: int, second: int = 0) -> datetime:
    """A moment of Shanghai's clock."""
    day = day_of(database_now()) - timedelta(days=days_ago)
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=SHANGHAI)


def trail_of(subject: object) -> list[str]:
    label = f"{subject._meta.label_lower}:{subject.pk}"  # type: ignore[attr-defined]
    return list(Trail.objects.filter(subject=label).order_by("pk").values_list("action", flat=True))


def test_blocked_at_nine_and_approved_at_ten(table_of_four: list[User], boss: User) -> None:
    dong = table_of_four[0]
    open_rooms(table_of_four, 9)
    asked = applying.apply(user=dong, note="我有三桌牌友")
    client, page = staff.signed_in(boss), f"/admin/agents/application/{asked.pk}/"
    assert "9<small> / 10" in client.get(f"{page}change/").content.decode()
    refused = client.post(f"{page}do/approve/")
    today = day_of(database_now())
    assert f"最近 30 天里最多的一天（{today}）开了 9 个房间" in refused.content.decode()
    dong.refresh_from_db()
    assert (dong.is_staff, is_agent(dong)) == (False, False)
    open_rooms(table_of_four, 1)
    assert client.post(f"{page}do/approve/").status_code == 302
    dong.refresh_from_db()
    asked.refresh_from_db()
    assert (dong.is_staff, is_agent(dong)) == (True, True)
    assert (asked.state, asked.decided_by, asked.best_rooms, asked.best_day) == ("approved", boss, 10, today)
    assert trail_of(asked) == ["application-view", "application-approve"]
    again = client.post(f"{page}do/approve/")
    assert f"已由 {boss.display_name} 处理：已批准" in again.content.decode()
    assert not dong.user_permissions.exists()


def test_rooms_of_two_days_do_not_add_up_and_midnight_is_shanghais(table_of_four: list[User], boss: User) -> None:
    dong = table_of_four[0]
    open_rooms(table_of_four, 9, at(3, 23, 59, 59))
    open_rooms(table_of_four, 1, at(2, 0, 0))
    found = progress(user_id=dong.pk)
    assert (found.best, found.best_day) == (9, day_of(at(3, 12, 0)))
    asked = applying.apply(user=dong)
    with pytest.raises(errors.NotEnoughRooms):
        applying.approve(application=asked.pk, admin=boss)
    open_rooms(table_of_four, 1, at(3, 0, 0))
    assert applying.approve(application=asked.pk, admin=boss).user == dong


def test_what_counts_and_what_does_not(table_of_four: list[User], boss: User) -> None:
    dong, nan = table_of_four[:2]
    void = open_room(table_of_four)
    services.void_hand(hand_id=first_hand(void), admin=boss, reason="故障")
    assert close(void, table_of_four).hands.get(number=1).state == "void"
    close(open_room(table_of_four), table_of_four)  # dissolved in the first hand
    waiting = services.create_room(user=dong, preset="classic", options={})
    services.ask_dissolve(room_id=waiting.pk, user=dong)
    open_room([nan, dong, *table_of_four[2:]])
    room = Room.objects.filter(owner=nan).latest("pk")
    play_out(room, [nan, dong, *table_of_four[2:]])  # somebody else's
    assert progress(user_id=dong.pk).best == 0
    open_rooms(table_of_four, 1, at(29, 0, 0))
    open_rooms(table_of_four, 1, at(30, 23, 59))  # too long ago
    assert (progress(user_id=dong.pk).best, progress(user_id=dong.pk).best_day) == (1, day_of(at(29, 1, 0)))
    assert progress(user_id=nan.pk).best == 1
    assert len(progress(user_id=dong.pk).days) == 30


def test_a_room_opened_before_midnight_counts_for_that_day(table_of_four: list[User]) -> None:
    room = open_room(table_of_four, start_of(day_of(database_now())) - timedelta(minutes=1))
    play_out(room, table_of_four)
    assert progress(user_id=table_of_four[0].pk).best_day == day_of(database_now()) - timedelta(days=1)


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> User:
    """A player with the rooms behind them (the counting has tests of its own)."""
    from liuzhou.accounts.agents.progress import Progress

    today = day_of(database_now())
    monkeypatch.setattr(applying, "progress", lambda *, user_id: Progress(((today, 10),), today, 10))
    return new_player("ready")


def test_nobody_approves_themselves_and_staff_do_not_become_agents(ready: User, boss: User) -> None:
    asked = applying.apply(user=ready)
    with pytest.raises(errors.OwnApplication):
        applying.approve(application=asked.pk, admin=ready)
    with pytest.raises(errors.OwnApplication):
        applying.reject(application=asked.pk, admin=ready, reason="x")
    User.objects.filter(pk=ready.pk).update(is_staff=True)
    with pytest.raises(errors.HasOtherRights):
        applying.approve(application=asked.pk, admin=boss)
    with pytest.raises(errors.AlreadyAgent):
        applying.apply(user=boss)


def test_rejected_with_a_reason_and_applied_again(ready: User, boss: User) -> None:
    client, admin = Client(), staff.signed_in(boss)
    client.force_login(ready)
    assert client.post("/accounts/agent/apply/", {"note": "请批准"}).status_code == 302
    assert "已经有一份待审的申请" in client.post("/accounts/agent/apply/", {}, follow=True).content.decode()
    asked = Application.objects.get(user=ready)
    page = f"/admin/agents/application/{asked.pk}/do/reject/"
    assert admin.post(page, {"reason": " "}).status_code == 200
    assert admin.post(page, {"reason": "资料不全"}).status_code == 302
    assert "资料不全" in client.get("/accounts/agent/").content.decode()
    assert client.post("/accounts/agent/apply/", {}).status_code == 302
    assert client.post("/accounts/agent/withdraw/").status_code == 302
    states = list(Application.objects.filter(user=ready).order_by("pk").values_list("state", flat=True))
    assert states == ["rejected", "withdrawn"]


def test_of_two_admins_at_once_one_wins(ready: User, boss: User) -> None:
    asked, other = applying.apply(user=ready), staff.make("other")
    barrier, outcomes = threading.Barrier(2), []

    def decide(admin: User, approve: bool) -> None:
        barrier.wait()
        try:
            if approve:
                applying.approve(application=asked.pk, admin=admin)
            else:
                applying.reject(application=asked.pk, admin=admin, reason="不行")
            outcomes.append("won")
        except errors.ApplicationDecided as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=pair) for pair in ((boss, True), (other, False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["application_decided", "won"]
    asked.refresh_from_db()
    assert Agent.objects.filter(user=ready).exists() == (asked.state == "approved")


def test_nobody_becomes_an_agent_at_a_coin_table_nor_sits_down_as_one(ready: User, boss: User) -> None:
    room = coin_tables.quick_join(user=ready, preset="classic")
    asked = applying.apply(user=ready)
    with pytest.raises(AtCoinTable, match=room.code):
        applying.approve(application=asked.pk, admin=boss)
    services.leave_room(room_id=room.pk, user=ready)
    applying.approve(application=asked.pk, admin=boss)
    with pytest.raises(RoomError, match="agents_do_not_play"):
        coin_tables.quick_join(user=ready, preset="classic")
    assert selectors.wallet_balances(owner_ref=ready.pk)[COIN] == 2_000


def test_sitting_down_races_the_approval(ready: User, boss: User) -> None:
    asked = applying.apply(user=ready)
    barrier, outcomes = threading.Barrier(2), []

    def run(work: object) -> None:
        barrier.wait()
        try:
            work()  # type: ignore[operator]
            outcomes.append("done")
        except (AtCoinTable, RoomError) as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    works = [
        lambda: applying.approve(application=asked.pk, admin=boss),
        lambda: coin_tables.quick_join(user=ready, preset="classic"),
    ]
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) in (["at_coin_table", "done"], ["agents_do_not_play", "done"])


def test_who_becomes_an_agent_is_nobodys_player(ready: User, boss: User) -> None:
    bond = bind(new_agent(), ready)
    applying.approve(application=applying.apply(user=ready).pk, admin=boss)
    bond.refresh_from_db()
    assert bond.state == Bond.State.ENDED


def test_a_suspended_agent_is_out_at_once_and_back_when_resumed(boss: User) -> None:
    agent = new_agent(cards=50)
    client, admin = staff.signed_in(agent.user), staff.signed_in(boss)
    assert client.get("/admin/agents/agent/desk/").status_code == 200
    page = f"/admin/agents/agent/{agent.pk}/do/"
    assert admin.post(f"{page}suspend/", {"reason": "投诉"}).status_code == 302
    assert client.get("/admin/agents/agent/desk/").status_code == 302
    assert client.get("/admin/login/").status_code == 403
    assert selectors.holdings(owner_ref=agent.user_id, currency="CARD")["agent"] == 50
    assert "投诉" in client.get("/accounts/agent/").content.decode()
    assert "已停用" in admin.post(f"{page}suspend/", {"reason": "再来"}).content.decode()
    with pytest.raises(RoomError, match="agents_do_not_play"):
        coin_tables.quick_join(user=agent.user, preset="classic")
    assert admin.post(f"{page}resume/", {"reason": "查清"}).status_code == 302
    assert client.get("/admin/agents/agent/desk/").status_code == 200
    assert trail_of(agent)[:1] == ["agent-suspend"]
    assert "agent-resume" in trail_of(agent)


def test_the_page_shows_rule_progress_and_day(table_of_four: list[User]) -> None:
    open_rooms(table_of_four, 2, at(5, 20, 0))
    client = Client()
    client.force_login(table_of_four[0])
    text = client.get("/accounts/agent/").content.decode()
    assert "2<small> / 10" in text
    assert f"最多的一天是 {day_of(at(5, 20, 0))}" in text
    assert text.count("rooms-progress__day--best") == 1
