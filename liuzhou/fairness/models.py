"""What the fairness desk keeps: sums per day, hashed marks of places and devices, flags and what was decided of them.

The sums hold nothing that the hands' own records do not; `manage.py fairness_rebuild` makes them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


def _user(verbose: StrPromise, **more: object) -> models.ForeignKey:
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=verbose, **more  # type: ignore[arg-type]
    )  # fmt: skip


class Taken(models.Model):
    """A settled hand whose figures are in the sums: there is one row per hand, so it is counted once."""

    hand = models.OneToOneField("rooms.Hand", models.CASCADE, primary_key=True, related_name="+")
    weighed = models.BooleanField(default=False, help_text="whether its players' flags have been looked at since")
    problem = models.CharField(_("问题"), max_length=200, blank=True, help_text="why it is not in the sums")

    class Meta:
        verbose_name = verbose_name_plural = _("已统计牌局")
        default_permissions = ()
        indexes = [models.Index(fields=["hand"], condition=models.Q(weighed=False), name="fairness_unweighed")]

    def __str__(self) -> str:
        return str(self.hand_id)


class Progress(models.Model):
    """How far the count is: every settled hand that ended before `through` is in (one row)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    through = models.DateTimeField(null=True)
    hands = models.PositiveBigIntegerField(default=0)
    problems = models.PositiveBigIntegerField(default=0)
    taken_at = models.DateTimeField(null=True)
    weighed_at = models.DateTimeField(null=True)
    comparisons = models.PositiveIntegerField(default=0, help_text="pairs compared when flags were last weighed")
    site = models.JSONField(default=dict, help_text="the whole site's sums per class of tables, for its rates")

    class Meta:
        verbose_name = verbose_name_plural = _("统计进度")
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="fairness_progress_one")]

    def __str__(self) -> str:
        return f"{self.hands}"


class PairDay(models.Model):
    """One day (Asia/Shanghai) of a taker and a feeder at one class of tables; the columns are `facts.Tally`'s."""

    day = models.DateField()
    taker = _user(_("拿牌方"))
    feeder = _user(_("出牌方"))
    table = models.CharField(max_length=24)
    hands = models.IntegerField(default=0)
    next_discards = models.IntegerField(default=0)
    discards = models.IntegerField(default=0)
    chows = models.IntegerField(default=0)
    next_pongs = models.IntegerField(default=0)
    pongs = models.IntegerField(default=0)
    next_wins = models.IntegerField(default=0)
    wins = models.IntegerField(default=0)
    feeds = models.IntegerField(default=0)
    bonds = models.IntegerField(default=0)
    won = models.IntegerField(default=0)
    share = models.FloatField(default=0)
    points = models.BigIntegerField(default=0)
    coin_hands = models.IntegerField(default=0)
    coins = models.BigIntegerField(default=0)
    edge = models.FloatField(default=0)
    edge_squares = models.FloatField(default=0)
    same_address = models.IntegerField(default=0)
    same_device = models.IntegerField(default=0)

    class Meta:
        verbose_name = verbose_name_plural = _("两人每日")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["taker", "feeder", "day", "table"], name="fairness_pair_day")]
        indexes = [models.Index(fields=["feeder", "day"], name="fairness_pair_feeder")]

    def __str__(self) -> str:
        return f"{self.day} {self.taker_id}<{self.feeder_id}"


class PlayerDay(models.Model):
    """One day of a player at one class of tables; the columns are `facts.Own`'s."""

    day = models.DateField()
    player = _user(_("玩家"))
    table = models.CharField(max_length=24)
    hands = models.IntegerField(default=0)
    wins = models.IntegerField(default=0)
    drawn = models.IntegerField(default=0)
    dealt_in = models.IntegerField(default=0)
    share = models.FloatField(default=0)
    fair = models.FloatField(default=0)
    discards = models.IntegerField(default=0)
    points = models.BigIntegerField(default=0)
    points_squares = models.BigIntegerField(default=0)
    coin_hands = models.IntegerField(default=0)
    coins = models.BigIntegerField(default=0)
    coins_won = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = verbose_name_plural = _("玩家每日")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["player", "day", "table"], name="fairness_player_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.player_id}"


class Sitting(models.Model):
    """A player played at a coin table during a block of hours (`slot` is its beginning): what meetings are counted by."""

    slot = models.DateTimeField()
    preset = models.CharField(max_length=16)
    stake = models.PositiveIntegerField()
    room = models.ForeignKey("rooms.Room", models.CASCADE, related_name="+")
    player = _user(_("玩家"))

    class Meta:
        verbose_name = verbose_name_plural = _("金币桌时段")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["room", "slot", "player"], name="fairness_sitting_once")]
        indexes = [
            models.Index(fields=["player", "slot"], name="fairness_sitting_player"),
            models.Index(fields=["slot", "preset", "stake"], name="fairness_sitting_slot"),
        ]

    def __str__(self) -> str:
        return f"{self.slot:%Y-%m-%d %H} {self.player_id}@{self.room_id}"


class Mark(models.Model):
    """A place or device a player came from, as a keyed hash: it tells that two are the same, and nothing else."""

    class Kind(models.TextChoices):
        ADDRESS = "address", _("地址")
        DEVICE = "device", _("设备")

    user = _user(_("玩家"))
    kind = models.CharField(max_length=8, choices=Kind.choices)
    digest = models.CharField(max_length=32)
    first_on = models.DateField()
    last_on = models.DateField()

    class Meta:
        verbose_name = verbose_name_plural = _("登录痕迹")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["user", "kind", "digest"], name="fairness_mark_once")]
        indexes = [
            models.Index(fields=["kind", "digest"], name="fairness_mark_digest"),
            models.Index(fields=["last_on"], name="fairness_mark_last"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}"


class Flag(models.Model):
    """Something that chance hardly explains, for an admin to look at: once per kind and players."""

    class Kind(models.TextChoices):
        FEEDING = "feeding", _("喂牌")
        DEALING = "dealing", _("点炮")
        COINS = "coins", _("金币流向")
        MEETING = "meeting", _("同桌过多")
        PLACE = "place", _("同设备或同地址")
        WINNING = "winning", _("胜率过高")

    class State(models.TextChoices):
        OPEN = "open", _("待处理")
        CLEAR = "clear", _("无异常")
        WATCH = "watch", _("继续观察")
        FREEZE = "freeze", _("建议冻结")

    DECIDED: ClassVar[tuple[str, ...]] = (State.CLEAR, State.WATCH, State.FREEZE)

    kind = models.CharField(_("类别"), max_length=8, choices=Kind.choices)
    one = _user(_("玩家"))
    other = _user(_("对方"), null=True)
    state = models.CharField(_("状态"), max_length=8, choices=State.choices, default=State.OPEN)
    score = models.FloatField(_("证据分"))
    evidence = models.JSONField(_("数据"), default=dict)
    hands = models.PositiveIntegerField(_("局数"), default=0)
    first_day = models.DateField(_("从"))
    last_day = models.DateField(_("到"))
    raised_at = models.DateTimeField(_("提出时间"), db_default=Now())
    updated_at = models.DateTimeField(_("更新时间"), db_default=Now())
    times = models.PositiveSmallIntegerField(_("提出次数"), default=1)

    class Meta:
        verbose_name = verbose_name_plural = _("疑点")
        default_permissions = ("view",)
        permissions = [("decide_flag", "可以处理疑点")]
        constraints = [
            models.UniqueConstraint(fields=["kind", "one", "other"], nulls_distinct=False, name="fairness_flag_once")
        ]
        indexes = [models.Index(fields=["state", "-score"], name="fairness_flag_queue")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.get_kind_display()}"


class Decision(models.Model):
    """What an admin decided of a flag, why, and what the evidence was then. Kept for ever."""

    flag = models.ForeignKey(Flag, models.PROTECT, related_name="decisions")
    verdict = models.CharField(_("结论"), max_length=8, choices=[(v, Flag.State(v).label) for v in Flag.DECIDED])
    reason = models.CharField(_("理由"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("经手人"))
    at = models.DateTimeField(_("时间"), db_default=Now())
    through = models.DateField(help_text="the last day whose hands it was decided on")
    score = models.FloatField(_("证据分"))
    hands = models.PositiveIntegerField(_("局数"))
    evidence = models.JSONField(default=dict)

    class Meta:
        verbose_name = verbose_name_plural = _("处理记录")
        default_permissions = ()
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.flag_id} {self.verdict}"
