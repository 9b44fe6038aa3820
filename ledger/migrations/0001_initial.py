"""The ledger's schema, guards and functions (SQL), and the mirrors that Django reads them through."""

from django.db import migrations, models

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        *run_sql("0001_roles", "0001_tables", "0001_guards", "0001_post", "0001_doors"),
        migrations.CreateModel(
            name="Account",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False, verbose_name="账户号")),
                ("kind", models.CharField(max_length=16, verbose_name="类别")),
                ("name", models.CharField(max_length=64, verbose_name="名称")),
                ("owner_ref", models.BigIntegerField(verbose_name="归属")),
                ("currency", models.CharField(max_length=8, verbose_name="币种")),
                ("overdraft", models.BooleanField(verbose_name="可为负")),
                ("frozen", models.BooleanField(verbose_name="冻结")),
                ("created_at", models.DateTimeField(verbose_name="开户时间")),
                ("genesis", models.BinaryField()),
                ("seq", models.BigIntegerField(verbose_name="笔数")),
                ("balance", models.BigIntegerField(verbose_name="余额")),
                ("head", models.BinaryField()),
            ],
            options={
                "verbose_name": "账户",
                "verbose_name_plural": "账户",
                "db_table": '"ledger"."account"',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False, verbose_name="分录号")),
                ("kind", models.CharField(max_length=32, verbose_name="类别")),
                ("key", models.CharField(max_length=200, verbose_name="业务编号")),
                ("size", models.SmallIntegerField(verbose_name="行数")),
                ("hand", models.BigIntegerField(null=True, verbose_name="牌局")),
                ("room", models.BigIntegerField(null=True, verbose_name="房间")),
                ("actor", models.BigIntegerField(null=True, verbose_name="经手人")),
                ("reason", models.CharField(max_length=500, verbose_name="原因")),
                ("at", models.DateTimeField(verbose_name="时间")),
                ("epoch", models.BigIntegerField()),
                ("xact", models.BigIntegerField()),
                ("request", models.BinaryField()),
                ("hash", models.BinaryField()),
            ],
            options={
                "verbose_name": "分录",
                "verbose_name_plural": "分录",
                "db_table": '"ledger"."entry"',
                "managed": False,
            },
        ),
        migrations.CreateModel(
            name="Line",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "account_id", "seq", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("seq", models.BigIntegerField(verbose_name="序号")),
                ("n", models.SmallIntegerField(verbose_name="行")),
                ("amount", models.BigIntegerField(verbose_name="金额")),
                ("balance", models.BigIntegerField(verbose_name="余额")),
                ("prev", models.BinaryField()),
                ("hash", models.BinaryField()),
            ],
            options={
                "verbose_name": "明细",
                "verbose_name_plural": "明细",
                "db_table": '"ledger"."line"',
                "managed": False,
            },
        ),
    ]
