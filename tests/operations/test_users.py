"""Players' pages: who may do what to whom, what it does, what is kept. Forged fields do nothing and are recorded."""

import secrets
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, Permission
from django.db import DatabaseError, connection, transaction
from django.test import Client

from ledger import selectors
from ledger import services as ledger
from ledger.errors import AccountFrozen
from ledger.services import CARD, COIN, POINT, Line
from liuzhou.accounts import hooks, standing
from liuzhou.accounts.models import User
from liuzhou.operations.groups import ADMINS, RIGHTS
from liuzhou.operations.models import Note
from liuzhou.trail.models import Trail
from tests.staff import make, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    """An admin by the group alone."""
    user = make("admin")
    user.groups.add(Group.objects.get(name=ADMINS))
    return user


@pytest.fixture
def dong() -> User:
    user = User.objects.create_user(f"dong-{secrets.token_hex(4)}", password="correct horse", nickname="东东")
    ledger.grant_signup(user_id=user.pk)
    return user


@pytest.fixture
def chief() -> User:
    return User.objects.create_superuser(f"chief-{secrets.token_hex(4)}", password="x")


def page(user: User, rest: str = "change/") -> str:
    return f"/admin/accounts/user/{user.pk}/{rest}"


def deed(client: Client, user: User, action: str, reason: str = "有人举报") -> Any:
    return client.post(page(user, f"do/{action}/"), {"reason": reason})


def trail_of(action: str, user: User) -> Trail:
    return Trail.objects.get(action=action, subject=f"accounts.user:{user.pk}")


def test_the_group_has_what_it_names_and_no_more() -> None:
    group = Group.objects.get(name=ADMINS)
    held = {f"{one.content_type.app_label}.{one.codename}" for one in group.permissions.select_related("content_type")}
    assert held == set(RIGHTS)
    assert not [right for right in held if right.startswith("auth.") or "approval" in right]


def test_a_player_is_frozen_and_unfrozen(
    admin: User, dong: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    told: list[tuple[int, str | None]] = []
    monkeypatch.setattr(hooks, "_signed_out", [lambda user, session: told.append((user, session))])
    own = Client()
    own.force_login(dong)
    assert own.get("/accounts/profile/").status_code == 200
    client = signed_in(admin)
    with django_capture_on_commit_callbacks(execute=True):
        assert deed(client, dong, "freeze").status_code == 302
    dong.refresh_from_db()
    assert not dong.is_active
    assert told[-1] == (dong.pk, None)
    assert own.get("/accounts/profile/").status_code == 302
    for currency in (COIN, CARD):
        wallet = ledger.wallet(owner_ref=dong.pk, currency=currency)
        lines = [Line(wallet, -1), Line(ledger.system("penalty" if currency == COIN else "card_sales", currency), 1)]
        with pytest.raises(AccountFrozen), transaction.atomic():
            ledger.post(kind="test", key=secrets.token_hex(8), lines=lines)
    kept = trail_of("user-freeze", dong)
    assert (kept.actor, kept.detail) == (admin, {"reason": "有人举报"})
    assert "已经是这样" in deed(client, dong, "freeze").content.decode()
    assert deed(client, dong, "unfreeze").status_code == 302
    dong.refresh_from_db()
    assert dong.is_active
    ledger.post(kind="test", key=secrets.token_hex(8), lines=lines)
    trail_of("user-unfreeze", dong)


def test_a_frozen_loser_does_not_keep_a_hand_from_being_settled(admin: User, dong: User) -> None:
    """积分 is what a settlement takes from who lost: it stays free."""
    standing.freeze(user=dong, by=admin, reason="复核")
    points, other = (ledger.wallet(owner_ref=owner, currency=POINT) for owner in (dong.pk, admin.pk))
    ledger.post(kind="test", key=secrets.token_hex(8), lines=[Line(points, -40), Line(other, 40)])


def test_the_wallet_of_points_is_not_frozen_at_the_ledgers_desk_either(admin: User, dong: User) -> None:
    client = signed_in(admin)
    points = ledger.wallet(owner_ref=dong.pk, currency=POINT)
    seat = ledger.seat(owner_ref=dong.pk, name=secrets.token_hex(4))
    for account, action in ((points, "freeze"), (seat, "freeze"), (seat, "issue")):
        form = {"reason": "x", "amount": "5", "token": secrets.token_hex(12)}
        assert client.post(f"/admin/ledger/account/{account}/desk/{action}/", form).status_code == 403


def test_signing_out_by_force_ends_every_session(admin: User, dong: User) -> None:
    phones = [Client(), Client()]
    for phone in phones:
        phone.force_login(dong)
    assert deed(signed_in(admin), dong, "sign-out").status_code == 302
    assert [phone.get("/accounts/profile/").status_code for phone in phones] == [302, 302]
    assert not UserSession.objects.filter(user=dong).exists()
    trail_of("user-sign-out", dong)


def test_the_second_factor_is_taken_away(admin: User, dong: User) -> None:
    Authenticator.objects.create(user=dong, type=Authenticator.Type.TOTP, data={"secret": "x"})
    client = signed_in(admin)
    assert deed(client, dong, "reset-mfa").status_code == 302
    assert not Authenticator.objects.filter(user=dong).exists()
    trail_of("user-reset-mfa", dong)
    assert "已经是这样" in deed(client, dong, "reset-mfa").content.decode()


def test_notes_stay(admin: User, dong: User) -> None:
    client = signed_in(admin)
    assert deed(client, dong, "note", "打电话核实过").status_code == 302
    assert "打电话核实过" in client.get(page(dong)).content.decode()
    for statement in ("UPDATE operations_note SET text = ''", "DELETE FROM operations_note"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Note.objects.get(player=dong).by == admin


@pytest.mark.parametrize("action", ["freeze", "sign-out", "reset-mfa"])
def test_a_reason_is_needed(admin: User, dong: User, action: str) -> None:
    assert deed(signed_in(admin), dong, action, "  ").status_code == 200
    with pytest.raises(standing.NeedsReason):
        standing.sign_out(user=dong, by=admin, reason=" ")
    dong.refresh_from_db()
    assert dong.is_active


@pytest.mark.parametrize("action", ["freeze", "unfreeze", "sign-out", "reset-mfa", "note"])
def test_each_deed_needs_its_own_right(dong: User, action: str) -> None:
    client = signed_in(make("reader", "accounts.view_user", "accounts.change_user"))
    assert deed(client, dong, action).status_code == 403
    assert Trail.objects.filter(action="admin-refused").exists()


def test_colleagues_superusers_and_oneself_are_a_superusers_business(admin: User, chief: User) -> None:
    client, colleague = signed_in(admin), make("colleague")
    frozen = make("frozen")
    User.objects.filter(pk=frozen.pk).update(is_active=False)
    for other in (colleague, chief, admin, frozen):
        for action in ("freeze", "sign-out", "reset-mfa", "unfreeze"):
            assert deed(client, other, action).status_code != 302
        assert client.post(page(other), {"nickname": "x"}).status_code == 403
        assert client.get(page(other, "password/")).status_code == 403
        assert client.post(page(other, "password/"), {"password1": "abc", "password2": "abc"}).status_code == 403
    assert User.objects.filter(pk__in=[colleague.pk, chief.pk, admin.pk], is_active=True).count() == 3
    assert deed(signed_in(chief), colleague, "freeze").status_code == 302
    assert "由超级管理员处理" in deed(signed_in(chief), chief, "freeze").content.decode()


def test_an_admin_changes_a_player_and_what_was_changed_is_kept(admin: User, dong: User) -> None:
    client = signed_in(admin)
    form = client.get(page(dong)).context["adminform"].form
    assert not {"is_staff", "is_superuser", "groups", "user_permissions", "is_active"} & set(form.fields)
    fields = {"username": dong.username, "nickname": "东哥", "color": dong.color, "adult": "true", "ranked": "on"}
    assert client.post(page(dong), fields).status_code == 302
    kept = trail_of("user-change", dong)
    assert kept.detail["changes"]["nickname"] == ["东东", "东哥"]
    trail_of("user-view", dong)


def test_forged_rights_do_nothing_and_are_recorded(admin: User, dong: User) -> None:
    client = signed_in(admin)
    rights = [str(pk) for pk in Permission.objects.values_list("pk", flat=True)[:5]]
    fields = {
        "username": dong.username, "nickname": "东东", "color": dong.color, "adult": "unknown", "ranked": "on",
        "is_staff": "on", "is_superuser": "on", "groups": [str(Group.objects.get(name=ADMINS).pk)],
        "user_permissions": rights, "is_active": "", "number": "12345678", "balance": "999999",
    }  # fmt: skip
    number = dong.number
    assert client.post(page(dong), fields).status_code == 302
    dong.refresh_from_db()
    assert (dong.is_staff, dong.is_superuser, dong.is_active, dong.number) == (False, False, True, number)
    assert not dong.groups.exists()
    assert not dong.user_permissions.exists()
    forged = Trail.objects.get(action="admin-forged")
    assert forged.actor == admin
    assert {"is_staff", "is_superuser", "groups", "user_permissions", "balance"} <= set(forged.detail["fields"])


def test_superusers_give_rights_and_that_is_kept(chief: User, dong: User) -> None:
    client = signed_in(chief)
    fields = {"username": dong.username, "nickname": "东东", "color": dong.color, "adult": "unknown", "is_staff": "on"}
    assert client.post(page(dong), fields).status_code == 302
    dong.refresh_from_db()
    assert dong.is_staff
    assert trail_of("user-change", dong).detail["changes"]["is_staff"] == [False, True]


def test_nobody_is_added_or_deleted_by_admins(admin: User, chief: User, dong: User) -> None:
    client = signed_in(admin)
    assert client.get("/admin/accounts/user/add/").status_code == 403
    assert signed_in(chief).post(page(dong, "delete/"), {"post": "yes"}).status_code == 403
    assert client.get("/admin/auth/group/").status_code == 403


def test_a_password_set_for_a_player_ends_their_sessions(admin: User, dong: User) -> None:
    own = Client()
    own.force_login(dong)
    new = {"usable_password": "true", "password1": "ganz neues Wort", "password2": "ganz neues Wort"}
    assert signed_in(admin).post(page(dong, "password/"), new).status_code == 302
    dong.refresh_from_db()
    assert dong.check_password("ganz neues Wort")
    assert own.get("/accounts/profile/").status_code == 302
    trail_of("user-password", dong)


def test_the_statement_is_seen_with_a_trail(admin: User, dong: User) -> None:
    client = signed_in(admin)
    shown = client.get(page(dong, "statement/?currency=CARD"))
    assert "注册赠送" in shown.content.decode()
    assert trail_of("statement-view", dong).detail["currency"] == "CARD"
    assert signed_in(make("reader", "accounts.view_user")).get(page(dong, "statement/")).status_code == 403


def test_the_ledgers_desk_is_one_click_away_and_leaves_a_trail(admin: User, dong: User) -> None:
    client = signed_in(admin)
    wallet = ledger.wallet(owner_ref=dong.pk, currency=COIN)
    address = f"/admin/ledger/account/{wallet}/desk/issue/"
    assert address in client.get(page(dong)).content.decode()
    form = {"amount": "50", "reason": "补偿", "token": secrets.token_hex(12)}
    assert client.post(address, form).status_code == 302
    kept = Trail.objects.get(action="page-change", actor=admin)
    assert kept.detail["amount"] == "50"
    assert kept.detail["reason"] == "补偿"
    assert kept.subject == f"ledger_account_desk:{wallet}"


def test_who_is_frozen_is_told_so_at_the_door(admin: User, dong: User) -> None:
    standing.freeze(user=dong, by=admin, reason="复核")
    answer = Client().post("/accounts/login/", {"login": dong.username, "password": "correct horse"}, follow=True)
    assert "停用" in answer.content.decode()
    assert "_auth_user_id" not in Client().session


@pytest.mark.parametrize("who", ["admin", "chief"])
def test_forged_balances_do_nothing_and_are_recorded(who: str, dong: User, request: pytest.FixtureRequest) -> None:
    by: User = request.getfixturevalue(who)
    client, wallet = signed_in(by), ledger.wallet(owner_ref=dong.pk, currency=COIN)
    for model, pk in (("account", wallet), ("entry", 1)):
        address = f"/admin/ledger/{model}/{pk}/change/"
        assert client.post(address, {"balance": "999999", "frozen": "on"}).status_code in (302, 403, 404)
        assert client.post(f"/admin/ledger/{model}/add/", {"balance": "1"}).status_code == 403
    assert selectors.balance(wallet) == 2000
    kept = Trail.objects.filter(
        actor=by, action="admin-refused", detail__path=f"/admin/ledger/account/{wallet}/change/"
    )
    assert kept.get().detail["fields"] == ["balance", "frozen"]


def test_the_page_leads_on(admin: User, dong: User) -> None:
    client = signed_in(admin)
    page_text = client.get(page(dong)).content.decode()
    for address in (
        f"/admin/fairness/flag/player/{dong.number}/",
        page(dong, "statement/"),
        f"/admin/trail/trail/search/?subject=accounts.user:{dong.pk}",
    ):
        assert address in page_text
        assert client.get(address).status_code == 200
    assert page(dong, "do/reset-mfa/") not in page_text  # there is none to take away
