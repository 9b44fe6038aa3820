"""Values and maintenance: rows that nobody changes."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

FOR_EVER = """
CREATE FUNCTION values_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = 'what was decided is never changed', DETAIL = TG_TABLE_NAME || ' ' || TG_OP;
END
$$;
""" + "".join(
    f"""
CREATE TRIGGER values_no_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION values_refuse();
CREATE TRIGGER values_no_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION values_refuse();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER values_no_change;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER values_no_truncate;
"""
    for table in ("values_change", "values_maintenance")
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Maintenance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=200, verbose_name="原因")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                ("on", models.BooleanField(verbose_name="维护中")),
                ("zh", models.CharField(blank=True, max_length=200, verbose_name="中文说明")),
                ("en", models.CharField(blank=True, max_length=200, verbose_name="英文说明")),
                ("until", models.DateTimeField(null=True, verbose_name="预计恢复")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="经手人",
                    ),
                ),
            ],
            options={
                "verbose_name": "维护",
                "verbose_name_plural": "维护",
                "permissions": [("steer_maintenance", "开始和结束维护")],
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=200, verbose_name="原因")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                ("name", models.CharField(max_length=40, verbose_name="名称")),
                ("old", models.JSONField(null=True, verbose_name="原值")),
                ("new", models.JSONField(null=True, verbose_name="新值")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="经手人",
                    ),
                ),
            ],
            options={
                "verbose_name": "参数",
                "verbose_name_plural": "参数",
                "permissions": [("change_values", "修改赠送和限额"), ("change_approval", "修改须双人审批的数额")],
                "default_permissions": ("view",),
                "indexes": [models.Index(fields=["name", "-id"], name="values_change_name")],
            },
        ),
        migrations.RunSQL(FOR_EVER),
    ]
