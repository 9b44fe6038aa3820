"""The balance check at commit, cheaper."""

from django.db import migrations

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0004_desk")]

    operations = [*run_sql("0005_check_entry")]
