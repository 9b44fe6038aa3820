"""Agents' orders at the desk."""

from django.db import migrations

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0005_check_entry")]

    operations = [*run_sql("0006_purchase")]
