"""Mirrors of the ledger's tables, for reading; the tables themselves are made by SQL and written by ledger.post alone."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ledger.terms import kind_name


class Account(models.Model):
    """Something that holds one currency; the head of its chain of lines."""

    id = models.BigAutoField(_("账户号"), primary_key=True)
    kind = models.CharField(_("类别"), max_length=16)
    name = models.CharField(_("名称"), max_length=64)
    owner_ref = models.BigIntegerField(_("归属"))
    currency = models.CharField(_("币种"), max_length=8)
    overdraft = models.BooleanField(_("可为负"))
    frozen = models.BooleanField(pgettext_lazy("of an account", "冻结"))
    created_at = models.DateTimeField(_("开户时间"))
    genesis = models.BinaryField()
    seq = models.BigIntegerField(_("笔数"))
    balance = models.BigIntegerField(_("余额"))
    head = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."account"'
        default_permissions = ("view",)
        permissions = [
            ("audit", "查看审计页面"),
            ("issue", "发行与销毁"),
            ("freeze", "冻结账户"),
        ]
        verbose_name = _("账户")
        verbose_name_plural = pgettext_lazy("plural", "账户")

    def __str__(self) -> str:
        return f"#{self.pk} {self.kind} {self.name or self.owner_ref} {self.currency}"


class Entry(models.Model):
    """Why something moved: one business event, once per key."""

    id = models.BigAutoField(_("分录号"), primary_key=True)
    kind = models.CharField(_("类别"), max_length=32)
    key = models.CharField(_("业务编号"), max_length=200)
    size = models.SmallIntegerField(_("行数"))
    hand = models.BigIntegerField(_("牌局"), null=True)
    room = models.BigIntegerField(_("房间"), null=True)
    hold = models.ForeignKey("self", models.DO_NOTHING, db_column="hold", null=True, related_name="+")
    reversed = models.ForeignKey("self", models.DO_NOTHING, db_column="reversed", null=True, related_name="+")
    actor = models.BigIntegerField(_("经手人"), null=True)
    reason = models.CharField(_("原因"), max_length=500)
    at = models.DateTimeField(_("时间"))
    epoch = models.BigIntegerField()
    xact = models.BigIntegerField()
    request = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."entry"'
        default_permissions = ("view",)
        permissions = [("reverse", "冲正分录")]
        verbose_name = _("分录")
        verbose_name_plural = pgettext_lazy("plural", "分录")

    def __str__(self) -> str:
        return f"#{self.pk} {kind_name(self.kind)}"


class Line(models.Model):
    """How it moved: one account, one amount, the balance after, chained to the account's line before."""

    pk = models.CompositePrimaryKey("account_id", "seq")
    account = models.ForeignKey(Account, models.DO_NOTHING, related_name="lines")
    seq = models.BigIntegerField(_("序号"))
    entry = models.ForeignKey(Entry, models.DO_NOTHING, related_name="lines")
    n = models.SmallIntegerField(_("行"))
    amount = models.BigIntegerField(_("金额"))
    balance = models.BigIntegerField(_("余额"))
    prev = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."line"'
        default_permissions = ()
        verbose_name = _("明细")
        verbose_name_plural = _("明细")

    def __str__(self) -> str:
        return f"{self.account_id}/{self.seq}: {self.amount:+d}"


class Proposal(models.Model):
    """An issue, burn or reversal that waits, or waited, for a second admin (the view joins the decision)."""

    id = models.BigAutoField(_("申请号"), primary_key=True)
    kind = models.CharField(_("类别"), max_length=16)
    account = models.BigIntegerField(_("账户"), null=True)
    amount = models.BigIntegerField(_("金额"), null=True)
    entry = models.BigIntegerField(_("分录"), null=True)
    reason = models.CharField(_("原因"), max_length=500)
    proposer = models.BigIntegerField(_("申请人"))
    at = models.DateTimeField(_("申请时间"))
    approved = models.BooleanField(_("已批准"), null=True)
    decider = models.BigIntegerField(_("审批人"), null=True)
    decision_reason = models.CharField(_("审批意见"), max_length=500, null=True)  # noqa: DJ001
    decided_at = models.DateTimeField(_("审批时间"), null=True)

    class Meta:
        managed = False
        db_table = '"audit"."proposal"'
        default_permissions = ("view",)
        permissions = [("decide", "审批申请")]
        verbose_name = _("待批申请")
        verbose_name_plural = pgettext_lazy("plural", "待批申请")

    def __str__(self) -> str:
        return f"#{self.pk} {kind_name(self.kind)} {self.amount or ''}"


class AuditLine(models.Model):
    """A line with its account and entry, as auditors search it."""

    pk = models.CompositePrimaryKey("account_id", "seq")
    account_id = models.BigIntegerField()
    seq = models.BigIntegerField()
    entry_id = models.BigIntegerField()
    n = models.SmallIntegerField()
    amount = models.BigIntegerField()
    balance = models.BigIntegerField()
    account_kind = models.CharField(max_length=16)
    account_name = models.CharField(max_length=64)
    owner_ref = models.BigIntegerField()
    currency = models.CharField(max_length=8)
    kind = models.CharField(max_length=32)
    key = models.CharField(max_length=200)
    hand = models.BigIntegerField(null=True)
    room = models.BigIntegerField(null=True)
    hold = models.BigIntegerField(null=True)
    reversed = models.BigIntegerField(null=True)
    actor = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = '"audit"."line"'
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.entry_id}/{self.n}: {self.amount:+d} {self.currency}"
