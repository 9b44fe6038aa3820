"""The fairness desk: sums, marks, flags, and decisions, which nobody changes."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

FOR_EVER = """
CREATE FUNCTION fairness_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = 'decisions are never changed', DETAIL = TG_OP;
END
$$;
CREATE TRIGGER fairness_no_change BEFORE UPDATE OR DELETE ON fairness_decision FOR EACH ROW EXECUTE FUNCTION fairness_refuse();
CREATE TRIGGER fairness_no_truncate BEFORE TRUNCATE ON fairness_decision FOR EACH STATEMENT EXECUTE FUNCTION fairness_refuse();
ALTER TABLE fairness_decision ENABLE ALWAYS TRIGGER fairness_no_change;
ALTER TABLE fairness_decision ENABLE ALWAYS TRIGGER fairness_no_truncate;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("rooms", "0006_record_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Flag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("feeding", "喂牌"),
                            ("dealing", "点炮"),
                            ("coins", "金币流向"),
                            ("meeting", "同桌过多"),
                            ("place", "同设备或同地址"),
                            ("winning", "胜率过高"),
                        ],
                        max_length=8,
                        verbose_name="类别",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "待处理"),
                            ("clear", "无异常"),
                            ("watch", "继续观察"),
                            ("freeze", "建议冻结"),
                        ],
                        default="open",
                        max_length=8,
                        verbose_name="状态",
                    ),
                ),
                ("score", models.FloatField(verbose_name="证据分")),
                ("evidence", models.JSONField(default=dict, verbose_name="数据")),
                ("hands", models.PositiveIntegerField(default=0, verbose_name="局数")),
                ("first_day", models.DateField(verbose_name="从")),
                ("last_day", models.DateField(verbose_name="到")),
                (
                    "raised_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="提出时间"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="更新时间"),
                ),
                ("times", models.PositiveSmallIntegerField(default=1, verbose_name="提出次数")),
                (
                    "one",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="玩家",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="对方",
                    ),
                ),
            ],
            options={
                "verbose_name": "疑点",
                "verbose_name_plural": "疑点",
                "permissions": [("decide_flag", "可以处理疑点")],
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "verdict",
                    models.CharField(
                        choices=[("clear", "无异常"), ("watch", "继续观察"), ("freeze", "建议冻结")],
                        max_length=8,
                        verbose_name="结论",
                    ),
                ),
                ("reason", models.CharField(max_length=500, verbose_name="理由")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                ("through", models.DateField(help_text="the last day whose hands it was decided on")),
                ("score", models.FloatField(verbose_name="证据分")),
                ("hands", models.PositiveIntegerField(verbose_name="局数")),
                ("evidence", models.JSONField(default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="经手人",
                    ),
                ),
                (
                    "flag",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="fairness.flag"
                    ),
                ),
            ],
            options={
                "verbose_name": "处理记录",
                "verbose_name_plural": "处理记录",
                "ordering": ("-id",),
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Mark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("address", "地址"), ("device", "设备")], max_length=8)),
                ("digest", models.CharField(max_length=32)),
                ("first_on", models.DateField()),
                ("last_on", models.DateField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="玩家",
                    ),
                ),
            ],
            options={
                "verbose_name": "登录痕迹",
                "verbose_name_plural": "登录痕迹",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="PairDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("table", models.CharField(max_length=24)),
                ("hands", models.IntegerField(default=0)),
                ("next_discards", models.IntegerField(default=0)),
                ("discards", models.IntegerField(default=0)),
                ("chows", models.IntegerField(default=0)),
                ("next_pongs", models.IntegerField(default=0)),
                ("pongs", models.IntegerField(default=0)),
                ("next_wins", models.IntegerField(default=0)),
                ("wins", models.IntegerField(default=0)),
                ("feeds", models.IntegerField(default=0)),
                ("bonds", models.IntegerField(default=0)),
                ("points", models.BigIntegerField(default=0)),
                ("coin_hands", models.IntegerField(default=0)),
                ("coins", models.BigIntegerField(default=0)),
                ("edge", models.FloatField(default=0)),
                ("edge_squares", models.FloatField(default=0)),
                ("same_address", models.IntegerField(default=0)),
                ("same_device", models.IntegerField(default=0)),
                (
                    "feeder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="出牌方",
                    ),
                ),
                (
                    "taker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="拿牌方",
                    ),
                ),
            ],
            options={
                "verbose_name": "两人每日",
                "verbose_name_plural": "两人每日",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="PlayerDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("table", models.CharField(max_length=24)),
                ("hands", models.IntegerField(default=0)),
                ("wins", models.IntegerField(default=0)),
                ("drawn", models.IntegerField(default=0)),
                ("dealt_in", models.IntegerField(default=0)),
                ("share", models.FloatField(default=0)),
                ("fair", models.FloatField(default=0)),
                ("discards", models.IntegerField(default=0)),
                ("points", models.BigIntegerField(default=0)),
                ("points_squares", models.BigIntegerField(default=0)),
                ("coin_hands", models.IntegerField(default=0)),
                ("coins", models.BigIntegerField(default=0)),
                ("coins_won", models.BigIntegerField(default=0)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="玩家",
                    ),
                ),
            ],
            options={
                "verbose_name": "玩家每日",
                "verbose_name_plural": "玩家每日",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("through", models.DateTimeField(null=True)),
                ("hands", models.PositiveBigIntegerField(default=0)),
                ("problems", models.PositiveBigIntegerField(default=0)),
                ("taken_at", models.DateTimeField(null=True)),
                ("weighed_at", models.DateTimeField(null=True)),
                (
                    "comparisons",
                    models.PositiveIntegerField(default=0, help_text="pairs compared when flags were last weighed"),
                ),
                (
                    "site",
                    models.JSONField(
                        default=dict, help_text="the whole site's sums per class of tables, for its rates"
                    ),
                ),
            ],
            options={
                "verbose_name": "统计进度",
                "verbose_name_plural": "统计进度",
                "default_permissions": (),
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="fairness_progress_one")],
            },
        ),
        migrations.CreateModel(
            name="Sitting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slot", models.DateTimeField()),
                ("preset", models.CharField(max_length=16)),
                ("stake", models.PositiveIntegerField()),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="玩家",
                    ),
                ),
                (
                    "room",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="rooms.room"),
                ),
            ],
            options={
                "verbose_name": "金币桌时段",
                "verbose_name_plural": "金币桌时段",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Taken",
            fields=[
                (
                    "hand",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="rooms.hand",
                    ),
                ),
                (
                    "weighed",
                    models.BooleanField(
                        default=False, help_text="whether its players' flags have been looked at since"
                    ),
                ),
                (
                    "problem",
                    models.CharField(
                        blank=True, help_text="why it is not in the sums", max_length=200, verbose_name="问题"
                    ),
                ),
            ],
            options={
                "verbose_name": "已统计牌局",
                "verbose_name_plural": "已统计牌局",
                "default_permissions": (),
                "indexes": [
                    models.Index(condition=models.Q(("weighed", False)), fields=["hand"], name="fairness_unweighed")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="flag",
            index=models.Index(fields=["state", "-score"], name="fairness_flag_queue"),
        ),
        migrations.AddConstraint(
            model_name="flag",
            constraint=models.UniqueConstraint(
                fields=("kind", "one", "other"), name="fairness_flag_once", nulls_distinct=False
            ),
        ),
        migrations.AddIndex(
            model_name="mark",
            index=models.Index(fields=["kind", "digest"], name="fairness_mark_digest"),
        ),
        migrations.AddIndex(
            model_name="mark",
            index=models.Index(fields=["last_on"], name="fairness_mark_last"),
        ),
        migrations.AddConstraint(
            model_name="mark",
            constraint=models.UniqueConstraint(fields=("user", "kind", "digest"), name="fairness_mark_once"),
        ),
        migrations.AddIndex(
            model_name="pairday",
            index=models.Index(fields=["feeder", "day"], name="fairness_pair_feeder"),
        ),
        migrations.AddConstraint(
            model_name="pairday",
            constraint=models.UniqueConstraint(fields=("taker", "feeder", "day", "table"), name="fairness_pair_day"),
        ),
        migrations.AddConstraint(
            model_name="playerday",
            constraint=models.UniqueConstraint(fields=("player", "day", "table"), name="fairness_player_day"),
        ),
        migrations.AddIndex(
            model_name="sitting",
            index=models.Index(fields=["player", "slot"], name="fairness_sitting_player"),
        ),
        migrations.AddIndex(
            model_name="sitting",
            index=models.Index(fields=["slot", "preset", "stake"], name="fairness_sitting_slot"),
        ),
        migrations.AddConstraint(
            model_name="sitting",
            constraint=models.UniqueConstraint(fields=("room", "slot", "player"), name="fairness_sitting_once"),
        ),
        migrations.RunSQL(FOR_EVER),
    ]
