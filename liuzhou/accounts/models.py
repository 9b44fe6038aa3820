"""The player: who signs in, what others see of them."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A player's account: `number` is the public 8-digit player number, `nickname` what the table shows."""

    nickname = models.CharField("昵称", max_length=24, blank=True)
    color = models.CharField("头像颜色", max_length=7, default="#2e7d5b")
    number = models.CharField("玩家号", max_length=8, unique=True)
