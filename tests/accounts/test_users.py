"""Numbers and colours of new players, and signing up as one transaction."""

import threading
import uuid

import pytest
from django.db import IntegrityError, connection, transaction

from ledger import selectors, terms
from ledger import services as ledger
from liuzhou.accounts import models, services
from liuzhou.accounts.errors import NicknameTaken, NicknameTooLong, UsernameTaken
from liuzhou.accounts.models import PALETTE, User

pytestmark = pytest.mark.django_db


def test_a_number_has_eight_digits_and_no_leading_zero() -> None:
    numbers = {models.random_number() for _ in range(2000)}
    assert all(len(number) == 8 and number.isdecimal() and number[0] != "0" for number in numbers)
    assert len(numbers) > 1990


def test_a_number_that_is_taken_is_drawn_again(dong: User, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter([dong.number, dong.number, "77777777"])
    monkeypatch.setattr(models, "random_number", lambda: next(draws))
    assert User.objects.create_user("nan").number == "77777777"


def test_when_no_number_is_free_it_says_so(dong: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "random_number", lambda: dong.number)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("nan")


@pytest.mark.parametrize("number", ["01234567", "1234567", "1234567a", ""])
def test_the_database_refuses_another_kind_of_number(number: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(username="nan", number=number)


def test_every_way_of_making_a_user_gives_a_number_and_a_colour() -> None:
    for user in (User.objects.create_user("nan"), User.objects.create_superuser("xi")):
        assert user.number
        assert user.color in PALETTE


def test_the_palette_is_readable_under_white_letters() -> None:
    for color in PALETTE:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        assert 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5, color


def test_signing_up_grants_the_start_balance() -> None:
    user = services.sign_up(username="nan", password="correct-horse-7", nickname="南风")
    assert (user.nickname, user.display_name) == ("南风", "南风")
    assert user.check_password("correct-horse-7")
    balances = selectors.wallet_balances(owner_ref=user.pk)
    assert (balances[terms.COIN], balances[terms.CARD]) == (2000, 8)


def test_without_a_nickname_the_username_serves_cut_to_fit() -> None:
    assert services.sign_up(username="nan", password="correct-horse-7", nickname=" \u200b ").nickname == "nan"
    long = services.sign_up(username="柳州麻将第一高手就是我", password="correct-horse-7")
    assert long.nickname == "柳州麻将第一高手"


def test_a_name_that_is_taken_in_other_letters_is_refused(dong: User) -> None:
    with pytest.raises(UsernameTaken) as refused:
        services.sign_up(username="DONG", password="correct-horse-7")
    assert "已被使用" in str(refused.value)


def test_too_long_a_nickname_is_refused() -> None:
    with pytest.raises(NicknameTooLong):
        services.sign_up(username="nan", password="correct-horse-7", nickname="一二三四五六七八九")
    assert not User.objects.filter(username="nan").exists()


def test_no_player_without_the_grant(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*, user_id: int) -> None:
        raise RuntimeError("the ledger is away")

    monkeypatch.setattr(ledger, "grant_signup", fail)
    with pytest.raises(RuntimeError):
        services.sign_up(username="nan", password="correct-horse-7")
    assert not User.objects.filter(username="nan").exists()


def test_two_forms_at_once_make_one_player(real_db: None) -> None:
    name = f"twin-{uuid.uuid4().hex[:8]}"
    results: list[str] = []
    start = threading.Barrier(4)

    def submit(username: str) -> None:
        start.wait()
        try:
            services.sign_up(username=username, password="correct-horse-7")
            results.append("made")
        except (UsernameTaken, NicknameTaken):  # the nickname follows from the username: either may be seen first
            results.append("taken")
        finally:
            connection.close()

    threads = [threading.Thread(target=submit, args=(form,)) for form in (name, name.upper(), name, name.title())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(results) == ["made", "taken", "taken", "taken"]
    assert User.objects.filter(username__iexact=name).count() == 1
