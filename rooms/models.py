"""What is kept of rooms: the room, its seats, its hands, and the action log that *is* the table (DESIGN 2)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _


class Room(models.Model):
    """A table with a six-digit code. `version` grows with every visible change; `dealer` is the next hand's dealer."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("等待")
        PLAYING = "playing", _("进行中")
        BETWEEN = "between", _("局间")
        DONE = "done", _("结束")
        DISSOLVED = "dissolved", _("解散")

    class Pay(models.TextChoices):
        FREE = "free", _("免费")
        OWNER = "owner", _("房主支付")
        SPLIT = "split", _("AA 支付")
        WINNER = "winner", _("大赢家支付")

    OPEN = (Status.WAITING, Status.PLAYING, Status.BETWEEN)

    code = models.CharField(_("房间号"), max_length=6)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("房主")
    )
    practice = models.BooleanField(_("练习"), default=False)
    stake = models.PositiveIntegerField(_("底注"), default=0, help_text="coins a point is worth; 0: not a coin table")
    pay = models.CharField(_("付费"), max_length=8, choices=Pay.choices, default=Pay.FREE)
    price = models.PositiveSmallIntegerField(_("房卡"), default=0, help_text="room cards for the whole room")
    preset = models.CharField(_("玩法"), max_length=16)
    options = models.JSONField(_("选项"), default=dict)
    pace = models.CharField(_("快慢"), max_length=8, default="normal")
    spectators = models.CharField(
        _("旁观"), max_length=8, default="none", help_text="none, open, or delayed by a discard"
    )
    hands_total = models.PositiveSmallIntegerField(_("局数"), default=4)
    hands_played = models.PositiveSmallIntegerField(_("已打局数"), default=0)
    status = models.CharField(_("状态"), max_length=12, choices=Status.choices, default=Status.WAITING)
    version = models.PositiveIntegerField(default=1)
    dealer = models.PositiveSmallIntegerField(null=True)
    next_at = models.DateTimeField(null=True)
    dissolve_by = models.PositiveSmallIntegerField(null=True)
    dissolve_votes = models.JSONField(default=list)
    dissolve_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("房间")
        verbose_name_plural = pgettext_lazy("plural", "房间")
        constraints = [
            models.UniqueConstraint(
                fields=["code"], condition=Q(status__in=("waiting", "playing", "between")), name="room_code_open"
            )
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(next_at__isnull=False), name="room_next_at"),
            models.Index(fields=["dissolve_at"], condition=Q(dissolve_at__isnull=False), name="room_dissolve_at"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN


class Seat(models.Model):
    """One place at the table: a user or a bot. `nonce` goes into the next hand's wall (DESIGN 6.9); `score` is the room's sum."""

    room = models.ForeignKey(Room, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="seats")
    bot = models.CharField(max_length=8, blank=True)
    name = models.CharField(max_length=24)
    ready = models.BooleanField(default=False)
    nonce = models.CharField(max_length=64, blank=True)
    auto = models.BooleanField(_("托管"), default=False)
    score = models.IntegerField(_("得分"), default=0)
    hold = models.BigIntegerField(null=True, help_text="the ledger's hold on this player's room cards")
    escrow = models.BigIntegerField(null=True, help_text="the ledger account of the coins this player sits down with")
    coins = models.BigIntegerField(_("金币"), null=True, help_text="what the escrow holds; the ledger decides")
    address = models.CharField(max_length=64, blank=True, help_text="hash of the network address, for the coin lobby")

    class Meta:
        verbose_name = verbose_name_plural = _("座位")
        constraints = [
            models.UniqueConstraint(fields=["room", "index"], name="seat_once"),
            models.UniqueConstraint(fields=["room", "user"], name="seat_one_per_user"),
        ]

    def __str__(self) -> str:
        return f"{self.room_id}#{self.index}"


class Hand(models.Model):
    """One hand. It exists from the moment its secret is committed to (`pending`), so that its id is in its seed."""

    class State(models.TextChoices):
        PENDING = "pending", _("未开始")
        RUNNING = "running", _("进行中")
        SETTLED = "settled", _("已结算")
        VOID = "void", _("作废")
        DISSOLVED = "dissolved", _("解散")

    room = models.ForeignKey(Room, models.CASCADE, related_name="hands")
    number = models.PositiveSmallIntegerField(_("第几局"))
    state = models.CharField(_("状态"), max_length=12, choices=State.choices, default=State.PENDING)
    secret = models.BinaryField()
    commit = models.CharField(max_length=64)
    nonces = models.JSONField(default=list)
    preset = models.CharField(max_length=16)
    options = models.JSONField()
    dealer = models.PositiveSmallIntegerField(null=True)
    setup = models.JSONField(default=dict, help_text="bots and 托管 at the start, and the pace")
    seq = models.PositiveIntegerField(default=0)
    deadline = models.DateTimeField(null=True)
    alarm = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    settlement = models.JSONField(null=True)
    void_reason = models.CharField(_("作废原因"), max_length=200, blank=True)
    voided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("作废人")
    )

    class Meta:
        verbose_name = verbose_name_plural = _("牌局")
        permissions = [("void_hand", "可以作废进行中的牌局")]
        constraints = [models.UniqueConstraint(fields=["room", "number"], name="hand_number")]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(state="running"), name="hand_deadline"),
            models.Index(fields=["room", "state"], name="hand_room_state"),
            models.Index(fields=["ended_at"], condition=Q(state="settled"), name="hand_settled_at"),
        ]

    def __str__(self) -> str:
        return f"{self.room_id}/{self.number}"


class Played(models.Model):
    """Who sat where in a started hand, and what it brought them: seats change hands, this stays.

    `score` is points × base; `coins` what was really moved at a coin table (RULES 11.4).
    """

    hand = models.ForeignKey(Hand, models.CASCADE, related_name="players")
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="played")
    name = models.CharField(max_length=24)
    score = models.IntegerField(_("得分"), null=True)
    coins = models.BigIntegerField(_("金币"), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("对局")
        constraints = [models.UniqueConstraint(fields=["hand", "index"], name="played_once")]
        indexes = [models.Index(fields=["user", "-hand"], name="played_user_hand")]

    def __str__(self) -> str:
        return f"{self.hand_id}#{self.index}"


class Price(models.Model):
    """What a room of so many hands costs in room cards; admins change it, rooms keep the price they opened at."""

    hands = models.PositiveSmallIntegerField(_("局数"), primary_key=True)
    cards = models.PositiveSmallIntegerField(_("房卡"))

    class Meta:
        verbose_name = _("房间价格")
        verbose_name_plural = pgettext_lazy("plural", "房间价格")
        ordering = ("hands",)

    def __str__(self) -> str:
        return gettext("%(hands)d 局 %(cards)d 张") % {"hands": self.hands, "cards": self.cards}


class Escape(models.Model):
    """逃跑: a player who left a coin table in mid-hand of their own will (RULES 11.3)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="escapes")
    hand = models.OneToOneField(Hand, models.PROTECT, related_name="escape")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("逃跑")
        indexes = [models.Index(fields=["user", "at"], name="escape_user_at")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.hand_id}"


class Action(models.Model):
    """A row of the log. `seq` counts from 1 without a gap; `origin` tells whether the player, the clock or the house acted."""

    class Origin(models.IntegerChoices):
        PLAYER = 0, _("玩家")
        CLOCK = 1, _("超时")
        HOUSE = 2, _("托管/机器人")

    pk = models.CompositePrimaryKey("hand_id", "seq")
    hand = models.ForeignKey(Hand, models.CASCADE, related_name="actions")
    seq = models.PositiveIntegerField()
    seat = models.SmallIntegerField()
    body = models.TextField()
    origin = models.SmallIntegerField(choices=Origin.choices, default=Origin.PLAYER)
    ref = models.CharField(max_length=40, blank=True, help_text="the client's id of the command")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("动作")

    def __str__(self) -> str:
        return f"{self.hand_id}:{self.seq}"


class Pulse(models.Model):
    """When the site last gave a sign of life, so that whoever comes after an outage knows how long it was."""

    name = models.CharField(max_length=16, primary_key=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = verbose_name_plural = _("心跳")

    def __str__(self) -> str:
        return self.name


class Said(models.Model):
    """One chat line: `kind` is text, phrase or emoji."""

    room = models.ForeignKey(Room, models.CASCADE, related_name="said")
    seat = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=24)
    kind = models.CharField(max_length=8)
    body = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = verbose_name_plural = _("聊天")

    def __str__(self) -> str:
        return f"{self.name}: {self.body}"
