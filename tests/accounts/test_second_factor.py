"""Setting TOTP up, and the way on: from the admin's door through password and code to where one wanted to go."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings
from django.test import Client

from tests.staff import make, signed_in

pytestmark = pytest.mark.django_db


def code_of(secret: str) -> str:
    """What the authenticator app shows now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def secret_of(page: str) -> str:
    return page.split('id="secret">')[1].split("<")[0]


@pytest.fixture
def client() -> Client:
    """An admin signed in by password alone."""
    user = make("boss")
    client = Client()
    client.post("/accounts/login/", {"login": user.username, "password": "x"})
    return client


@pytest.fixture
def sure(client: Client) -> Client:
    """The same, having typed the password once more, as the set-up wants it."""
    client.post("/accounts/reauthenticate/", {"password": "x"})
    return client


def test_from_the_door_to_the_admin_pages(client: Client) -> None:
    page = client.get("/admin/agents/agent/?q=1", follow=True)
    assert "请再输入一次密码" in page.content.decode()
    onward = page.context["redirect_field_value"]
    page = client.post("/accounts/reauthenticate/", {"password": "x", "next": onward}, follow=True)
    assert page.redirect_chain[-1][0].startswith("/accounts/2fa/totp/activate/?next=%2Fadmin%2Fagents")
    text = page.content.decode()
    assert "设置动态口令" in text
    assert "data:image/svg+xml" in text
    wrong = client.post("/accounts/2fa/totp/activate/", {"code": "000000"})
    assert "口令不正确" in wrong.content.decode()
    secret = secret_of(wrong.content.decode())
    assert secret == secret_of(text)  # a slip of the finger does not change the secret that was scanned
    done = client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)}, follow=True)
    text = done.content.decode()
    assert "恢复码" in text
    assert 'href="/admin/agents/agent/?q=1"' in text
    assert client.get("/admin/").status_code == 200  # the code that set it up was a proof


def test_a_stale_proof_is_renewed_by_a_code_or_a_recovery_code(sure: Client) -> None:
    sure.get("/accounts/2fa/totp/activate/?next=//evil.example/")
    page = sure.get("/accounts/2fa/totp/activate/").content.decode()
    text = sure.post("/accounts/2fa/totp/activate/", {"code": code_of(secret_of(page))}, follow=True).content.decode()
    assert "evil" not in text
    codes = (
        Authenticator.objects.get(user__username__startswith="boss", type="recovery_codes").wrap().get_unused_codes()
    )
    assert codes[0] in text
    session = sure.session
    for record in session["account_authentication_methods"]:
        record["at"] -= settings.STAFF_AGE + 5
    session.save()
    page = sure.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/accounts/2fa/reauthenticate/")
    assert "请输入动态口令" in page.content.decode()
    done = sure.post("/accounts/2fa/reauthenticate/", {"code": codes[0], "next": "/admin/"})
    assert done.headers["Location"] == "/admin/"
    assert sure.get("/admin/").status_code == 200


def test_signing_in_asks_for_the_code(sure: Client) -> None:
    page = sure.get("/accounts/2fa/totp/activate/").content.decode()
    secret = secret_of(page)
    sure.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)})
    user = Authenticator.objects.filter(type="totp").latest("pk").user
    other = Client()
    page = other.post("/accounts/login/?next=/admin/", {"login": user.username, "password": "x", "next": "/admin/"})
    assert page.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert "请输入动态口令" in other.get(page.headers["Location"]).content.decode()
    assert other.get("/").context["user"].is_anonymous
    done = other.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert done.status_code == 302
    assert done.headers["Location"] == "/admin/"
    assert other.get("/admin/").status_code == 200


@pytest.mark.parametrize("page", ["", "recovery-codes/", "recovery-codes/generate/", "totp/deactivate/"])
def test_the_other_pages_are_ours(sure: Client, page: str) -> None:
    text = sure.get("/accounts/2fa/totp/activate/").content.decode()
    sure.post("/accounts/2fa/totp/activate/", {"code": code_of(secret_of(text))})
    text = sure.get(f"/accounts/2fa/{page}").content.decode()
    assert "mfa.css" in text
    for english in ("Authenticator", "Recovery", "Deactivate", "Generate"):
        assert english not in text


def test_no_admin_page_shows_secrets_or_session_keys() -> None:
    boss = make("boss", is_superuser=True)
    for page in ("mfa/authenticator/", "usersessions/usersession/"):
        assert signed_in(boss).get(f"/admin/{page}").status_code == 404
