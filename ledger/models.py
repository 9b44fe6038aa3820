"""Mirrors of the ledger's tables, for reading; the tables themselves are made by SQL and written by ledger.post alone."""

from django.db import models

from ledger.terms import kind_name


class Account(models.Model):
    """Something that holds one currency; the head of its chain of lines."""

    id = models.BigAutoField("账户号", primary_key=True)
    kind = models.CharField("类别", max_length=16)
    name = models.CharField("名称", max_length=64)
    owner_ref = models.BigIntegerField("归属")
    currency = models.CharField("币种", max_length=8)
    overdraft = models.BooleanField("可为负")
    frozen = models.BooleanField("冻结")
    created_at = models.DateTimeField("开户时间")
    genesis = models.BinaryField()
    seq = models.BigIntegerField("笔数")
    balance = models.BigIntegerField("余额")
    head = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."account"'
        verbose_name = "账户"
        verbose_name_plural = "账户"

    def __str__(self) -> str:
        return f"#{self.pk} {self.kind} {self.name or self.owner_ref} {self.currency}"


class Entry(models.Model):
    """Why something moved: one business event, once per key."""

    id = models.BigAutoField("分录号", primary_key=True)
    kind = models.CharField("类别", max_length=32)
    key = models.CharField("业务编号", max_length=200)
    size = models.SmallIntegerField("行数")
    hand = models.BigIntegerField("牌局", null=True)
    room = models.BigIntegerField("房间", null=True)
    hold = models.ForeignKey("self", models.DO_NOTHING, db_column="hold", null=True, related_name="+")
    reversed = models.ForeignKey("self", models.DO_NOTHING, db_column="reversed", null=True, related_name="+")
    actor = models.BigIntegerField("经手人", null=True)
    reason = models.CharField("原因", max_length=500)
    at = models.DateTimeField("时间")
    epoch = models.BigIntegerField()
    xact = models.BigIntegerField()
    request = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."entry"'
        verbose_name = "分录"
        verbose_name_plural = "分录"

    def __str__(self) -> str:
        return f"#{self.pk} {kind_name(self.kind)}"


class Line(models.Model):
    """How it moved: one account, one amount, the balance after, chained to the account's line before."""

    pk = models.CompositePrimaryKey("account_id", "seq")
    account = models.ForeignKey(Account, models.DO_NOTHING, related_name="lines")
    seq = models.BigIntegerField("序号")
    entry = models.ForeignKey(Entry, models.DO_NOTHING, related_name="lines")
    n = models.SmallIntegerField("行")
    amount = models.BigIntegerField("金额")
    balance = models.BigIntegerField("余额")
    prev = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = '"ledger"."line"'
        verbose_name = "明细"
        verbose_name_plural = "明细"

    def __str__(self) -> str:
        return f"{self.account_id}/{self.seq}: {self.amount:+d}"
