"""What is kept of agents: the application, the agency, who its players are, what it ordered and what it handed out.

The cards themselves are the ledger's: the stock is the account `ledger.services.agent`, and each row here that moved some
carries its entry's number."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


def new_token() -> str:
    """What an invitation link is known by: not to be guessed."""
    return secrets.token_urlsafe(15)


class Application(models.Model):
    """A player asks to become an agent. `best_day` and `best_rooms` are what the decision was made on."""

    class State(models.TextChoices):
        PENDING = "pending", _("待审")
        APPROVED = "approved", _("已批准")
        REJECTED = "rejected", _("已驳回")
        WITHDRAWN = "withdrawn", _("已撤回")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="agent_applications", verbose_name=_("申请人")
    )
    note = models.CharField(_("申请说明"), max_length=200, blank=True)
    state = models.CharField(_("状态"), max_length=12, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField(_("申请时间"), db_default=Now())
    decided_at = models.DateTimeField(_("审批时间"), null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("审批人")
    )
    reason = models.CharField(_("审批意见"), max_length=200, blank=True)
    best_day = models.DateField(_("最好的一天"), null=True)
    best_rooms = models.PositiveIntegerField(_("那天的房间"), null=True)

    class Meta:
        verbose_name = _("代理申请")
        verbose_name_plural = pgettext_lazy("plural", "代理申请")
        default_permissions = ("view",)
        permissions = [("decide_application", "审批代理申请")]
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(state="pending"), name="agent_application_one_pending")
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class Agent(models.Model):
    """An agency. Suspended, the agent has no way into the admin pages; the stock stays in the ledger."""

    class State(models.TextChoices):
        ACTIVE = "active", _("正常")
        SUSPENDED = "suspended", _("停用")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="agency", verbose_name=_("代理"))
    state = models.CharField(_("状态"), max_length=12, choices=State.choices, default=State.ACTIVE)
    reason = models.CharField(_("停用原因"), max_length=200, blank=True)
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    since = models.DateTimeField(_("开通时间"), db_default=Now())

    class Meta:
        verbose_name = _("代理")
        verbose_name_plural = pgettext_lazy("plural", "代理")
        default_permissions = ("view",)
        permissions = [("suspend_agent", "停用和恢复代理")]

    def __str__(self) -> str:
        return f"{self.user.display_name} ({self.user.number})"


class Bond(models.Model):
    """A player of an agent's, or one who was asked. Nobody is bound without having said yes; one agent at a time."""

    class State(models.TextChoices):
        OFFERED = "offered", _("待玩家同意")
        ACTIVE = "active", _("已绑定")
        DECLINED = "declined", _("玩家谢绝")
        LEFT = "left", _("玩家离开")
        ENDED = "ended", _("已解除")

    class Via(models.TextChoices):
        LINK = "link", _("邀请链接")
        NUMBER = "number", _("玩家号")

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="bonds", verbose_name=_("代理"))
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bonds", verbose_name=_("玩家"))
    via = models.CharField(_("来自"), max_length=8, choices=Via.choices)
    state = models.CharField(_("状态"), max_length=12, choices=State.choices, default=State.OFFERED)
    created_at = models.DateTimeField(_("邀请时间"), db_default=Now())
    answered_at = models.DateTimeField(_("答复时间"), null=True)
    ended_at = models.DateTimeField(_("结束时间"), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("代理的玩家")
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["player"], condition=Q(state="active"), name="bond_one_agent"),
            models.UniqueConstraint(
                fields=["agent", "player"], condition=Q(state__in=("offered", "active")), name="bond_open_once"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class Order(models.Model):
    """进货: cards an agent asks the house for. `proposal` where the amount needs a second admin."""

    class State(models.TextChoices):
        OPEN = "open", _("待办理")
        WAITING = "waiting", _("待复核")
        ISSUED = "issued", _("已发货")
        REJECTED = "rejected", _("已驳回")
        CANCELLED = "cancelled", _("已取消")

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="orders", verbose_name=_("代理"))
    amount = models.PositiveIntegerField(_("房卡"))
    note = models.CharField(_("备注"), max_length=200, blank=True)
    token = models.CharField(max_length=40, editable=False)
    state = models.CharField(_("状态"), max_length=12, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField(_("下单时间"), db_default=Now())
    decided_at = models.DateTimeField(_("办理时间"), null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("办理人")
    )
    reason = models.CharField(_("办理意见"), max_length=200, blank=True)
    proposal = models.BigIntegerField(_("复核申请"), null=True, unique=True)
    entry = models.BigIntegerField(_("分录"), null=True, unique=True)

    class Meta:
        verbose_name = _("进货单")
        verbose_name_plural = pgettext_lazy("plural", "进货单")
        default_permissions = ("view",)
        permissions = [("issue_order", "办理进货单")]
        constraints = [models.UniqueConstraint(fields=["agent", "token"], name="order_once")]

    def __str__(self) -> str:
        return f"#{self.pk}"


class Handover(models.Model):
    """转卡: cards an agent gave a player, once per `token`."""

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="handovers", verbose_name=_("代理"))
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="handovers", verbose_name=_("玩家")
    )
    amount = models.PositiveIntegerField(_("房卡"))
    token = models.CharField(max_length=40, editable=False)
    entry = models.BigIntegerField(_("分录"), unique=True)
    at = models.DateTimeField(_("时间"), db_default=Now())

    class Meta:
        verbose_name = _("转卡")
        verbose_name_plural = pgettext_lazy("plural", "转卡")
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["agent", "token"], name="handover_once")]
        indexes = [models.Index(fields=["agent", "-at"], name="handover_agent_at")]

    def __str__(self) -> str:
        return f"#{self.pk}"
