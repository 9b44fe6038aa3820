"""What is done with accounts. Signing up makes the player and the starting coins and cards in one transaction."""

from django.db import IntegrityError, transaction

from ledger import services as ledger
from liuzhou.accounts import names
from liuzhou.accounts.errors import NicknameTooLong, UsernameTaken
from liuzhou.accounts.models import User


def sign_up(*, username: str, password: str, nickname: str = "") -> User:
    """Create a player and grant 2,000 coins and 8 cards. The username is already validated; a taken one, however
    capitalised, is refused here too (two forms sent at once). Errors: UsernameTaken, NicknameTooLong."""
    nickname = names.clean_nickname(nickname) or names.fit(names.clean_nickname(username))
    if names.too_long(nickname):
        raise NicknameTooLong
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, password=password, nickname=nickname)
            ledger.grant_signup(user_id=user.pk)
            return user
    except IntegrityError as error:
        constraint = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""
        if constraint.startswith("accounts_user_username"):
            raise UsernameTaken from error
        raise
