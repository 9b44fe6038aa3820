"""What staff see and take away leaves a row: pages of the admin, the audit pages, files; and /audit/ asks for the proof."""

import csv
import io
import secrets
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from ledger import services as ledger
from ledger.services import COIN
from liuzhou.accounts.models import User
from liuzhou.operations.groups import ADMINS
from liuzhou.trail.models import Trail
from tests.staff import make, prove, signed_in

pytestmark = pytest.mark.django_db
EXPORTS = ("accounts/user", "trail/trail", "operations/notice", "rooms/room")


@pytest.fixture
def admin() -> User:
    user = make("admin")
    user.groups.add(Group.objects.get(name=ADMINS))
    return user


@pytest.fixture
def dong() -> User:
    user = User.objects.create_user(f"dong-{secrets.token_hex(4)}", nickname="=1+1")
    ledger.grant_signup(user_id=user.pk)
    return user


def last() -> Trail:
    return Trail.objects.order_by("-pk")[0]


@pytest.mark.parametrize(
    ("page", "subject"),
    [
        ("accounts/user/?q=dong", "accounts_user_changelist"),
        ("ledger/account/{account}/change/", "ledger_account_change:{account}"),
        ("ledger/entry/", "ledger_entry_changelist"),
        ("trail/trail/search/?who=x", "trail_trail_search"),
        ("accounts/user/{user}/history/", "accounts_user_history:{user}"),
    ],
)
def test_every_page_of_somebodys_data_is_kept(admin: User, dong: User, page: str, subject: str) -> None:
    names = {"account": ledger.wallet(owner_ref=dong.pk, currency=COIN), "user": dong.pk}
    address = page.format(**names)
    assert signed_in(admin).get(f"/admin/{address}").status_code == 200
    kept = last()
    assert (kept.actor, kept.action, kept.subject) == (admin, "page-view", subject.format(**names))
    assert kept.address == "127.0.0.1"
    if "?" in page:
        assert kept.detail["query"] == page.partition("?")[2]


def test_a_page_that_records_itself_is_kept_once(admin: User, dong: User) -> None:
    client = signed_in(admin)
    before = Trail.objects.count()
    client.get(f"/admin/accounts/user/{dong.pk}/change/")
    assert Trail.objects.count() == before + 1
    client.get("/admin/")  # the dashboard shows nobody's data
    assert Trail.objects.count() == before + 1


class TestAudit:
    @pytest.fixture
    def auditor(self) -> User:
        user = User.objects.create_user(f"auditor-{secrets.token_hex(4)}", password="x")
        user.groups.add(Group.objects.get(name="auditors"))
        return user

    def test_a_password_alone_opens_nothing(self, auditor: User, admin: User) -> None:
        for user in (auditor, admin, User.objects.create_superuser("chief")):
            client = Client()
            client.force_login(user)
            for page in ("", "supply/", "lines.csv", "entry/1/"):
                answer = client.get(f"/audit/{page}")
                assert answer.status_code == 302
                assert answer.headers["Location"].startswith("/accounts/2fa/totp/activate/?next=%2Faudit%2F")
            prove(client)
            assert client.get("/audit/").status_code == 200

    def test_the_proof_ages(self, auditor: User, settings: Any) -> None:
        client = signed_in(auditor)
        prove(client, ago=settings.STAFF_AGE + 5)
        assert client.get("/audit/").status_code == 302

    def test_looks_and_files_are_kept(self, auditor: User) -> None:
        client = signed_in(auditor)
        client.get("/audit/?player=dong")
        assert (last().action, last().actor, last().detail) == (
            "audit-view", auditor, {"path": "/audit/", "query": "player=dong"},
        )  # fmt: skip
        client.get("/audit/lines.csv?player=dong")
        assert (last().action, last().detail["path"]) == ("audit-export", "/audit/lines.csv")
        client.get("/audit/exports/")
        assert last().action == "audit-view"

    def test_players_and_strangers_get_what_they_always_got(self, dong: User) -> None:
        assert Client().get("/audit/").headers["Location"].startswith("/accounts/login/")
        client = Client()
        client.force_login(dong)
        assert client.get("/audit/").status_code == 403


class TestExports:
    @pytest.mark.parametrize("model", EXPORTS)
    def test_each_list_is_a_file_and_a_row_in_the_trail(self, admin: User, dong: User, model: str) -> None:
        client = signed_in(admin)
        answer = client.post(f"/admin/{model}/export/", {"format": "0"})
        assert answer.headers["Content-Type"] == "text/csv"
        assert answer.content.startswith(b"\xef\xbb\xbf")
        kept = Trail.objects.get(action="export")
        assert (kept.actor, kept.subject, kept.detail["format"]) == (admin, model.replace("/", "."), "csv")
        assert list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))

    def test_a_formula_is_a_text(self, admin: User, dong: User) -> None:
        client = signed_in(admin)
        rows = csv.DictReader(
            io.StringIO(
                client.post(f"/admin/accounts/user/export/?q={dong.username}", {"format": "0"}).content.decode(
                    "utf-8-sig"
                )
            )
        )
        assert [row["nickname"] for row in rows] == ["'=1+1"]
        assert Trail.objects.get(action="export").detail == {"format": "csv", "query": f"q={dong.username}", "rows": 1}

    def test_a_workbook(self, admin: User, dong: User) -> None:
        answer = signed_in(admin).post("/admin/accounts/user/export/", {"format": "1"})
        sheet = zipfile.ZipFile(io.BytesIO(answer.content)).read("xl/worksheets/sheet1.xml").decode()
        assert dong.number in sheet
        assert "'=1+1" in sheet

    def test_no_password_and_no_hash_goes_out(self, admin: User, dong: User) -> None:
        dong.set_password("correct horse")
        dong.save()
        text = signed_in(admin).post("/admin/accounts/user/export/", {"format": "0"}).content.decode()
        assert dong.password not in text
        assert "password" not in text

    @pytest.mark.parametrize("model", EXPORTS)
    def test_without_the_right_there_is_no_file(self, model: str) -> None:
        app, name = model.split("/")
        client = signed_in(make("reader", f"{app}.view_{name}"))
        assert client.post(f"/admin/{model}/export/", {"format": "0"}).status_code == 403
        assert not Trail.objects.filter(action="export").exists()


def test_the_trail_is_searched(admin: User, dong: User) -> None:
    client = signed_in(admin)
    client.get(f"/admin/accounts/user/{dong.pk}/change/")
    page = "/admin/trail/trail/search/"

    def found(**query: str) -> list[Trail]:
        return list(client.get(page, query).context["page"].object_list)

    assert {one.action for one in found(subject=f"accounts.user:{dong.pk}")} == {"user-view"}
    assert {one.actor for one in found(who=admin.number)} == {admin}
    assert found(who="nobody-at-all") == []
    assert found(first="not a date") == []
    assert client.get(page, {"page": "9999"}).status_code == 200
    assert signed_in(make("reader")).get(page).status_code == 403
