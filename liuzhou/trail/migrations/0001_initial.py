"""The trail, which nobody changes, whatever they may do elsewhere."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

FOR_EVER = """
CREATE FUNCTION trail_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = 'the trail is never changed', DETAIL = TG_OP;
END
$$;
CREATE TRIGGER trail_no_change BEFORE UPDATE OR DELETE ON trail_trail FOR EACH ROW EXECUTE FUNCTION trail_refuse();
CREATE TRIGGER trail_no_truncate BEFORE TRUNCATE ON trail_trail FOR EACH STATEMENT EXECUTE FUNCTION trail_refuse();
ALTER TABLE trail_trail ENABLE ALWAYS TRIGGER trail_no_change;
ALTER TABLE trail_trail ENABLE ALWAYS TRIGGER trail_no_truncate;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Trail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="时间")),
                ("action", models.SlugField(max_length=40, verbose_name="操作")),
                ("subject", models.CharField(blank=True, max_length=80, verbose_name="对象")),
                ("detail", models.JSONField(default=dict, verbose_name="详情")),
                ("address", models.GenericIPAddressField(null=True, verbose_name="地址")),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="经手人",
                    ),
                ),
            ],
            options={
                "verbose_name": "操作记录",
                "verbose_name_plural": "操作记录",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(fields=["subject", "-id"], name="trail_subject"),
                    models.Index(fields=["actor", "-id"], name="trail_actor"),
                ],
            },
        ),
        migrations.RunSQL(FOR_EVER),
    ]
