"""Whose player one is: asked by number or link, never without a yes, one agent at a time, free to leave."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from liuzhou.accounts.agents import bonds, desk, errors
from liuzhou.accounts.agents.models import Agent, Bond
from liuzhou.accounts.days import database_now
from liuzhou.accounts.leaving import close_account
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from tests import staff
from tests.agents.conftest import bind, new_agent, new_player

pytestmark = pytest.mark.usefixtures("real_db")
DESK = "/admin/agents/agent/desk/"


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_invited_by_number_and_bound_only_by_a_yes() -> None:
    agent, player = new_agent(), new_player("player")
    office = staff.signed_in(agent.user)
    assert office.post(f"{DESK}players/invite/", {"number": player.number}).status_code == 302
    assert office.post(f"{DESK}players/invite/", {"number": player.number}).status_code == 302  # once more: the same
    page = office.get(f"{DESK}players/").content.decode()
    assert player.number in page
    assert player.nickname not in page  # not before the player agreed
    bond = Bond.objects.get(agent=agent, player=player)
    assert bond.state == Bond.State.OFFERED
    for address in (f"handover/?bond={bond.pk}", f"players/{bond.pk}/release/"):
        assert player.nickname not in office.get(f"{DESK}{address}", follow=True).content.decode()
    assert bonds.agent_of(player) is None
    client = signed(player)
    assert "有代理邀请你" in client.get("/").content.decode()
    assert agent.user.nickname in client.get("/accounts/agent/").content.decode()
    assert signed(new_player("other")).post(f"/accounts/agent/mine/{bond.pk}/", {"answer": "yes"}).status_code == 302
    assert bonds.agent_of(player) is None
    client.post(f"/accounts/agent/mine/{bond.pk}/", {"answer": "yes"})
    assert bonds.agent_of(player) == agent
    assert player.nickname in office.get(f"{DESK}players/").content.decode()
    actions = Trail.objects.filter(actor__in=(agent.user, player)).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["agent-invite", "agent-invite", "bond-accept"]


def test_declined_is_not_asked_again_for_a_week() -> None:
    agent, player = new_agent(), new_player("player")
    bond = bonds.invite(agent=agent, number=player.number)
    bonds.decline(player=player, bond=bond.pk)
    with pytest.raises(errors.NoSuchInvitation):
        bonds.accept(player=player, bond=bond.pk)
    with pytest.raises(errors.AskedTooSoon):
        bonds.invite(agent=agent, number=player.number)
    later = database_now() + timedelta(days=bonds.AGAIN_AFTER, minutes=1)
    assert bonds.invite(agent=agent, number=player.number, now=later).pk != bond.pk


def test_the_link_asks_first_and_a_new_one_ends_the_old() -> None:
    agent, player = new_agent(), new_player("player")
    client, link = signed(player), f"/a/{agent.token}/"
    assert Client().get(link).headers["Location"].startswith("/accounts/login/")
    assert agent.user.nickname in client.get(link).content.decode()
    assert client.post(link, {"answer": "no"}).status_code == 302
    assert not Bond.objects.filter(player=player).exists()
    assert client.post(link, {"answer": "yes"}).headers["Location"] == "/accounts/agent/"
    assert bonds.agent_of(player) == agent
    assert client.post(link, {"answer": "yes"}).status_code == 302  # twice is once
    assert Bond.objects.filter(player=player).count() == 1
    bonds.renew_link(agent=agent)
    assert client.get(link).status_code == 404
    Agent.objects.filter(pk=agent.pk).update(state="suspended")
    agent.refresh_from_db()
    assert client.get(f"/a/{agent.token}/").status_code == 404


def test_one_agent_at_a_time_and_free_to_leave() -> None:
    first, second, player = new_agent(), new_agent(), new_player("player")
    bind(first, player)
    with pytest.raises(errors.HasAgent, match=first.user.number):
        bonds.join(player=player, token=second.token)
    offered = bonds.invite(agent=second, number=player.number)  # asking tells nothing of the other agent
    with pytest.raises(errors.HasAgent):
        bonds.accept(player=player, bond=offered.pk)
    client = signed(player)
    assert "先离开" in client.get(f"/a/{second.token}/").content.decode()
    assert client.post("/accounts/agent/leave/").status_code == 302
    bonds.accept(player=player, bond=offered.pk)
    assert bonds.agent_of(player) == second
    bonds.release(agent=second, bond=offered.pk)
    assert bonds.agent_of(player) is None
    with pytest.raises(errors.NotBound):
        bonds.release(agent=second, bond=offered.pk)


def test_two_answers_at_once_bind_once() -> None:
    agents, player = [new_agent(), new_agent()], new_player("player")
    barrier, outcomes = threading.Barrier(2), []

    def answer(agent: Agent) -> None:
        barrier.wait()
        try:
            bonds.join(player=player, token=agent.token)
            outcomes.append("bound")
        except errors.HasAgent as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=answer, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["bound", "has_agent"]


def test_agents_and_staff_are_nobodys_players() -> None:
    agent, other, boss = new_agent(), new_agent(), staff.make("boss")
    for user in (other.user, boss, agent.user):
        with pytest.raises(errors.NoSuchPlayer):
            bonds.invite(agent=agent, number=user.number)
    with pytest.raises(errors.AgentsHaveNone):
        bonds.join(player=other.user, token=agent.token)
    with pytest.raises(errors.NoSuchInvitation):
        bonds.join(player=agent.user, token=agent.token)
    with pytest.raises(errors.NoSuchPlayer):
        bonds.invite(agent=agent, number="99999999")


def test_invitations_a_day_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bonds, "A_DAY", 2)
    agent = new_agent()
    for _ in range(2):
        bonds.invite(agent=agent, number=new_player("player").number)
    with pytest.raises(errors.TooManyInvitations):
        bonds.invite(agent=agent, number=new_player("player").number)


def test_numbers_are_not_found_out_by_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "MISSES", 2)
    agent, player = new_agent(), new_player("player")
    client = staff.signed_in(agent.user)
    for number, said in (("99999998", "没有玩家号"), ("99999999", "没有玩家号"), (player.number, "今天已邀请")):
        answer = client.post(f"{DESK}players/invite/", {"number": number})
        assert (answer.status_code, said in answer.content.decode()) == (400, True)
    assert not Bond.objects.filter(player=player).exists()


def test_a_closed_account_is_nobodys_player_and_the_export_tells() -> None:
    agent, player = new_agent(), new_player("player")
    bond = bind(agent, player)
    exported = signed(player).get("/accounts/export.json").json()["agency"]
    assert exported["agents"][0]["agent"] == agent.user.number
    assert exported["agency"] is None
    close_account(user=player, password="x")
    bond.refresh_from_db()
    assert bond.state == Bond.State.ENDED
