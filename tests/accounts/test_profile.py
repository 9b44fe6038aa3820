"""One's own account: names that look alike, preferences, devices, taking the data along, closing."""

from __future__ import annotations

import json
import re
import threading
import uuid
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from ledger import selectors
from ledger import services as ledger
from ledger.services import CARD, COIN
from liuzhou.accounts import coins, devices, hooks, leaving, looks, names, preferences, profile, services
from liuzhou.accounts.errors import (
    AccountError,
    AlreadyClosed,
    BadColour,
    BadPreference,
    NicknameEmpty,
    NicknameReserved,
    NicknameTaken,
    NicknameTooLong,
    OpenHolds,
    StaffStays,
    WrongPassword,
)
from liuzhou.accounts.models import PALETTE, User
from tests.staff import signed_in as verified

from .conftest import PASSWORD


@pytest.fixture
def nan(db: None) -> User:
    return services.sign_up(username="nan", password=PASSWORD, nickname="Paul 77")


class TestLooks:
    @pytest.mark.parametrize(
        ("name", "twin"),
        [
            ("Paul", "paul"),
            ("Paul", "РаuI"),  # Cyrillic and a capital i
            ("Paul", "pau1"),
            ("Paul", "Pául"),
            ("Paul 77", "Paul77"),
            ("modern", "modem"),
            ("Willow", "VViIIow"),
            ("O0o", "〇ΟО"),
            ("ＡＢＣ", "abc"),
            ("柳州-强", "柳州—强"),
            ("明日", "明曰"),
            ("未来", "末来"),
        ],
    )
    def test_these_are_taken_for_one_another(self, name: str, twin: str) -> None:
        assert looks.look(names.clean_nickname(name)) == looks.look(names.clean_nickname(twin))

    @pytest.mark.parametrize(("name", "other"), [("东风", "南风"), ("Paul", "Saul"), ("阿强", "阿弱"), ("a7", "a8")])
    def test_these_are_not(self, name: str, other: str) -> None:
        assert looks.look(name) != looks.look(other)

    @pytest.mark.parametrize("name", ["系统", "客服01", "AdmIn", "аdmin", "官方客服", "柳州麻将", "鱼峰", "已注销"])
    def test_the_house_keeps_its_names(self, name: str) -> None:
        assert looks.reserved(looks.look(names.clean_nickname(name)))

    def test_what_only_sounds_like_it_is_free(self) -> None:
        for name in ("柳州麻将王", "鱼峰山人", "螺蛳姑娘"):
            assert not looks.reserved(looks.look(name))

    @given(st.text(max_size=24))
    def test_every_name_has_a_look_that_fits_the_column(self, text: str) -> None:
        nickname = names.fit(names.clean_nickname(text))
        seen = looks.look(nickname)
        assert len(seen) <= 96
        assert seen == looks.look(nickname.upper()) or nickname.upper().casefold() != nickname.casefold()


@pytest.mark.django_db
class TestNames:
    def test_a_new_name_is_cleaned_and_kept_with_its_look(self, nan: User) -> None:
        profile.rename(user=nan, nickname="  螺\u200b蛳粉 ")
        nan.refresh_from_db()
        assert (nan.nickname, nan.look) == ("螺蛳粉", looks.look("螺蛳粉"))

    @pytest.mark.parametrize("twin", ["paul 77", "Раul77", "PAUL７７"])
    def test_nobody_takes_a_name_that_looks_like_anothers(self, nan: User, twin: str) -> None:
        xi = services.sign_up(username="xi", password=PASSWORD)
        with pytest.raises(NicknameTaken):
            profile.rename(user=xi, nickname=twin)
        with pytest.raises(NicknameTaken):
            services.sign_up(username="bei", password=PASSWORD, nickname=twin)

    def test_ones_own_name_may_change_its_capitals(self, nan: User) -> None:
        assert profile.rename(user=nan, nickname="PAUL 77").nickname == "PAUL 77"

    @pytest.mark.parametrize(
        ("name", "error"),
        [
            ("", NicknameEmpty),
            ("\u200b\u3164", NicknameEmpty),
            ("一二三四五六七八九", NicknameTooLong),
            ("官方", NicknameReserved),
        ],
    )
    def test_what_will_not_do(self, nan: User, name: str, error: type[AccountError]) -> None:
        with pytest.raises(error):
            profile.rename(user=nan, nickname=name)
        nan.refresh_from_db()
        assert nan.nickname == "Paul 77"

    def test_without_a_nickname_a_number_tells_twins_apart(self, nan: User) -> None:
        first = services.sign_up(username="paui77", password=PASSWORD)
        assert first.nickname.startswith("paui77-")
        assert len(first.nickname) <= 16
        assert services.sign_up(username="sysadmin", password=PASSWORD).nickname.startswith("player")

    def test_a_name_given_up_is_free(self, nan: User) -> None:
        profile.rename(user=nan, nickname="另一个")
        assert services.sign_up(username="xi", password=PASSWORD, nickname="paul77").nickname == "paul77"

    def test_the_database_keeps_looks_apart(self, nan: User) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.create_user("xi", look=nan.look)
        User.objects.create_user("xi")
        User.objects.create_user("bei")


@pytest.mark.django_db
@pytest.mark.parametrize(("given", "kept"), [("客服小柳", True), ("paul77", False), ("北风", True)])
def test_admins_rename_players_by_the_same_rule(dong: User, nan: User, given: str, kept: bool) -> None:
    admin = verified(User.objects.create_superuser("boss", password=PASSWORD))
    path = f"/admin/accounts/user/{dong.pk}/change/"
    form = admin.get(path).context["adminform"].form
    fields = {name: form.initial.get(name) or "" for name in form.fields}
    fields |= {"nickname": given, "is_active": "on", "groups": [], "user_permissions": [], "adult": "unknown"}
    assert admin.post(path, fields).status_code == (302 if kept else 200)
    dong.refresh_from_db()
    assert (dong.nickname == given, dong.look == looks.look(given)) == (kept, kept)


def test_of_many_at_once_one_gets_the_name(real_db: None) -> None:
    mark = uuid.uuid4().hex[:8]
    users = [User.objects.create_user(f"twin-{mark}-{n}") for n in range(6)]
    start, results = threading.Barrier(6), []

    def take(user: User, name: str) -> None:
        start.wait()
        try:
            profile.rename(user=user, nickname=name)
            results.append("got")
        except NicknameTaken:
            results.append("taken")
        finally:
            connection.close()

    spellings = (mark, mark.upper(), f" {mark}", f"{mark[:4]} {mark[4:]}", mark, mark.title())
    threads = [threading.Thread(target=take, args=pair) for pair in zip(users, spellings, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(results) == ["got"] + ["taken"] * 5


class TestPreferences:
    def test_defaults_are_complete(self) -> None:
        assert preferences.complete({}) == {
            "sounds": True, "speech": False, "tiles": "normal", "marks": False, "auto_pass": False, "language": "",
        }  # fmt: skip

    @pytest.mark.parametrize(
        "bad", [{"sounds": 1}, {"sounds": "on"}, {"tiles": "huge"}, {"colour": True}, {"tiles": None}]
    )
    def test_only_what_there_is_is_stored(self, bad: dict[str, Any]) -> None:
        with pytest.raises(BadPreference):
            preferences.checked(bad)

    @given(st.dictionaries(st.sampled_from([*preferences.SCHEMA, "x"]), st.integers() | st.text() | st.booleans()))
    def test_whatever_is_stored_the_page_gets_what_it_knows(self, stored: dict[str, Any]) -> None:
        found = preferences.complete(stored)
        assert preferences.checked(found) == found
        assert list(preferences.attributes(stored)) == [name.replace("_", "-") for name in preferences.SCHEMA]

    def test_attributes_are_strings(self) -> None:
        assert preferences.attributes({"speech": True})["speech"] == "1"
        assert preferences.attributes(None)["auto-pass"] == ""

    @pytest.mark.django_db
    def test_what_is_not_mentioned_stays(self, dong: User) -> None:
        profile.prefer(user=dong, wanted={"speech": True})
        profile.prefer(user=dong, wanted={"tiles": "large"})
        dong.refresh_from_db()
        assert (dong.preferences["speech"], dong.preferences["tiles"]) == (True, "large")


PAGES = (
    *("/", "/accounts/profile/", "/accounts/devices/", "/accounts/limits/", "/accounts/close/"),
    *("/records/", "/records/statistics/", "/leaderboard/", "/leaderboard/?by=hands"),
)


@pytest.mark.django_db
class TestProfilePage:
    def test_name_and_colour(self, dong_client: Client, dong: User) -> None:
        form = {"form": "profile", "nickname": "东风", "color": PALETTE[3]}
        assert dong_client.post("/accounts/profile/", form)["Location"] == "/accounts/profile/"
        dong.refresh_from_db()
        assert (dong.nickname, dong.color) == ("东风", PALETTE[3])

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"nickname": "官方"}, "这个昵称不能使用"),
            ({"nickname": ""}, "必填"),
            ({"nickname": "一二三四五六七八九"}, "昵称太长"),
            ({"nickname": "Paul77"}, "已有人用"),
            ({"color": "#000000"}, "#000000"),
        ],
    )
    def test_refusals_are_shown(
        self, dong_client: Client, dong: User, nan: User, change: dict[str, str], complaint: str
    ) -> None:
        form = {"form": "profile", "nickname": "东风", "color": PALETTE[3]} | change
        answer = dong_client.post("/accounts/profile/", form)
        assert answer.status_code == 400
        assert complaint in answer.content.decode()
        dong.refresh_from_db()
        assert dong.nickname == "东"

    def test_preferences_reach_the_table(self, dong_client: Client, dong: User) -> None:
        form = {"form": "preferences", "speech": "on", "tiles": "large", "language": "", "marks": "on"}
        dong_client.post("/accounts/profile/", form)
        dong.refresh_from_db()
        assert preferences.complete(dong.preferences)["sounds"] is False
        assert dong.ranked is False
        context = dong_client.get("/accounts/profile/").context
        assert context["preferences"]["speech"] == context["preferences"]["marks"] == "1"
        assert context["preferences"]["sounds"] == ""
        assert dong_client.post("/accounts/profile/", form | {"tiles": "huge"}).status_code == 400

    def test_the_language_is_chosen_here_and_on_other_devices(self, dong_client: Client, dong: User) -> None:
        form = {"form": "preferences", "tiles": "normal", "language": "en", "ranked": "on"}
        assert dong_client.post("/accounts/profile/", form).cookies["django_language"].value == "en"
        elsewhere = Client()
        elsewhere.force_login(dong)
        assert 'lang="en"' in elsewhere.get("/accounts/profile/").content.decode()
        elsewhere.cookies["django_language"] = "zh-hans"
        assert 'lang="zh-hans"' in elsewhere.get("/accounts/profile/").content.decode()

    def test_a_colour_must_be_of_the_palette(self, dong: User) -> None:
        with pytest.raises(BadColour):
            profile.recolour(user=dong, color="red")

    @pytest.mark.parametrize("page", ["profile", "devices", "limits", "close", "export.json"])
    def test_strangers_are_asked_to_sign_in(self, client: Client, page: str) -> None:
        assert client.get(f"/accounts/{page}/".replace("json/", "json"))["Location"].startswith("/accounts/login/")

    @pytest.mark.parametrize("page", ["profile", "devices", "limits", "close"])
    def test_the_pages_hold_to_the_content_policy(self, dong_client: Client, page: str) -> None:
        html = dong_client.get(f"/accounts/{page}/").content.decode()
        assert " style=" not in html
        assert "<style" not in html
        assert "onclick" not in html

    @pytest.mark.parametrize("path", PAGES)
    def test_english_readers_meet_no_chinese(self, dong_client: Client, dong: User, path: str) -> None:
        User.objects.filter(pk=dong.pk).update(nickname="East")
        html = dong_client.get(path, HTTP_ACCEPT_LANGUAGE="en").content.decode()
        left = set(re.findall(r"[\u4e00-\u9fff]+", html)) - {"简体中文", "中文"}
        assert not left


def signed_in(user: User, agent: str = "") -> Client:
    client = Client(HTTP_USER_AGENT=agent)
    assert client.post("/accounts/login/", {"login": user.username, "password": PASSWORD}).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/accounts/password/change/").status_code == 200


PHONE = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36"
WECHAT = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 MicroMessenger/8.0 Safari"


@pytest.mark.django_db
class TestDevices:
    def test_they_are_listed_this_one_first(self, dong: User) -> None:
        signed_in(dong, PHONE)
        here = signed_in(dong, WECHAT)
        found = here.get("/accounts/devices/").context["devices"]
        assert [(one.browser, one.system, one.current) for one in found] == [
            ("微信", "iPhone", True),
            ("Chrome", "Android", False),
        ]

    def test_one_is_signed_out(self, dong: User) -> None:
        phone, here = signed_in(dong, PHONE), signed_in(dong)
        other = here.get("/accounts/devices/").context["devices"][1]
        here.post("/accounts/devices/", {"device": other.id})
        assert not is_in(phone)
        assert is_in(here)
        again = here.post("/accounts/devices/", {"device": other.id}, follow=True)
        assert "已经退出" in again.content.decode()

    def test_nobody_signs_somebody_else_out(self, dong: User, nan: User) -> None:
        theirs, mine = signed_in(nan), signed_in(dong)
        number = theirs.get("/accounts/devices/").context["devices"][0].id
        for value in (str(number), "x", "-1", "９" * 30, ""):
            mine.post("/accounts/devices/", {"device": value})
        assert is_in(theirs)

    def test_everywhere_else_listed_or_not(self, dong: User, django_capture_on_commit_callbacks: Any) -> None:
        phone, here, unlisted = signed_in(dong, PHONE), signed_in(dong), Client()
        unlisted.force_login(dong)
        told: list[tuple[int, str | None]] = []
        hooks.on_signed_out(lambda user, key: told.append((user, key)))
        here.post("/accounts/devices/", {"all": "1"})
        assert [is_in(one) for one in (phone, unlisted, here)] == [False, False, True]
        dong.refresh_from_db()
        assert dong.sessions_revoked_at is not None
        assert (dong.pk, None) in told
        assert len(here.get("/accounts/devices/").context["devices"]) == 1
        assert is_in(signed_in(dong))

    def test_the_service_without_a_request_ends_all(self, dong: User) -> None:
        phone = signed_in(dong)
        devices.sign_out_everywhere(user=dong)
        assert not is_in(phone)


@pytest.mark.django_db
class TestExport:
    def test_all_that_is_stored_is_in_it(self, dong: User) -> None:
        client = signed_in(dong, PHONE)
        coins.sign_in(user=dong)
        profile.prefer(user=dong, wanted={"speech": True})
        answer = client.get("/accounts/export.json")
        assert answer["Content-Disposition"] == f'attachment; filename="liuzhou-{dong.number}.json"'
        assert "no-store" in answer["Cache-Control"]
        found = json.loads(answer.content)
        assert found["account"]["username"] == "dong"
        assert found["preferences"]["speech"] is True
        assert found["sign_ins"][0]["coins"] == 100
        assert found["sessions"][0]["agent"] == PHONE
        assert found["balances"]["COIN"] == {"user": 100}
        assert [one["amount"] for one in found["movements"]["COIN"]] == [100]
        assert {"hands", "rooms", "chat", "escapes"} <= set(found)
        assert "password" not in answer.content.decode()

    def test_long_histories_come_whole(self, dong: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(leaving, "PAGE", 2)
        ledger.grant_signup(user_id=dong.pk)
        for number in range(5):
            ledger.post(
                kind="issue",
                key=f"test:{uuid.uuid4()}",
                lines=[
                    ledger.Line(ledger.system("mint", COIN), -1 - number),
                    ledger.Line(ledger.wallet(owner_ref=dong.pk, currency=COIN), 1 + number),
                ],
            )
        moved = leaving.exported(user=dong)["movements"]
        assert [one["amount"] for one in moved["COIN"]] == [5, 4, 3, 2, 1, 2000]
        assert [one["amount"] for one in moved["CARD"]] == [8]


@pytest.mark.django_db
class TestClosing:
    def test_the_name_goes_the_ledger_stays(self, dong: User) -> None:
        client = signed_in(dong)
        ledger.grant_signup(user_id=dong.pk)
        number = dong.number
        answer = client.post("/accounts/close/", {"password": PASSWORD, "sure": "on"})
        assert answer["Location"] == "/"
        dong.refresh_from_db()
        assert (dong.username, dong.nickname, dong.is_active) == (f"~{dong.pk}", "已注销", False)
        assert dong.number != number
        assert not dong.has_usable_password()
        assert not is_in(client)
        assert selectors.wallet_balances(owner_ref=dong.pk) == {COIN: 2000, CARD: 8, "POINT": 0}
        assert services.sign_up(username="Dong", password=PASSWORD, nickname="东").pk != dong.pk

    def test_the_password_is_asked(self, dong_client: Client, dong: User) -> None:
        answer = dong_client.post("/accounts/close/", {"password": "wrong", "sure": "on"})
        assert answer.status_code == 400
        assert "密码不正确" in answer.content.decode()
        assert dong_client.post("/accounts/close/", {"password": PASSWORD}).status_code == 400
        with pytest.raises(WrongPassword):
            leaving.close_account(user=dong, password="")
        dong.refresh_from_db()
        assert dong.is_active

    def test_what_is_bound_to_a_table_comes_first(self, dong: User) -> None:
        ledger.grant_signup(user_id=dong.pk)
        wallet = ledger.wallet(owner_ref=dong.pk, currency=CARD)
        hold = ledger.hold(key=f"test:{uuid.uuid4()}", account=wallet, amount=1)
        with pytest.raises(OpenHolds):
            leaving.close_account(user=dong, password=PASSWORD)
        ledger.release(key=f"test:{uuid.uuid4()}", hold=hold.id)
        leaving.close_account(user=dong, password=PASSWORD)
        with pytest.raises(AlreadyClosed):
            leaving.close_account(user=dong, password=PASSWORD)

    def test_staff_and_agents_ask_an_admin(self, dong: User) -> None:
        dong.is_staff = True
        dong.save()
        with pytest.raises(StaffStays):
            leaving.close_account(user=dong, password=PASSWORD)

    def test_other_apps_may_refuse_and_then_nothing_happens(self, dong: User, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(user: User) -> None:
            raise OpenHolds

        monkeypatch.setattr(hooks, "_checks", [refuse])
        with pytest.raises(OpenHolds):
            leaving.close_account(user=dong, password=PASSWORD)
        dong.refresh_from_db()
        assert (dong.username, dong.closed_at) == ("dong", None)


def test_closing_twice_at_once_closes_once(real_db: None) -> None:
    user = User.objects.create_user(f"close-{uuid.uuid4().hex[:10]}", password=PASSWORD)
    start, results = threading.Barrier(4), []

    def close() -> None:
        start.wait()
        try:
            leaving.close_account(user=user, password=PASSWORD)
            results.append("closed")
        except AlreadyClosed:
            results.append("already")
        finally:
            connection.close()

    threads = [threading.Thread(target=close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(results) == ["already", "already", "already", "closed"]
