"""What an agent may reach of the admin pages: the desk, and nothing else of anybody's.

The addresses come from the site's registry, so that a ModelAdmin added tomorrow is driven too: every address it has, with the
rows of others, questions in the query, and posts nobody's form sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import ResolverMatch, URLPattern, URLResolver

from ledger import desk as ledgers_desk
from ledger import selectors
from liuzhou.accounts.agents import applying, handing, orders
from liuzhou.accounts.agents.forms import new_token
from liuzhou.accounts.agents.models import Agent, Application, Bond, Handover, Order
from liuzhou.accounts.models import User
from liuzhou.trail.models import Trail
from rooms import services
from tests import staff
from tests.agents.conftest import bind, new_agent, new_player

pytestmark = pytest.mark.usefixtures("real_db")
DESK = "/admin/agents/agent/desk/"
STOCK = 7_654_321  # the other agent's: a figure that nothing else shows
FORGED = {
    "is_staff": "on", "is_superuser": "on", "is_active": "on", "groups": "1", "user_permissions": ["1", "2", "3"],
    "balance": "999999", "amount": "999999", "agent": "1", "player": "1", "user": "1", "state": "active", "cards": "0",
    "reason": "x", "token": "0" * 24, "password": "x", "form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1",
    "form-0-id": "1", "form-0-cards": "0", "_save": "1", "index": "0", "select_across": "1",
}  # fmt: skip
ACTIONS = ("delete_selected", "export_admin_action", "issue", "approve", "reject")
VERBS = ("issue", "burn", "freeze", "unfreeze", "reverse", "approve", "reject", "suspend", "resume", "void", "nonsense")


@dataclass
class Cast:
    agent: Agent
    other: Agent
    foreign: list[str]  # what must be on no page
    ids: dict[str, list[str]]  # by model: rows of others


@pytest.fixture
def cast(boss: User) -> Cast:
    """Two agents, each with a player, an order and a handover; the second one's are the forbidden ones."""
    agent, other = new_agent(cards=90, name="mine"), new_agent(cards=STOCK, name="other")
    mine, theirs = bind(agent, new_player("ours")), bind(other, new_player("theirs"))
    for one, bond in ((agent, mine), (other, theirs)):
        handing.hand_over(agent=one, bond=bond.pk, amount=1, token=new_token())
        orders.request_cards(agent=one, amount=3, token=new_token(), note=f"note-{one.user.nickname}")
    applicant = new_player("applicant")
    application = applying.apply(user=applicant)
    room = services.create_practice(user=theirs.player)
    foreign = [STOCK - 1, f"{STOCK - 1:,}", other.token, boss.username]
    for user in (other.user, theirs.player, applicant):
        foreign += [user.number, user.nickname, user.username]
    ids = {
        "agents.agent": [str(other.pk), str(agent.pk)],
        "agents.bond": [str(theirs.pk), str(mine.pk)],
        "agents.order": [str(other.orders.get().pk), str(agent.orders.get().pk)],
        "agents.handover": [str(other.handovers.get().pk), str(agent.handovers.get().pk)],
        "agents.application": [str(application.pk)],
        "accounts.user": [str(other.user_id), str(agent.user_id)],
        "ledger.account": [str(handing.stock_account(other)), str(handing.stock_account(agent))],
        "ledger.entry": [str(other.handovers.get().entry)],
        "rooms.room": [str(room.pk)],
    }
    return Cast(agent, other, [str(one) for one in foreign], ids)


# ---- Every address there is ----------------------------------------------------------------------
def addresses(cast: Cast) -> Iterator[tuple[str, str]]:
    """(what, address) for each page of each registered model and of the site itself."""
    for model, model_admin in admin.site._registry.items():
        ids = cast.ids.get(model._meta.label_lower) or [_some(model)]
        prefix = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for pattern in flat(model_admin.get_urls()):
            for address in filled(str(pattern.pattern), ids):
                yield model._meta.label_lower, prefix + address
        for row in ids:  # as older Djangos and bookmarks write it
            yield model._meta.label_lower, f"{prefix}{row}/"
        yield "site", f"/admin/r/{ContentType.objects.get_for_model(model).pk}/{ids[0]}/"
    for label in {model._meta.app_label for model in admin.site._registry}:
        yield "site", f"/admin/{label}/"
    for pattern in admin.site.get_urls():
        if isinstance(pattern, URLPattern) and not str(pattern.pattern).startswith(("^", "(")):
            for address in filled(str(pattern.pattern), ["1"]):
                yield "site", f"/admin/{address}"
    yield "site", "/admin/nothing/here/"
    yield "site", "/admin/autocomplete/?app_label=accounts&model_name=user&field_name=groups&term=o"
    yield "site", "/admin/autocomplete/?app_label=agents&model_name=bond&field_name=player&term=other"


def flat(patterns: list[Any]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from flat(pattern.url_patterns)
        else:
            yield pattern


def filled(route: str, ids: list[str]) -> Iterator[str]:
    """The route with rows' numbers and names of actions in it."""
    route = route.removeprefix("^").removesuffix("$").removesuffix("\\Z")
    if "<slug:" in route:
        for verb in VERBS:
            yield from filled(re.sub(r"<slug:\w+>", verb, route), ids)
    elif "<" in route:
        for row in ids:
            yield re.sub(r"<(?:\w+:)?\w+>", row, route)
    else:
        yield route


def _some(model: Any) -> str:
    row = model._default_manager.order_by().first()
    return quote(str(row.pk), safe="") if row else "1"


def queries(cast: Cast) -> list[str]:
    name = quote(cast.other.user.nickname)
    return [
        f"?q={name}", f"?q={cast.other.user.number}", "?all=1", "?_popup=1&_to_field=id", "?_facets=True&o=-1.2",
        "?state__exact=active", "?at__year=2026", "?user__password__startswith=a",
        f"?agent__id__exact={cast.other.pk}", "?e=1", "?_to_field=password",
    ]  # fmt: skip


def name_of(address: str) -> str:
    from django.urls import Resolver404, resolve

    try:
        return resolve(address.split("?")[0]).url_name or ""
    except Resolver404:
        return ""


OPEN = re.compile(r"agents_desk_\w+|logout|jsi18n|password_change|password_change_done")


def body(response: Any) -> str:
    return (b"".join(response.streaming_content) if response.streaming else response.content).decode()


def check(cast: Cast, address: str, response: Any) -> None:
    """Refused, or the agent's own page with nothing of others on it."""
    name, status = name_of(address), response.status_code
    if status in (403, 404):
        return
    if status in (301, 302):
        target = response.headers["Location"]
        own = target.startswith((DESK, "/admin/login/", "/accounts/login/"))
        assert own or (name, target) == ("login", "/admin/"), (address, target)
        return
    assert OPEN.fullmatch(name), (address, status)
    assert status in (200, 400, 405), (address, status)
    text = body(response)
    for secret in cast.foreign:
        assert secret not in text, (address, secret)


def world(cast: Cast) -> tuple[Any, ...]:
    """All that must be as it was."""
    people = User.objects.filter(pk__in=[cast.agent.user_id, cast.other.user_id])
    people_now = list(
        people.order_by("pk").values_list(
            "is_staff", "is_superuser", "is_active", "number", "nickname", "password", "groups", "user_permissions"
        )
    )
    rows = [list(model.objects.order_by("pk").values()) for model in (Agent, Application, Bond, Order, Handover)]
    return people_now, rows, handing.stock(cast.agent), handing.stock(cast.other)


def test_every_address_as_an_agent(cast: Cast) -> None:
    client, before = staff.signed_in(cast.agent.user), world(cast)
    seen, own = 0, set()
    for _what, address in addresses(cast):
        response = client.get(address)
        check(cast, address, response)
        seen += 1
        if response.status_code == 200:
            own.add(name_of(address))
    assert seen > 100
    assert {f"agents_desk_{name}" for name in ("home", "players", "link", "orders", "movements", "sheet")} <= own
    assert world(cast) == before
    refusals = Trail.objects.filter(actor=cast.agent.user, action="admin-refused", detail__method="GET")
    assert refusals.count() > 100


def test_every_question_in_a_query_as_an_agent(cast: Cast) -> None:
    client = staff.signed_in(cast.agent.user)
    lists = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry]
    pages = [address for what, address in addresses(cast) if what == "agents.agent" and address.startswith(DESK)]
    for address in [*lists, *pages]:
        for query in queries(cast):
            response = client.get(address + query)
            check_query(cast, address, query, response)


def check_query(cast: Cast, address: str, query: str, response: Any) -> None:
    if response.status_code == 200 and "q=" in query:  # the page may show what was typed, nothing found by it
        text = body(response)
        assert cast.other.user.username not in text
        assert STOCK - 1 not in [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]{5,}", text)]
        assert address != f"{DESK}players/" or not re.search(r"bond=\d+", text)
        return
    check(cast, address, response)


def test_every_forged_post_as_an_agent_does_nothing_and_is_recorded(cast: Cast) -> None:
    client, before = staff.signed_in(cast.agent.user), world(cast)
    for what, address in addresses(cast):
        name = name_of(address)
        if name in ("login", "logout", "jsi18n", "password_change", "password_change_done"):
            continue
        ids = cast.ids.get(what, ["1"])
        for action in ACTIONS if name.endswith("_changelist") else ("",):
            forged = {**FORGED, "_selected_action": ids, **({"action": action} if action else {})}
            recorded = Trail.objects.filter(actor=cast.agent.user, action="admin-refused").count()
            response = client.post(address, forged)
            assert response.status_code in (403, 404), (address, response.status_code)
            if response.status_code == 403:
                after = Trail.objects.filter(actor=cast.agent.user, action="admin-refused")
                assert after.count() == recorded + 1, address
                kept = after.latest("pk").detail
                assert kept["path"] == address
                assert {"is_staff", "is_superuser", "groups", "user_permissions", "balance"} <= set(kept["fields"])
    assert world(cast) == before


def test_a_post_from_elsewhere_is_recorded_too(cast: Cast) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = staff.signed_in(cast.agent.user).cookies
    for address in (f"{DESK}orders/", f"/admin/accounts/user/{cast.agent.user_id}/change/"):
        assert strict.post(address, FORGED).status_code == 403
        kept = Trail.objects.filter(actor=cast.agent.user, action="admin-refused").latest("pk").detail
        assert (kept["path"], "is_superuser" in kept["fields"]) == (address, True)


def test_the_common_pages_take_nothing_forged_either(cast: Cast) -> None:
    client, before = staff.signed_in(cast.agent.user), world(cast)
    for name in ("password_change", "password_change/done", "jsi18n"):
        assert client.post(f"/admin/{name}/", FORGED).status_code in (200, 403, 405)
    assert world(cast) == before


def test_others_get_nowhere(cast: Cast) -> None:
    """Nobody, a player, a suspended agent, an agent who has not proved a second factor, each at every address."""
    suspended = new_agent(cards=5)
    admins = staff.make("admin2")
    applying.suspend(agent=suspended.pk, admin=admins, reason="x")
    clients = {
        "anonymous": Client(),
        "player": staff.signed_in(new_player("plain")),
        "suspended": staff.signed_in(User.objects.get(pk=suspended.user_id)),
        "unproved": Client(),
    }
    clients["unproved"].force_login(cast.agent.user)
    for who, client in clients.items():
        for _what, address in addresses(cast):
            if name_of(address) == "logout":
                continue
            response = client.get(address)
            assert response.status_code in (302, 403, 404), (who, address, response.status_code)
            if response.status_code == 302:
                allowed = ("/admin/login/", "/accounts/login/", "/accounts/2fa/totp/activate/")
                assert response.headers["Location"].startswith(allowed), (who, address, response.headers["Location"])
        door = client.get("/admin/login/?next=/admin/")
        assert door.status_code == 403 or door.headers["Location"].startswith(("/accounts/login/", "/accounts/2fa/"))
        assert client.post(f"{DESK}orders/", {"amount": "5", "note": "", "token": new_token()}).status_code in (
            302,
            403,
        )
    assert not suspended.orders.exists()
    assert cast.agent.orders.count() == 1


def test_admins_see_all_and_act_by_their_rights(cast: Cast, boss: User) -> None:
    client, viewer = staff.signed_in(boss), staff.signed_in(staff.make("viewer", "agents.view_order"))
    page = client.get("/admin/agents/agent/").content.decode()
    assert cast.other.user.number in page
    assert f"{STOCK - 1:,}" in page
    for model in ("agent", "bond", "order", "handover", "application"):
        row = cast.ids[f"agents.{model}"][0]
        assert client.get(f"/admin/agents/{model}/").status_code == 200
        assert client.get(f"/admin/agents/{model}/{row}/change/").status_code == 200
        assert Trail.objects.filter(actor=boss, action=f"{model}-view", subject=f"agents.{model}:{row}").exists()
        for deed in ("add", f"{row}/delete", f"{row}/change"):
            assert client.post(f"/admin/agents/{model}/{deed}/", FORGED).status_code == 403
    assert client.get(DESK).status_code == 403  # no desk without an agency
    order = cast.ids["agents.order"][0]
    assert viewer.get(f"/admin/agents/order/{order}/change/").status_code == 200
    assert viewer.post(f"/admin/agents/order/{order}/do/issue/", {"reason": "x"}).status_code == 403
    assert viewer.get("/admin/agents/agent/").status_code == 403
    assert Order.objects.get(pk=order).state == "open"


def test_an_agent_with_rights_given_by_mistake_is_still_kept_to_the_desk(cast: Cast) -> None:
    from django.contrib.auth.models import Permission

    cast.agent.user.user_permissions.set(Permission.objects.all())
    client = staff.signed_in(User.objects.get(pk=cast.agent.user_id))
    for address in ("accounts/user/", "ledger/account/", "agents/agent/", "agents/order/", "trail/trail/"):
        assert client.get(f"/admin/{address}").status_code == 403
    order = cast.ids["agents.order"][1]
    assert client.post(f"/admin/agents/order/{order}/do/issue/", {"reason": "x"}).status_code == 403


def test_an_agent_whose_group_was_taken_away_is_no_admin(cast: Cast) -> None:
    cast.agent.user.groups.clear()
    client = staff.signed_in(User.objects.get(pk=cast.agent.user_id))
    assert client.get("/admin/").headers["Location"] == DESK
    assert client.get("/admin/agents/agent/").status_code == 403


def test_a_page_of_tomorrow_is_closed(cast: Cast) -> None:
    """Whatever view hangs under the site: the door comes first."""
    ran = []
    view = admin.site.admin_view(lambda request: ran.append(1) or HttpResponse("all"))
    request = RequestFactory().post("/admin/tomorrow/thing/", {"is_staff": "on"})
    client = staff.signed_in(cast.agent.user)
    request.user, request.session = cast.agent.user, client.session
    request._dont_enforce_csrf_checks = True
    request.resolver_match = ResolverMatch(view, (), {}, url_name="tomorrow_thing_changelist")
    with pytest.raises(PermissionDenied):
        view(request)
    assert ran == []
    assert Trail.objects.filter(actor=cast.agent.user).latest("pk").detail["fields"] == ["is_staff"]


def test_the_stock_is_moved_by_the_desk_alone(cast: Cast) -> None:
    """The figures of the cast, in the ledger's own words."""
    assert selectors.holdings(owner_ref=cast.other.user_id, currency="CARD")["agent"] == STOCK - 1
    assert ledgers_desk.approval_above("CARD") < STOCK
