"""The pages of rooms: lobby, create, join, the room itself, a finished hand's record. Thin edges over services."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import segno
from allauth.account.adapter import get_adapter as get_account_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from liuzhou.accounts.models import User
from rooms import coin_tables, misses, money, services, stakes
from rooms.errors import RoomError
from rooms.fold import SPECTATOR
from rooms.forms import PRESETS, RoomForm
from rooms.history import hand_record, may_hear, may_see, replay, said_during, share_key
from rooms.models import Hand, Price, Room, Seat
from rooms.snapshot import totals_after


def _player(request: HttpRequest) -> User:
    """The signed-in user; only for views behind `login_required`."""
    if not isinstance(request.user, User):
        raise TypeError("this page needs a signed-in player")
    return request.user


def _address(request: HttpRequest) -> str:
    """The visitor's network address, behind as many proxies as TRUSTED_PROXIES says."""
    return get_account_adapter().get_client_ip(request) or ""


def _sentence(error: RoomError) -> str:
    return error.text(get_language() or settings.LANGUAGE_CODE)


@require_GET
def lobby(request: HttpRequest) -> HttpResponse:
    seat = services.seat_of(request.user) if isinstance(request.user, User) else None
    return render(request, "rooms/lobby.html", {"running": seat.room.code if seat else None})


@login_required
@require_POST
def practice(request: HttpRequest) -> HttpResponse:
    """A table with three bots at once; who still sits in a room is sent back to it."""
    try:
        room = services.create_practice(user=_player(request))
    except RoomError as error:
        return _back_to_room(request, error)
    return redirect("room", code=room.code)


def _back_to_room(request: HttpRequest, error: RoomError) -> HttpResponse:
    messages.error(request, _sentence(error))
    seat = services.seat_of(_player(request))
    return redirect("room", code=seat.room.code) if seat else redirect("lobby")


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    form = RoomForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            room = services.create_room(
                user=_player(request),
                preset=form.cleaned_data["preset"],
                options=form.options(),
                hands=form.cleaned_data["hands"],
                pace=form.cleaned_data["pace"] or "normal",
                spectators=form.cleaned_data["spectators"] or "none",
                pay=form.cleaned_data["pay"] or "owner",
            )
        except RoomError as error:
            form.add_error(None, _sentence(error))
        else:
            return redirect("room", code=room.code)
    context = {"form": form, "prices": dict(Price.objects.values_list("hands", "cards"))}
    return render(request, "rooms/new.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    code = (request.POST.get("code") or request.GET.get("code") or "").strip()
    if request.method == "GET":
        return render(request, "rooms/join.html", {"code": code, "error": ""})
    user, address = _player(request), _address(request)
    try:
        misses.check(user=user.pk, address=address)
        room = services.join_room(user=user, code=code, address=address)
    except RoomError as error:
        if error.code == "room_unavailable":
            misses.note(user=user.pk, address=address)
        return render(
            request, "rooms/join.html", {"code": code, "error": _sentence(error), "error_code": error.code}, status=400
        )
    return redirect("room", code=room.code)


@login_required
@require_GET
def coin_lobby(request: HttpRequest) -> HttpResponse:
    """金币场: the brackets, which one the player's coins belong to, and how many play in each."""
    user = _player(request)
    coins = money.coins_of(user.pk)
    mine = stakes.bracket_of(coins)
    seat = services.seat_of(user)
    context = {
        "brackets": [(bracket, bracket == mine, coin_tables.playing_at(bracket.base)) for bracket in stakes.BRACKETS],
        "presets": PRESETS,
        "coins": coins,
        "mine": mine,
        "poorest": stakes.POOREST,
        "running": seat.room.code if seat else None,
    }
    return render(request, "rooms/coins.html", context)


@login_required
@require_POST
def coin_join(request: HttpRequest) -> HttpResponse:
    """Quick join: the fullest waiting table of the player's bracket."""
    return _to_coin_table(request, coin_tables.quick_join, preset=request.POST.get("preset", "classic")[:16])


@login_required
@require_POST
def coin_change(request: HttpRequest) -> HttpResponse:
    """换桌, between hands."""
    return _to_coin_table(request, coin_tables.change_table)


def _to_coin_table(request: HttpRequest, service: Callable[..., Room], **values: object) -> HttpResponse:
    try:
        room = service(user=_player(request), address=_address(request), **values)
    except RoomError as error:
        messages.error(request, _sentence(error))
        return redirect("coin_lobby" if services.seat_of(_player(request)) is None else "lobby")
    return redirect("room", code=room.code)


@login_required
@require_GET
def qr(request: HttpRequest, code: str) -> HttpResponse:
    """The room's link as a QR code, for the phone across the table."""
    if not (len(code) == 6 and code.isdigit()):
        raise Http404
    drawn = segno.make(request.build_absolute_uri(f"/r/{code}/"), error="m")
    picture = io.BytesIO()
    drawn.save(picture, kind="svg", scale=6, border=2, dark="#12312a", light="#fdf6ea")
    return HttpResponse(picture.getvalue(), content_type="image/svg+xml")


@login_required
@require_GET
def room(request: HttpRequest, code: str) -> HttpResponse:
    """The room's page for who has a seat; anyone else who has the link is asked to join."""
    seat = (
        Seat.objects.filter(user=_player(request), room__code=code).select_related("room").order_by("-room_id").first()
    )
    if seat is not None and not seat.room.is_open and Room.objects.filter(code=code, status__in=Room.OPEN).exists():
        seat = None
    if seat is None:
        return _from_outside(request, code)
    context: dict[str, Any] = {"code": code, "you": seat.index, "practice": seat.room.practice, "room": seat.room}
    return render(request, "rooms/room.html", context)


def _from_outside(request: HttpRequest, code: str) -> HttpResponse:
    """Somebody with the link and without a seat: to watch, where the owner lets strangers watch a game that has begun,
    else to join."""
    watched = Room.objects.filter(code=code, status__in=Room.OPEN).exclude(spectators="none")
    watched = watched.exclude(status=Room.Status.WAITING)
    if (found := watched.first()) is None:
        return render(request, "rooms/join.html", {"code": code, "error": ""})
    return render(request, "rooms/room.html", {"code": code, "you": "", "practice": False, "room": found})


def _finished(request: HttpRequest, hand: int) -> Hand:
    """The hand, if it is over and this visitor may see it; otherwise it does not exist for them."""
    found = get_object_or_404(Hand.objects.select_related("room"), pk=hand)
    if not may_see(found, request.user, request.GET.get("k", "")):
        raise Http404
    return found


@require_GET
def hand(request: HttpRequest, hand: int) -> HttpResponse:
    """A finished hand: its replay, its settlement, and the proof of its shuffle.

    Its chat is among the people of the room. Those who played the hand read it here, and so does who was given a link
    that carries it: the page makes two, and sharing leaves the chat out unless the player asks for it. A stranger with
    the plain link, an auditor, and a spectator of the room see tiles and settlement only. Lines pass the operator's
    filter once more, and whom the viewer has muted at the table stays muted here (the page does that, per device)."""
    found = _finished(request, hand)
    players = list(found.players.order_by("index"))
    mine = next((seat for seat in players if seat.user_id and seat.user_id == request.user.pk), None)
    totals = totals_after(found.room, found.number) if found.settlement else None
    told = {"names": [seat.name for seat in players], "totals": totals, "no": found.number}
    context = {"hand": found, "you": mine.index if mine else "", "told": told, "key": share_key(found.pk)}
    if may_hear(found, request.user, request.GET.get("k", "")):
        context["chat_key"] = share_key(found.pk, chat=True)
    return render(request, "rooms/hand.html", context)


@require_GET
def record(request: HttpRequest, hand: int) -> JsonResponse:
    """A finished hand's log, settlement and the proof of its shuffle, for programs."""
    return JsonResponse(hand_record(_finished(request, hand)))


@require_GET
def replay_json(request: HttpRequest, hand: int) -> JsonResponse:
    """The hand as one seat saw it (`seat`, 0 to 3; without it as a spectator did), with `said` for who may read the chat."""
    found = _finished(request, hand)
    value = request.GET.get("seat", "")
    seats = [str(index) for index in range(found.options["players"])]
    if value and value not in seats:
        text = f"seat: {value[:20]} — {' / '.join(seats)}"
        return JsonResponse({"error": text}, status=400)
    shown = replay(found, int(value) if value else SPECTATOR)
    if may_hear(found, request.user, request.GET.get("k", "")):
        shown["said"] = said_during(found)
    return JsonResponse(shown)
