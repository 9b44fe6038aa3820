"""Signing up, in and out, and changing the password, as a browser does it."""

import pytest
from django.test import Client
from django.urls import reverse

from liuzhou.accounts.models import User

from .conftest import PASSWORD

pytestmark = pytest.mark.django_db

GOOD = {"username": "nan", "password1": PASSWORD, "password2": PASSWORD, "nickname": ""}


def errors(response) -> str:
    """All the form's complaints."""
    form = response.context["form"]
    return " ".join(text for texts in form.errors.values() for text in texts)


def test_signing_up_signs_in_and_leads_to_the_lobby(client: Client) -> None:
    response = client.post("/accounts/signup/", GOOD | {"nickname": "南风"})
    assert (response.status_code, response["Location"]) == (302, "/")
    user = User.objects.get(username="nan")
    assert user.nickname == "南风"
    assert client.session["_auth_user_id"] == str(user.pk)
    assert client.get("/accounts/password/change/").context["wallet"] == {"coins": 2000, "cards": 8}


def test_signing_up_leads_back_to_where_one_came_from_but_nowhere_else(client: Client) -> None:
    assert client.post("/accounts/signup/", GOOD | {"next": "/r/123456/"})["Location"] == "/r/123456/"
    client.logout()
    away = client.post("/accounts/signup/", GOOD | {"username": "xi", "next": "https://example.com/"})
    assert away["Location"] == "/"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"username": ""}, "这个字段是必填项"),
        ({"username": "n"}, "2"),
        ({"username": "n" * 21}, "20"),
        ({"username": "na n"}, "用户名只能用"),
        ({"username": "na\u200bn"}, "用户名只能用"),
        ({"username": "dong"}, "已被使用"),
        ({"username": "DoNg"}, "已被使用"),
        ({"username": "ｄｏｎｇ"}, "已被使用"),
        ({"username": "管理员"}, "不能使用"),
        ({"password1": "short7", "password2": "short7"}, "至少"),
        ({"password1": "12345678", "password2": "12345678"}, "密码"),
        ({"username": "nanfengnan", "password1": "nanfengnan", "password2": "nanfengnan"}, "密码"),
        ({"password1": "password1", "password2": "password1"}, "密码"),
        ({"password2": "another-horse-7"}, "每次输入的密码必须相同"),
        ({"nickname": "一二三四五六七八九"}, "昵称太长"),
    ],
)
def test_what_is_wrong_is_said_in_chinese(client: Client, dong: User, change: dict[str, str], complaint: str) -> None:
    response = client.post("/accounts/signup/", GOOD | change)
    assert response.status_code == 200
    assert complaint in errors(response)
    assert not [word for word in errors(response).split() if word.isascii() and word.isalpha()], errors(response)
    assert User.objects.count() == 1


def test_what_is_wrong_is_said_in_english_to_english_readers(client: Client) -> None:
    response = client.post("/accounts/signup/", GOOD | {"nickname": "a" * 17}, HTTP_ACCEPT_LANGUAGE="en")
    assert "too long" in errors(response)


def test_a_chinese_username_will_do(client: Client) -> None:
    client.post("/accounts/signup/", GOOD | {"username": "柳州阿强"})
    assert User.objects.get().nickname == "柳州阿强"


def test_signing_in_ignores_capitals_and_lasts(client: Client, dong: User) -> None:
    response = client.post("/accounts/login/", {"login": "Dong", "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, "/")
    cookie = client.cookies["sessionid"]
    assert cookie["max-age"] == 30 * 24 * 3600
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


@pytest.mark.parametrize("attempt", [{"password": "wrong-horse-7"}, {"login": "nobody"}])
def test_a_wrong_name_and_a_wrong_password_look_the_same(client: Client, dong: User, attempt: dict[str, str]) -> None:
    response = client.post("/accounts/login/", {"login": "dong", "password": PASSWORD} | attempt)
    assert errors(response) == "用户名或密码不正确。"
    assert "_auth_user_id" not in client.session


def test_guessing_passwords_is_slowed_down(client: Client, dong: User) -> None:
    for _ in range(5):
        client.post("/accounts/login/", {"login": "dong", "password": "wrong-horse-7"})
    response = client.post("/accounts/login/", {"login": "dong", "password": PASSWORD})
    assert "登录失败次数过多" in errors(response)
    assert "_auth_user_id" not in client.session


def test_a_disabled_account_stays_outside(client: Client, dong: User) -> None:
    dong.is_active = False
    dong.save()
    client.post("/accounts/login/", {"login": "dong", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


def test_signing_out_needs_a_post(dong_client: Client) -> None:
    assert dong_client.get("/accounts/logout/").status_code == 200
    assert "_auth_user_id" in dong_client.session
    assert dong_client.post("/accounts/logout/")["Location"] == "/"
    assert "_auth_user_id" not in dong_client.session


def test_forms_from_elsewhere_are_refused(dong: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post("/accounts/login/", {"login": "dong", "password": PASSWORD})
    assert response.status_code == 403
    assert "过期" in response.content.decode()


def change(client: Client, **fields: str):
    new = {"oldpassword": PASSWORD, "password1": "battery-staple-9", "password2": "battery-staple-9"}
    return client.post("/accounts/password/change/", new | fields)


def test_changing_the_password_keeps_this_session_and_ends_the_others(dong_client: Client, dong: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(dong)
    assert change(dong_client)["Location"] == "/"
    dong.refresh_from_db()
    assert dong.check_password("battery-staple-9")
    assert dong_client.get("/accounts/password/change/").status_code == 200
    assert elsewhere.get("/accounts/password/change/").status_code == 302


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"oldpassword": "wrong"}, "当前密码不正确"),
        ({"password2": "other-staple-9"}, "每次输入的密码必须相同"),
        ({"password1": "dong", "password2": "dong"}, "密码"),
    ],
)
def test_a_refused_change_changes_nothing(
    dong_client: Client, dong: User, fields: dict[str, str], complaint: str
) -> None:
    assert complaint in errors(change(dong_client, **fields))
    dong.refresh_from_db()
    assert dong.check_password(PASSWORD)


def test_strangers_are_sent_to_sign_in(client: Client) -> None:
    response = client.get("/accounts/password/change/")
    assert response["Location"] == "/accounts/login/?next=/accounts/password/change/"


def test_who_is_signed_in_needs_no_door(dong_client: Client) -> None:
    for page in ("account_login", "account_signup"):
        assert dong_client.get(reverse(page))["Location"] == "/"


@pytest.mark.parametrize("page", ["signup", "login"])
def test_the_pages_hold_to_the_content_policy(client: Client, page: str) -> None:
    response = client.get(f"/accounts/{page}/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    html = response.content.decode()
    assert " style=" not in html
    assert "<style" not in html
    assert "onclick" not in html


def test_the_language_is_chosen_once(client: Client) -> None:
    assert 'lang="zh-hans"' in client.get("/accounts/login/").content.decode()
    response = client.post("/i18n/setlang/", {"language": "en", "next": "/accounts/login/"})
    assert response["Location"] == "/accounts/login/"
    page = client.get("/accounts/login/").content.decode()
    assert 'lang="en"' in page
    assert "Log in" in page
    assert "登录" not in page
    assert '"\\u7ec3\\u4e60": "Practice"' in client.get("/i18n/catalog.js").content.decode()


def test_unknown_pages_are_ours(client: Client) -> None:
    response = client.get("/no-such-page/")
    assert response.status_code == 404
    assert "没有这一页" in response.content.decode()


def test_passwords_are_hashed_with_argon2() -> None:
    from liuzhou import settings

    assert settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")
