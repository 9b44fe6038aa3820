"""The desk's pages: who may see them, what they say, what goes to the trail; marks of places and devices at sign-in."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from liuzhou.accounts import hooks
from liuzhou.accounts.models import User
from liuzhou.accounts.staff import AGENTS
from liuzhou.fairness import charts, marks, pages, weighing, words
from liuzhou.fairness.models import Flag, Mark
from liuzhou.trail.models import Trail
from tests.fairness import world
from tests.fairness.conftest import count
from tests.staff import make, signed_in

pytestmark = pytest.mark.django_db
QUEUE = "/admin/fairness/flag/"
VIEW, DECIDE = "fairness.view_flag", "fairness.decide_flag"


@pytest.fixture
def flag(desk: None, players: list[User]) -> Flag:
    """东 and 南 have played a little with 西 and 北; a flag says that 南 feeds 东."""
    world.evening(players, 16, 71)
    count()
    weighing.weigh_all()
    figures = {"hands": 120, "found": 61, "expected": 44.6, "low": 38, "high": 52, "threshold": 5.0, "below": False}
    return Flag.objects.create(
        kind="feeding", one=players[0], other=players[1], score=7.3, hands=120, evidence=figures,
        first_day=date(2026, 11, 1), last_day=date(2026, 11, 20),
    )  # fmt: skip


def urls(flag: Flag) -> list[str]:
    assert flag.other is not None
    return [
        QUEUE,
        f"{QUEUE}{flag.pk}/change/",
        f"{QUEUE}{flag.pk}/decide/",
        f"{QUEUE}player/{flag.one.number}/",
        f"{QUEUE}pair/{flag.one.number}/{flag.other.number}/",
        f"{QUEUE}find/?one={flag.one.number}",
    ]


def agent(*permissions: str) -> User:
    user = make("agent", *permissions)
    user.groups.add(Group.objects.get_or_create(name=AGENTS)[0])
    return user


def test_nobody_else_sees_anything(flag: Flag, players: list[User]) -> None:
    for client, statuses in (
        (Client(), {302}),
        (signed_in(players[2]), {302, 403}),
        (signed_in(agent()), {403}),
        (signed_in(agent(VIEW, DECIDE)), {403}),  # agents never, whatever they were given
        (signed_in(make("clerk", "rooms.view_room")), {403}),
    ):
        for url in urls(flag):
            answer = client.get(url)
            assert answer.status_code in statuses, url
            assert "碰吃" not in answer.content.decode()
        answer = client.post(f"{QUEUE}{flag.pk}/decide/", {"verdict": "clear", "reason": "x", "seen": 0})
        assert answer.status_code in statuses
    flag.refresh_from_db()
    assert (flag.state, flag.decisions.count()) == ("open", 0)
    assert not Trail.objects.filter(action__startswith="fairness").exists()


def test_who_may_only_look_cannot_decide(flag: Flag) -> None:
    client = signed_in(make("clerk", VIEW))
    assert b"<textarea" not in client.get(f"{QUEUE}{flag.pk}/change/").content
    answer = client.post(f"{QUEUE}{flag.pk}/decide/", {"verdict": "clear", "reason": "x", "seen": 0})
    assert answer.status_code == 403
    for url in (f"{QUEUE}add/", f"{QUEUE}{flag.pk}/delete/"):
        assert client.get(url).status_code == 403
    assert client.post(f"{QUEUE}{flag.pk}/change/", {"state": "clear"}).status_code == 200  # a page, no change
    flag.refresh_from_db()
    assert flag.state == "open"


def test_the_queue_says_what_waits_and_how_far_the_count_is(flag: Flag, players: list[User]) -> None:
    Flag.objects.create(
        kind="winning", one=players[2], score=9, state="clear", hands=1, first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 2), evidence={"hands": 80, "found": 60, "low": 10, "high": 30, "rate": 0.75,
        "rate_low": 0.65, "rate_high": 0.83, "fair": 0.25, "table": 0.25},
    )  # fmt: skip
    client = signed_in(make("boss", VIEW))
    text = client.get(QUEUE).content.decode()
    assert "在 120 局里，南 打出的牌被 东 碰吃 61 次，按机会约 38–52 次。" in text
    assert "已统计 16 局，待统计 0 局" in text
    assert "75.0%" not in text
    assert "75.0%" in client.get(QUEUE, {"state": "all"}).content.decode()
    assert "碰吃" not in client.get(QUEUE, {"state": "clear"}).content.decode()
    assert client.get(QUEUE, {"q": players[0].number}).status_code == 200
    assert Trail.objects.filter(action="fairness-search", detail__text=players[0].number).exists()


def test_a_decision_is_kept_with_its_reason_and_leaves_a_trail(flag: Flag) -> None:
    boss = make("boss", VIEW, DECIDE)
    client = signed_in(boss)
    page = f"{QUEUE}{flag.pk}/change/"
    assert 'name="seen" value="0"' in client.get(page).content.decode()
    send = {"verdict": "watch", "reason": "同村朋友，再看两周", "seen": 0}
    for wrong in ({"reason": " "}, {"verdict": "open"}, {"seen": "x"}):
        answer = client.post(f"{QUEUE}{flag.pk}/decide/", {**send, **wrong})
        assert (answer.status_code, flag.decisions.count()) == (200, 0)
    assert client.post(f"{QUEUE}{flag.pk}/decide/", send).headers["Location"] == QUEUE
    again = client.post(f"{QUEUE}{flag.pk}/decide/", send)  # a second click, another admin
    assert "刚刚处理了" in again.content.decode()
    decision = flag.decisions.get()
    assert (decision.verdict, decision.by, decision.score, decision.hands) == ("watch", boss, 7.3, 120)
    text = client.get(page).content.decode()
    assert "同村朋友，再看两周" in text
    assert "继续观察" in text
    (kept,) = Trail.objects.filter(action="fairness-decide")
    assert (kept.actor, kept.subject) == (boss, f"fairness.flag:{flag.pk}")
    assert kept.detail == {"verdict": "watch", "reason": "同村朋友，再看两周", "decision": decision.pk}
    assert client.get(f"{QUEUE}{flag.pk}/decide/").status_code == 302


def test_the_pages_of_a_player_and_a_pair_speak_and_draw(flag: Flag, players: list[User]) -> None:
    device = marks.digest(Mark.Kind.DEVICE, "a" * 32)
    marks.note(marks.Seen(user.pk, Mark.Kind.DEVICE, device, date(2026, 11, 30)) for user in players[1:3])
    client = signed_in(make("boss", VIEW, "rooms.view_hand"))
    text = client.get(f"{QUEUE}player/{players[1].number}/").content.decode()
    for words_ in ("打了 16 局", "平均每局", "金币场 16 局", "同一台设备（共 2 个帐号", "按机会约 38–52 次"):
        assert words_ in text or words_.replace("（", "(") in text, words_
    assert text.count('<svg viewBox="0 0 634') + text.count('<svg viewBox="0 0 394') == 1  # the heat map of four
    assert text.count('<figure class="fair-chart">') == 3
    text = client.get(f"{QUEUE}pair/{players[2].number}/{players[1].number}/").content.decode()
    assert "两人同桌 16 局" in text
    assert "两人用过同一台设备" in text
    assert "没有不同桌的牌局可比" in text
    assert text.count('<figure class="fair-chart">') == 3
    assert 'href="/hands/' in text
    assert not re.search(r"style=|<script(?![^>]* src=)|\son\w+=", text.partition("<main")[2] or text)
    seen = Trail.objects.filter(action__in=("fairness-player", "fairness-pair")).order_by("pk")
    assert [(each.action, each.subject) for each in seen] == [
        ("fairness-player", f"accounts.user:{players[1].pk}"),
        ("fairness-pair", f"accounts.user:{players[2].pk}"),
        ("fairness-pair", f"accounts.user:{players[1].pk}"),
    ]


def test_a_page_can_show_the_last_weeks_alone(flag: Flag, players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "database_now", lambda: world.NOON + timedelta(weeks=6))
    client, url = signed_in(make("boss", VIEW)), f"{QUEUE}player/{players[0].number}/"
    assert "打了 16 局" in client.get(url).content.decode()
    assert "打了 16 局" in client.get(url, {"weeks": "12"}).content.decode()
    assert "没有打过牌" in client.get(url, {"weeks": "4"}).content.decode()
    assert "打了 16 局" in client.get(url, {"weeks": "-5"}).content.decode()
    pair = f"{QUEUE}pair/{players[0].number}/{players[1].number}/"
    assert "没有同桌打过牌" in client.get(pair, {"weeks": "1"}).content.decode()


def test_a_player_who_wins_only_in_company_shows_it(desk: None, players: list[User]) -> None:
    other = world.player("中")
    world.evening(players, 8, 72)
    world.evening([*players[:1], *players[2:], other], 8, 73)
    count()
    text = signed_in(make("boss", VIEW)).get(f"{QUEUE}pair/{players[0].number}/{players[1].number}/").content.decode()
    assert re.search(r"同桌时胡 \d/8 局.*不同桌时胡 \d/8 局", text)


def test_pages_of_people_who_never_played(desk: None, players: list[User]) -> None:
    client = signed_in(make("boss", VIEW))
    assert "这段时间没有打过牌" in client.get(f"{QUEUE}player/{players[0].number}/").content.decode()
    text = client.get(f"{QUEUE}pair/{players[0].number}/{players[1].number}/").content.decode()
    assert "两人没有同桌打过牌" in text
    same = client.get(f"{QUEUE}pair/{players[0].number}/{players[0].number}/")
    assert same.headers["Location"].endswith(f"player/{players[0].number}/")
    for url in (f"{QUEUE}player/00000000/", f"{QUEUE}pair/{players[0].number}/x/", f"{QUEUE}999999/change/"):
        assert client.get(url).status_code == 404
    assert client.get(f"{QUEUE}nonsense/change/").status_code == 404


def test_finding_by_number_or_nickname(desk: None, players: list[User]) -> None:
    client, one, two = signed_in(make("boss", VIEW)), players[0], players[1]
    User.objects.filter(pk=one.pk).update(nickname="螺蛳粉王")
    found = client.get(f"{QUEUE}find/", {"one": "螺蛳粉王"})
    assert found.headers["Location"] == reverse("admin:fairness_player", args=[one.number])
    found = client.get(f"{QUEUE}find/", {"one": "螺蛳粉王", "other": two.number})
    assert found.headers["Location"] == reverse("admin:fairness_pair", args=[one.number, two.number])
    assert "没有这样的玩家" in client.get(f"{QUEUE}find/", {"one": "谁也不是", "other": two.number}).content.decode()
    assert client.get(f"{QUEUE}find/").headers["Location"] == QUEUE
    for strange in ("\x00", "a\x00b", "%", "'", "x" * 5000):
        assert client.get(f"{QUEUE}find/", {"one": strange, "other": "y"}).status_code == 200
        assert client.get(QUEUE, {"q": strange}).status_code in (200, 302)
    assert client.get(f"{QUEUE}player/%00/", follow=True).status_code == 404


def test_names_in_sentences_are_escaped(flag: Flag, players: list[User]) -> None:
    User.objects.filter(pk=players[0].pk).update(nickname="<b>x</b>")
    client = signed_in(make("boss", VIEW))
    for url in (QUEUE, f"{QUEUE}{flag.pk}/change/", f"{QUEUE}player/{players[0].number}/"):
        assert "<b>x</b>" not in client.get(url).content.decode()


@pytest.mark.parametrize("kind", Flag.Kind.values)
def test_every_kind_has_its_sentence(kind: str) -> None:
    figures = {"hands": 9, "found": 5, "low": 1, "high": 3, "rate": 0.5, "rate_low": 0.4, "rate_high": 0.6, "fair": 0.25,
               "table": 0.25, "coins": -400, "share": 0.0, "edge": -0.5, "device": 1, "address": 2}  # fmt: skip
    said = words.sentence(kind, figures, "东", "南")
    assert "%" not in re.sub(r"\d+\.\d%", "", said)
    assert "9 局" in said or kind == "meeting"


def test_odds_and_verdicts() -> None:
    assert "10,000 分之一" in words.odds(4.7)
    assert words.odds(0.2) == "在机会范围之内。"
    assert words.verdict(9, 5, enough=False) == "局数还少，不作判断。"
    assert words.verdict(3, 5, enough=True) != words.verdict(6, 5, enough=True)


def test_charts_hold_in_their_frames() -> None:
    weeks = pages.weeks_between(date(2026, 9, 7), date(2026, 11, 30))
    drawn = [
        charts.counts([charts.Week(week, n, 5, 2, 9) for n, week in enumerate(weeks)], "x", ("a", "b", "c")),
        charts.rates([charts.Rate(week, 0.3, 0.2, 0.5, 0.25) for week in weeks], "x", ("a", "b")),
        charts.flows([(week, (-1) ** n * 12_345 * n) for n, week in enumerate(weeks)], "x", ("a", "b")),
        charts.balances([("东", 5_000_000), ("南", 0), ("西", -123)], "x", ("a", "b")),
        charts.heat(["东", "南"], [[None, charts.Cell(40, 10.0)], [charts.Cell(0, 0.0), None]], "x"),
    ]
    for chart in drawn:
        for rect in chart.rects:
            assert float(rect.x) >= 0 <= float(rect.y)
            assert float(rect.width) >= 0 <= float(rect.height)
            assert float(rect.x) + float(rect.width) <= chart.width
            assert float(rect.y) + float(rect.height) <= chart.height + 0.2
    assert charts.short(-12_345) == "−1.2万"
    assert charts.short(250_000_000) == "2.5亿"


# ---- Marks -------------------------------------------------------------------------------------------------------------


def sign_in(client: Client, user: User, address: str = "198.51.100.9") -> None:
    user.set_password("correct horse battery")
    user.save()
    answer = client.post(
        "/accounts/login/", {"login": user.username, "password": "correct horse battery"}, REMOTE_ADDR=address
    )
    assert answer.status_code == 302


def test_signing_in_leaves_hashes_and_a_cookie(players: list[User]) -> None:
    client = Client()
    for user in players[:2]:
        sign_in(client, user)
        client.post("/accounts/logout/")
    cookie = client.cookies[marks.COOKIE]
    assert re.fullmatch("[0-9a-f]{32}", cookie.value)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/accounts/")
    kept = list(Mark.objects.filter(user__in=players).order_by("kind", "user"))
    assert [mark.kind for mark in kept] == ["address", "address", "device", "device"]
    assert kept[0].digest == kept[1].digest
    assert kept[2].digest == kept[3].digest
    assert {cookie.value, "198.51.100.9"}.isdisjoint({mark.digest for mark in kept})
    assert [near.user for near in marks.neighbours(players[0].pk)] == [players[1].pk] * 2
    other = Client()
    sign_in(other, players[2], "203.0.113.5")
    assert marks.neighbours(players[2].pk) == []
    assert other.cookies[marks.COOKIE].value != cookie.value


def test_a_cookie_of_somebodys_making_is_replaced(players: list[User]) -> None:
    client = Client()
    client.cookies[marks.COOKIE] = "x" * 5000
    sign_in(client, players[0])
    assert re.fullmatch("[0-9a-f]{32}", client.cookies[marks.COOKIE].value)


def test_an_address_at_the_table_is_the_one_at_sign_in(desk: None, players: list[User]) -> None:
    sign_in(Client(), players[0], "198.51.100.77")
    at_sign_in = Mark.objects.get(user=players[0], kind="address").digest
    assert marks.address_digest(world.hashed("198.51.100.77")) == at_sign_in


def test_sessions_from_before_are_noted_by_a_rebuild(players: list[User]) -> None:
    UserSession.objects.create(user=players[0], session_key="k1", ip="198.51.100.3", user_agent="x", data={})
    UserSession.objects.create(user=players[1], session_key="k2", ip="198.51.100.3", user_agent="y", data={})
    marks.note_sessions()
    assert [near.user for near in marks.neighbours(players[0].pk)] == [players[1].pk]


def test_marks_are_forgotten_exported_and_erased(players: list[User]) -> None:
    today = date(2026, 11, 30)
    old, new = today - timedelta(days=marks.KEEP_DAYS + 1), today - timedelta(days=3)
    for number, day in enumerate((old, new)):
        marks.note([marks.Seen(players[0].pk, Mark.Kind.DEVICE, f"{number:032d}", day)])
    assert marks.forget(today) == 1
    assert hooks.exported(players[0])["marks"] == [{"kind": "device", "first": "2026-11-27", "last": "2026-11-27"}]
    hooks.erase(players[0])
    assert not Mark.objects.filter(user=players[0]).exists()


def test_the_permissions_exist() -> None:
    names = Permission.objects.filter(content_type__app_label="fairness").values_list("codename", flat=True)
    assert set(names) == {"view_flag", "decide_flag"}


def test_a_sign_in_that_has_no_address_leaves_a_device_alone(players: list[User]) -> None:
    Client().force_login(players[0])  # a request made by no network
    assert [mark.kind for mark in Mark.objects.filter(user=players[0])] == ["device"]
