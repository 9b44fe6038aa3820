"""Wrong passwords: a name from an address waits a while; nobody else does, and nobody for ever."""

import secrets
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from axes.models import AccessAttempt
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from liuzhou.accounts import lockouts
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from tests.staff import make, signed_in

pytestmark = pytest.mark.django_db
HERE, THERE = "203.0.113.1", "203.0.113.2"


@pytest.fixture(autouse=True)
def watched(settings: Any) -> None:
    settings.AXES_ENABLED = True
    cache.clear()


@pytest.fixture
def dong() -> User:
    return User.objects.create_user(f"Dong-{secrets.token_hex(4)}", password="correct horse")


def sign_in(name: str, password: str = "wrong", address: str = HERE) -> Any:
    return Client(REMOTE_ADDR=address).post("/accounts/login/", {"login": name, "password": password})


def fail(name: str, times: int, address: str = HERE) -> Any:
    for _ in range(times):
        answer = sign_in(name, address=address)
    return answer


def test_the_fifth_failure_locks_this_name_from_this_address(dong: User) -> None:
    assert fail(dong.username, 4).status_code == 200
    answer = fail(dong.username, 1)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "900"
    assert "请等 15 分钟" in answer.content.decode()
    assert sign_in(dong.username, "correct horse").status_code == 429
    assert sign_in(dong.username.upper(), "correct horse").status_code == 429  # another spelling of the same name


def test_the_owner_signs_in_from_elsewhere_all_the_while(dong: User) -> None:
    fail(dong.username, 12)
    assert sign_in(dong.username, "correct horse", THERE).status_code == 302


def test_others_behind_the_same_address_sign_in(dong: User) -> None:
    nan = User.objects.create_user(f"nan-{secrets.token_hex(4)}", password="correct horse")
    fail(dong.username, 6)
    assert sign_in(nan.username, "correct horse").status_code == 302


@pytest.mark.parametrize("name", ["", "   ", "nobody-of-that-name", "' OR 1=1 --", "\x00", "名" * 200])
def test_an_empty_or_unknown_name_locks_nobody(dong: User, name: str) -> None:
    fail(name, 7)
    assert sign_in(dong.username, "correct horse").status_code == 302


def test_it_ends_after_a_while_even_if_the_failures_go_on(dong: User) -> None:
    fail(dong.username, 6)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    cache.clear()  # allauth's own, shorter limits
    assert sign_in(dong.username, "correct horse").status_code == 302


def test_trying_while_locked_does_not_make_it_longer(dong: User) -> None:
    fail(dong.username, 5)
    before = AccessAttempt.objects.get().attempt_time
    fail(dong.username, 3)
    assert AccessAttempt.objects.get().attempt_time == before


def test_success_forgets_the_failures(dong: User) -> None:
    fail(dong.username, 4)
    assert sign_in(dong.username, "correct horse").status_code == 302
    assert not AccessAttempt.objects.exists()


def test_nothing_is_written_for_who_does_nothing_wrong(dong: User, django_assert_num_queries: Any) -> None:
    client = Client()
    client.force_login(dong)
    client.get("/")
    assert not AccessAttempt.objects.exists()
    assert sign_in(dong.username, "correct horse").status_code == 302
    assert not AccessAttempt.objects.exists()


def test_no_password_is_kept(dong: User) -> None:
    sign_in(dong.username, "my-other-password")
    kept = AccessAttempt.objects.get()
    assert "my-other-password" not in f"{kept.post_data}{kept.get_data}"
    assert kept.username == dong.username.lower()


def test_codes_of_the_second_factor_are_limited_too(dong: User) -> None:
    """Allauth's limit: five wrong codes in five minutes, whoever sends them has the password already."""
    TOTP.activate(dong, generate_totp_secret())
    client = Client()
    client.post("/accounts/login/", {"login": dong.username, "password": "correct horse"})
    for _ in range(5):
        assert "口令不正确" in client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()
    assert "登录失败次数过多" in client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()


def test_the_list_is_to_read(dong: User) -> None:
    fail(dong.username, 2)
    attempt = AccessAttempt.objects.get()
    client = signed_in(User.objects.create_superuser("chief"))
    page = f"/admin/axes/accessattempt/{attempt.pk}/"
    assert dong.username.lower() in client.get("/admin/axes/accessattempt/").content.decode()
    assert client.get(f"{page}change/").status_code == 200
    assert client.post(f"{page}change/", {"username": "x"}).status_code == 403
    assert client.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/axes/accessattempt/add/").status_code == 403
    assert Trail.objects.filter(action="page-view", subject__startswith="axes_accessattempt_change").exists()
    assert signed_in(make("reader")).get("/admin/axes/accessattempt/").status_code == 403


def test_the_address_is_that_before_the_proxies(rf: Any, settings: Any) -> None:
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="198.51.100.7, 203.0.113.5")
    assert lockouts.address(request) == "10.0.0.1"
