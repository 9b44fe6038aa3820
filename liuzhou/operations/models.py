"""What the operators' pages keep: a sample a minute, checks of the ledger, notices to players, notes on players."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Sample(models.Model):
    """The site at one minute. Totals (`cards_…`, `coins`, `cards`) are as they stood; the rest happened in that minute."""

    at = models.DateTimeField(_("分钟"), primary_key=True)
    tables = models.PositiveIntegerField(_("进行中的牌桌"))
    rooms = models.PositiveIntegerField(_("开着的房间"))
    players = models.PositiveIntegerField(_("在桌玩家"))
    hands = models.PositiveIntegerField(_("打完的局"))
    cards_sold = models.BigIntegerField(_("售出房卡"))
    cards_used = models.BigIntegerField(_("用掉的房卡"))
    sales_seq = models.BigIntegerField(_("售卡账户读到第几笔"))
    coins = models.BigIntegerField(_("流通金币"))
    cards = models.BigIntegerField(_("流通房卡"))
    requests = models.PositiveIntegerField(_("请求"))
    errors = models.PositiveIntegerField(_("出错的请求"))
    logged = models.PositiveIntegerField(_("错误日志"))

    class Meta:
        verbose_name = verbose_name_plural = _("运行采样")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.at)


class LedgerCheck(models.Model):
    """One look for violations over the whole ledger; `violations` is null where it did not finish in time."""

    at = models.DateTimeField(_("时间"), db_default=Now())
    seconds = models.FloatField(_("用时（秒）"))
    violations = models.PositiveIntegerField(_("违规"), null=True)
    first = models.JSONField(_("前几条"), default=list)

    class Meta:
        verbose_name = verbose_name_plural = _("账本检查")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.at}: {self.violations}"


class Notice(models.Model):
    """What all players are told between two moments, in both languages."""

    class Level(models.TextChoices):
        INFO = "info", _("通知")
        WARNING = "warning", _("提醒")

    level = models.CharField(_("级别"), max_length=8, choices=Level.choices, default=Level.INFO)
    zh = models.CharField(_("中文"), max_length=300)
    en = models.CharField(_("英文"), max_length=300)
    starts_at = models.DateTimeField(_("开始"))
    ends_at = models.DateTimeField(pgettext_lazy("a moment", "结束"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", editable=False, verbose_name=_("作者")
    )
    changed_at = models.DateTimeField(_("修改时间"), auto_now=True)

    class Meta:
        verbose_name = _("公告")
        verbose_name_plural = pgettext_lazy("plural", "公告")
        ordering = ("-starts_at",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ends_at__gt=models.F("starts_at")), name="notice_ends_after_it_starts"
            )
        ]
        indexes = [models.Index(fields=["ends_at"], name="notice_ends_at")]

    def __str__(self) -> str:
        return self.zh[:40]


class Note(models.Model):
    """What staff wrote down about a player; the database refuses to change or delete it."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("玩家"))
    text = models.CharField(_("备注"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("作者"))
    at = models.DateTimeField(_("时间"), db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("玩家备注")
        default_permissions = ("add", "view")
        # The rights of the operators' pages that belong to no row.
        permissions = [
            ("view_dashboard", "查看总览"),
            ("freeze_user", "冻结和解冻玩家"),
            ("sign_out_user", "强制玩家下线"),
            ("reset_mfa", "重置玩家的动态口令"),
            ("view_statement", "查看玩家账单"),
            ("export_rows", "导出列表"),
            ("watch_room", "旁观房间和查看牌局记录"),
        ]
        indexes = [models.Index(fields=["player", "-id"], name="note_player")]

    def __str__(self) -> str:
        return self.text[:40]
