"""Seals over what was committed."""

from django.db import migrations

from ledger.sqlfiles import run_sql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]

    operations = [*run_sql("0002_seal")]
