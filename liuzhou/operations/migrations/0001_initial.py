"""Samples, checks, notices, and notes that stay."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

NOTES_STAY = """
CREATE FUNCTION operations_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = 'notes are never changed', DETAIL = TG_OP;
END
$$;
CREATE TRIGGER note_no_change BEFORE UPDATE OR DELETE ON operations_note FOR EACH ROW EXECUTE FUNCTION operations_refuse();
CREATE TRIGGER note_no_truncate BEFORE TRUNCATE ON operations_note FOR EACH STATEMENT EXECUTE FUNCTION operations_refuse();
ALTER TABLE operations_note ENABLE ALWAYS TRIGGER note_no_change;
ALTER TABLE operations_note ENABLE ALWAYS TRIGGER note_no_truncate;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="LedgerCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                ("seconds", models.FloatField(verbose_name="用时（秒）")),
                ("violations", models.PositiveIntegerField(null=True, verbose_name="违规")),
                ("first", models.JSONField(default=list, verbose_name="前几条")),
            ],
            options={
                "verbose_name": "账本检查",
                "verbose_name_plural": "账本检查",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Sample",
            fields=[
                ("at", models.DateTimeField(primary_key=True, serialize=False, verbose_name="分钟")),
                ("tables", models.PositiveIntegerField(verbose_name="进行中的牌桌")),
                ("rooms", models.PositiveIntegerField(verbose_name="开着的房间")),
                ("players", models.PositiveIntegerField(verbose_name="在桌玩家")),
                ("hands", models.PositiveIntegerField(verbose_name="打完的局")),
                ("cards_sold", models.BigIntegerField(verbose_name="售出房卡")),
                ("cards_used", models.BigIntegerField(verbose_name="用掉的房卡")),
                ("sales_seq", models.BigIntegerField(verbose_name="售卡账户读到第几笔")),
                ("coins", models.BigIntegerField(verbose_name="流通金币")),
                ("cards", models.BigIntegerField(verbose_name="流通房卡")),
                ("requests", models.PositiveIntegerField(verbose_name="请求")),
                ("errors", models.PositiveIntegerField(verbose_name="出错的请求")),
                ("logged", models.PositiveIntegerField(verbose_name="错误日志")),
            ],
            options={
                "verbose_name": "运行采样",
                "verbose_name_plural": "运行采样",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.CharField(max_length=500, verbose_name="备注")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="作者",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="玩家",
                    ),
                ),
            ],
            options={
                "verbose_name": "玩家备注",
                "verbose_name_plural": "玩家备注",
                "permissions": [
                    ("view_dashboard", "查看总览"),
                    ("freeze_user", "冻结和解冻玩家"),
                    ("sign_out_user", "强制玩家下线"),
                    ("reset_mfa", "重置玩家的动态口令"),
                    ("view_statement", "查看玩家账单"),
                    ("export_rows", "导出列表"),
                    ("watch_room", "旁观房间和查看牌局记录"),
                ],
                "default_permissions": ("add", "view"),
                "indexes": [models.Index(fields=["player", "-id"], name="note_player")],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "level",
                    models.CharField(
                        choices=[("info", "通知"), ("warning", "提醒")],
                        default="info",
                        max_length=8,
                        verbose_name="级别",
                    ),
                ),
                ("zh", models.CharField(max_length=300, verbose_name="中文")),
                ("en", models.CharField(max_length=300, verbose_name="英文")),
                ("starts_at", models.DateTimeField(verbose_name="开始")),
                ("ends_at", models.DateTimeField(verbose_name="结束")),
                ("changed_at", models.DateTimeField(auto_now=True, verbose_name="修改时间")),
                (
                    "by",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="作者",
                    ),
                ),
            ],
            options={
                "verbose_name": "公告",
                "verbose_name_plural": "公告",
                "ordering": ("-starts_at",),
                "indexes": [models.Index(fields=["ends_at"], name="notice_ends_at")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gt", models.F("starts_at"))), name="notice_ends_after_it_starts"
                    )
                ],
            },
        ),
        migrations.RunSQL(NOTES_STAY),
    ]
