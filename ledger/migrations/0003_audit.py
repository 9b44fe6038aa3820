"""The desk's papers (proposals, decisions, exports) and the auditors' views."""

from django.db import migrations

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_seals")]

    operations = [*run_sql("0003_desk", "0003_views")]
