"""The pages of one's own account: profile, devices, limits, data export, closing; and the buttons for coins. Thin."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from liuzhou.accounts import coins, devices, leaving, limits, preferences, profile, restraint
from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.errors import AccountError, ReliefNotNeeded
from liuzhou.accounts.models import PALETTE, User
from liuzhou.accounts.profile_forms import (
    CloseForm,
    CoolOffForm,
    LossCapForm,
    PreferencesForm,
    ProfileForm,
    RealNameForm,
)
from liuzhou.values import services as values

View = Callable[..., HttpResponse]


def player(request: HttpRequest) -> User:
    """The signed-in player; only for views behind `login_required`."""
    if not isinstance(request.user, User):
        raise TypeError("this page needs a signed-in player")
    return request.user


def sentence(error: AccountError) -> str:
    """What the refusal says in the page's language."""
    return error.text(translation.get_language() or settings.LANGUAGE_CODE)


@login_required
@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """签到, then back to the lobby with what it brought."""
    got = coins.sign_in(user=player(request))
    if got.created:
        messages.success(request, _("签到第 %(day)d 天，得 %(coins)d 金币。") % {"day": got.day, "coins": got.coins})
    else:
        messages.info(request, _("今天已经签到，得了 %(coins)d 金币，明天再来。") % {"coins": got.coins})
    return redirect("lobby")


@login_required
@require_POST
def relieve(request: HttpRequest) -> HttpResponse:
    """救济金, then back to the lobby with what it brought or why not."""
    try:
        got = coins.relieve(user=player(request))
    except ReliefNotNeeded as error:
        messages.info(request, sentence(error))
    except AccountError as error:
        messages.error(request, sentence(error))
    else:
        messages.success(request, _("领到救济金 %(coins)d 金币。") % {"coins": got.coins})
    return redirect("lobby")


@login_required
@require_http_methods(["GET", "POST"])
def profile_page(request: HttpRequest) -> HttpResponse:
    """Name and colour in one form, preferences in the other; `form` tells which was sent."""
    user = player(request)
    sent = request.POST.get("form")
    about = ProfileForm(request.POST if sent == "profile" else None, initial=ProfileForm.of(user))
    wishes = PreferencesForm(request.POST if sent == "preferences" else None, initial=PreferencesForm.of(user))
    if sent == "profile" and about.is_valid() and _changed(about, user):
        messages.success(request, _("资料已保存。"))
        return redirect("profile")
    if sent == "preferences" and wishes.is_valid():
        return _preferences_saved(request, user, wishes)
    context = {"about": about, "wishes": wishes, "palette": PALETTE, "tab": "profile"}
    return render(request, "accounts/profile.html", context, status=400 if about.errors or wishes.errors else 200)


def _changed(form: ProfileForm, user: User) -> bool:
    """Store the name and the colour; a refusal of the name is shown at its field."""
    try:
        profile.rename(user=user, nickname=form.cleaned_data["nickname"])
    except AccountError as error:
        form.add_error("nickname", sentence(error))
        return False
    profile.recolour(user=user, color=form.cleaned_data["color"])
    return True


def _preferences_saved(request: HttpRequest, user: User, form: PreferencesForm) -> HttpResponse:
    """Store them; the language goes into this browser's cookie as well, where the header's switch puts it."""
    profile.prefer(user=user, wanted={name: form.cleaned_data[name] for name in preferences.SCHEMA})
    profile.show_in_rankings(user=user, shown=form.cleaned_data["ranked"])
    response = redirect("profile")
    if language := form.cleaned_data["language"]:
        translation.activate(language)
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            samesite="Lax",
            secure=settings.LANGUAGE_COOKIE_SECURE,
        )
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
    messages.success(request, _("偏好已保存。"))
    return response


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def devices_page(request: HttpRequest) -> HttpResponse:
    """Where one is signed in; `device` ends one session, `all` every other."""
    user = player(request)
    if request.method == "POST":
        if "all" in request.POST:
            devices.sign_out_everywhere(user=user, request=request)
            messages.success(request, _("其他设备都已退出登录。"))
        elif (number := request.POST.get("device", "")).isdecimal() and len(number) < 19:
            ended = devices.sign_out_one(user=user, device=int(number))
            messages.success(request, _("那台设备已退出登录。") if ended else _("那台设备已经退出了。"))
        return redirect("devices")
    return render(request, "accounts/devices.html", {"devices": devices.devices(request, user), "tab": "devices"})


@login_required
@require_http_methods(["GET", "POST"])
def limits_page(request: HttpRequest) -> HttpResponse:
    """A break, a daily loss cap, and the real-name check where the operator has one."""
    user = player(request)
    sent = request.POST.get("form")
    forms = {
        "cool_off": CoolOffForm(request.POST if sent == "cool_off" else None),
        "loss_cap": LossCapForm(request.POST if sent == "loss_cap" else None, initial=LossCapForm.of(user)),
        "real_name": RealNameForm(request.POST if sent == "real_name" else None),
    }
    if sent in forms and forms[sent].is_valid() and _limited(sent, forms[sent], user):
        messages.success(request, _("已保存。"))
        return redirect("limits")
    now = database_now()
    context: dict[str, Any] = {
        **forms,
        "tab": "limits",
        "cap": limits.loss_cap(user, day_of(now)),
        "house_cap": values.get("DAILY_LOSS_CAP"),
        "resting": user.cool_off_until if user.cool_off_until and user.cool_off_until > now else None,
        "pending": user.loss_cap_next_on if user.loss_cap_next_on and user.loss_cap_next_on > day_of(now) else None,
        "minor": limits.is_minor(user),
        "minors_times": limits.minors_times()[(translation.get_language() or "zh").startswith("en")],
        "asks_real_name": bool(settings.REAL_NAME_HOOK) and user.adult is None,
    }
    return render(
        request, "accounts/limits.html", context, status=400 if any(f.errors for f in forms.values()) else 200
    )


def _limited(sent: str, form: Any, user: User) -> bool:
    """Do what the form asks; a refusal is shown in it."""
    found = form.cleaned_data
    try:
        if sent == "cool_off":
            restraint.cool_off(user=user, length=found["length"])
        elif sent == "loss_cap":
            restraint.set_loss_cap(user=user, coins=int(found["coins"]) if found["coins"] else None)
        elif settings.REAL_NAME_HOOK:
            restraint.check_real_name(user=user, name=found["name"], document=found["document"])
    except AccountError as error:
        form.add_error(None, sentence(error))
        return False
    return True


@login_required
@never_cache
@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """Everything stored about the player, as a download."""
    user = player(request)
    response = JsonResponse(leaving.exported(user=user), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="liuzhou-{user.number}.json"'
    return response


@login_required
@require_http_methods(["GET", "POST"])
def close(request: HttpRequest) -> HttpResponse:
    """Closing the account: the password again, then the lobby as a guest."""
    form = CloseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            leaving.close_account(user=player(request), password=form.cleaned_data["password"])
        except AccountError as error:
            form.add_error("password" if error.code == "wrong_password" else None, sentence(error))
        else:
            logout(request)
            messages.success(request, _("帐号已注销，再见。"))
            return redirect("lobby")
    return render(request, "accounts/close.html", {"form": form, "tab": "profile"}, status=400 if form.errors else 200)
