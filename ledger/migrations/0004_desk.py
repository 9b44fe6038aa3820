"""Proposals have a key; the desk's permissions; mirrors of the auditors' views."""

from django.db import migrations, models

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0003_audit"),
    ]

    operations = [
        *run_sql("0004_desk_keys"),
        migrations.CreateModel(
            name="AuditLine",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "account_id", "seq", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("account_id", models.BigIntegerField()),
                ("seq", models.BigIntegerField()),
                ("entry_id", models.BigIntegerField()),
                ("n", models.SmallIntegerField()),
                ("amount", models.BigIntegerField()),
                ("balance", models.BigIntegerField()),
                ("account_kind", models.CharField(max_length=16)),
                ("account_name", models.CharField(max_length=64)),
                ("owner_ref", models.BigIntegerField()),
                ("currency", models.CharField(max_length=8)),
                ("kind", models.CharField(max_length=32)),
                ("key", models.CharField(max_length=200)),
                ("hand", models.BigIntegerField(null=True)),
                ("room", models.BigIntegerField(null=True)),
                ("hold", models.BigIntegerField(null=True)),
                ("reversed", models.BigIntegerField(null=True)),
                ("actor", models.BigIntegerField(null=True)),
                ("reason", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": '"audit"."line"',
                "managed": False,
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False, verbose_name="申请号")),
                ("kind", models.CharField(max_length=16, verbose_name="类别")),
                ("account", models.BigIntegerField(null=True, verbose_name="账户")),
                ("amount", models.BigIntegerField(null=True, verbose_name="金额")),
                ("entry", models.BigIntegerField(null=True, verbose_name="分录")),
                ("reason", models.CharField(max_length=500, verbose_name="原因")),
                ("proposer", models.BigIntegerField(verbose_name="申请人")),
                ("at", models.DateTimeField(verbose_name="申请时间")),
                ("approved", models.BooleanField(null=True, verbose_name="已批准")),
                ("decider", models.BigIntegerField(null=True, verbose_name="审批人")),
                ("decision_reason", models.CharField(max_length=500, null=True, verbose_name="审批意见")),
                ("decided_at", models.DateTimeField(null=True, verbose_name="审批时间")),
            ],
            options={
                "verbose_name": "待批申请",
                "verbose_name_plural": "待批申请",
                "db_table": '"audit"."proposal"',
                "permissions": [("decide", "审批申请")],
                "managed": False,
                "default_permissions": ("view",),
            },
        ),
        migrations.AlterModelOptions(
            name="account",
            options={
                "default_permissions": ("view",),
                "managed": False,
                "permissions": [("audit", "查看审计页面"), ("issue", "发行与销毁"), ("freeze", "冻结账户")],
                "verbose_name": "账户",
                "verbose_name_plural": "账户",
            },
        ),
        migrations.AlterModelOptions(
            name="entry",
            options={
                "default_permissions": ("view",),
                "managed": False,
                "permissions": [("reverse", "冲正分录")],
                "verbose_name": "分录",
                "verbose_name_plural": "分录",
            },
        ),
        migrations.AlterModelOptions(
            name="line",
            options={
                "default_permissions": (),
                "managed": False,
                "verbose_name": "明细",
                "verbose_name_plural": "明细",
            },
        ),
    ]
