"""The player: who signs in, what others see of them."""

import secrets
from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.models import UserManager as DjangoUserManager
from django.db import IntegrityError, models, transaction
from django.db.models.functions import Lower, Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

# Avatar colours: dark enough for white letters on them (contrast ≥ 4.5), told apart at a glance.
PALETTE = ("#1f7a4d", "#b23a2e", "#2d5da8", "#8a5a12", "#6d3fa0", "#0f6f78", "#a8326e", "#4d6418", "#9a4a1c", "#44546a")
NUMBER_ATTEMPTS = 20


def random_number() -> str:
    """A public player number (玩家号): 8 digits, the first not 0, not to be guessed from another's."""
    return str(10_000_000 + secrets.randbelow(90_000_000))


class UserManager(DjangoUserManager["User"]):
    """Gives every new user, however made, a number and a colour."""

    def create_user(self, username: str, email: str | None = None, password: str | None = None, **more: Any) -> "User":
        return self._numbered(super().create_user, username, email, password, more)

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **more: Any
    ) -> "User":
        return self._numbered(super().create_superuser, username, email, password, more)

    def _numbered(
        self,
        create: Callable[..., "User"],
        username: str,
        email: str | None,
        password: str | None,
        fields: dict[str, Any],
    ) -> "User":
        for attempt in range(NUMBER_ATTEMPTS):
            number = random_number()
            color = PALETTE[int(number) % len(PALETTE)]
            try:
                with transaction.atomic(using=self._db):
                    return create(username, email, password, **{"number": number, "color": color, **fields})
            except IntegrityError as error:
                # Another player has this number: draw again. Anything else (the name taken) is the caller's.
                if "number" in fields or "number" not in _constraint(error) or attempt == NUMBER_ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")


def _constraint(error: IntegrityError) -> str:
    """The name of the constraint that was violated."""
    diagnostics = getattr(error.__cause__, "diag", None)
    return getattr(diagnostics, "constraint_name", None) or ""


class User(AbstractUser):
    """A player's account: `number` is the public 8-digit player number, `nickname` what the table shows."""

    nickname = models.CharField(_("昵称"), max_length=16, blank=True, help_text=_("显示宽度不超过 16（汉字算 2）"))
    color = models.CharField(_("头像颜色"), max_length=7, default=PALETTE[0])
    number = models.CharField(_("玩家号"), max_length=8, unique=True, editable=False)
    # What the nickname looks like (looks.py); empty for names given before it was kept, which nobody is held to.
    look = models.CharField(max_length=96, blank=True, editable=False)
    preferences = models.JSONField(_("偏好"), default=dict, blank=True)
    ranked = models.BooleanField(_("参加排行榜"), default=True)
    adult = models.BooleanField(_("成年"), null=True, blank=True, help_text=_("实名核验的结果；空：未核验"))
    cool_off_until = models.DateTimeField(_("休息到"), null=True, blank=True)
    loss_cap = models.BigIntegerField(_("每日输币上限"), null=True, blank=True)
    # A looser cap is the player's wish today and holds from the day after on.
    loss_cap_next = models.BigIntegerField(null=True, editable=False)
    loss_cap_next_on = models.DateField(null=True, editable=False)
    # Sessions from before this moment are worth nothing: it goes into the sessions' hash.
    sessions_revoked_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(_("注销时间"), null=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = _("玩家")
        verbose_name_plural = pgettext_lazy("plural", "玩家")
        constraints = [
            models.UniqueConstraint(Lower("username"), name="accounts_user_username_any_case"),
            models.CheckConstraint(
                condition=models.Q(number__regex=r"^[1-9][0-9]{7}$"), name="accounts_user_number_digits"
            ),
            models.UniqueConstraint(fields=["look"], condition=~models.Q(look=""), name="accounts_user_look"),
        ]

    @property
    def display_name(self) -> str:
        """What others see: the nickname, or the username where none was chosen."""
        return self.nickname or self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's, and the moment from which sessions count: signing out everywhere ends also those nobody listed."""
        stamp = self.sessions_revoked_at.isoformat() if self.sessions_revoked_at else ""
        salt = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"
        return salted_hmac(salt, self.password + stamp, secret=secret, algorithm="sha256").hexdigest()


class SignIn(models.Model):
    """签到: one day's sign-in; `streak` is its place in the seven days. The coins are the ledger's."""

    user = models.ForeignKey(User, models.CASCADE, related_name="sign_ins")
    on = models.DateField()
    streak = models.PositiveSmallIntegerField()
    coins = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("签到")
        constraints = [models.UniqueConstraint(fields=["user", "on"], name="sign_in_once_a_day")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.on}"


class Relief(models.Model):
    """救济金: `number` counts the day's reliefs from 1. The coins are the ledger's."""

    user = models.ForeignKey(User, models.CASCADE, related_name="reliefs")
    on = models.DateField()
    number = models.PositiveSmallIntegerField()
    coins = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("救济金")
        constraints = [models.UniqueConstraint(fields=["user", "on", "number"], name="relief_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.on} {self.number}"
