"""What is done with accounts. Signing up makes the player and the starting coins and cards in one transaction."""

import secrets

from django.db import IntegrityError, transaction

from ledger import services as ledger
from liuzhou.accounts import looks, names
from liuzhou.accounts.errors import NicknameEmpty, NicknameReserved, NicknameTaken, NicknameTooLong, UsernameTaken
from liuzhou.accounts.models import User

NICKNAME_ATTEMPTS = 20


def check_nickname(nickname: str, *, but: int | None = None) -> str:
    """The look of a cleaned nickname that may be given; `but` is the player who may have it already.

    Errors: NicknameEmpty, NicknameTooLong, NicknameReserved, NicknameTaken. Who comes first in a race decides the database.
    """
    if names.too_long(nickname):
        raise NicknameTooLong
    seen = looks.look(nickname)
    if not seen:
        raise NicknameEmpty
    if looks.reserved(seen):
        raise NicknameReserved
    if User.objects.filter(look=seen).exclude(pk=but or 0).exists():
        raise NicknameTaken
    return seen


def sign_up(*, username: str, password: str, nickname: str = "") -> User:
    """Create a player and grant 2,000 coins and 8 cards. The username is already validated; a taken one, however
    capitalised, is refused here too (two forms sent at once). Without a nickname the username serves, with a number behind
    it where somebody else looks like that. Errors: UsernameTaken, NicknameTooLong, NicknameReserved, NicknameTaken."""
    nickname = names.clean_nickname(nickname)
    named = bool(nickname)
    if not named:
        nickname = _free_nickname(username)
    try:
        seen = check_nickname(nickname)
        with transaction.atomic():
            user = User.objects.create_user(username, password=password, nickname=nickname, look=seen)
            ledger.grant_signup(user_id=user.pk)
            return user
    except IntegrityError as error:
        raise _taken(error, named) from error


def _free_nickname(username: str) -> str:
    """The username as a nickname, cut to fit; with four digits more where that is taken or not to be had."""
    wanted = names.clean_nickname(username)
    for attempt in range(NICKNAME_ATTEMPTS):
        nickname = names.fit(wanted) if not attempt else f"{names.fit(wanted, 11)}-{1000 + secrets.randbelow(9000)}"
        try:
            check_nickname(nickname)
        except NicknameTaken:
            continue
        except (NicknameReserved, NicknameEmpty):
            wanted = "player"
            continue
        return nickname
    return f"player-{secrets.randbelow(10**8):08d}"


def _taken(error: IntegrityError, named: bool) -> Exception:
    """Which name somebody else was first with; anything else goes on as it is."""
    constraint = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""
    if constraint.startswith("accounts_user_username"):
        return UsernameTaken()
    if constraint == "accounts_user_look":
        # Two of the same look at once, neither of whom chose it: the username is what they have in common.
        return NicknameTaken() if named else UsernameTaken()
    return error
