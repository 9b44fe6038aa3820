"""The admin's door: a second factor, proved lately; whoever lacks it is sent where they can get it. The trail for ever."""

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.test import Client, RequestFactory

from liuzhou.accounts.models import User
from liuzhou.trail import services
from liuzhou.trail.models import Trail
from tests.staff import make, prove, signed_in

pytestmark = pytest.mark.django_db


def test_a_password_alone_opens_nothing() -> None:
    client = Client()
    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert client.get("/admin/login/?next=/admin/").headers["Location"].startswith("/accounts/login/?next=%2Fadmin%2F")
    client.force_login(make("boss"))
    assert client.get("/admin/login/?next=/admin/").headers["Location"].startswith("/accounts/2fa/totp/activate/")
    prove(client)
    assert client.get("/admin/").status_code == 200


def test_players_are_refused() -> None:
    client = signed_in(User.objects.create_user("dong", password="x"))
    assert client.get("/admin/login/?next=/admin/").status_code == 403


@pytest.mark.parametrize("next_page", ["//evil.example/", "https://evil.example/"])
def test_the_door_leads_nowhere_else(next_page: str) -> None:
    assert signed_in(make("boss")).get("/admin/login/", {"next": next_page}).headers["Location"] == "/admin/"


def test_a_proof_ages_and_an_idle_session_proves_itself_again() -> None:
    client = signed_in(make("boss"))
    assert client.get("/admin/").status_code == 200
    prove(client, ago=settings.STAFF_IDLE + 5)  # seen just now: not idle
    assert client.get("/admin/").status_code == 200
    session = client.session
    session["staff_seen"] -= settings.STAFF_IDLE + 5
    session.save()
    assert client.get("/admin/").status_code == 302
    prove(client, ago=settings.STAFF_AGE + 5)
    assert client.get("/admin/").status_code == 302


def test_nobody_changes_the_trail() -> None:
    request = RequestFactory().get("/")
    request.user = make("boss")
    kept = services.record(request, "user-freeze", request.user, reason="复核")
    assert kept.subject == f"accounts.user:{request.user.pk}"
    for statement in ("UPDATE trail_trail SET action = 'x'", "DELETE FROM trail_trail", "TRUNCATE trail_trail"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Trail.objects.get(pk=kept.pk).detail == {"reason": "复核"}
