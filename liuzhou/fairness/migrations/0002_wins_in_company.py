"""A player's wins with somebody at the table (manage.py fairness_rebuild fills them in for hands counted before)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fairness", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="pairday",
            name="share",
            field=models.FloatField(default=0),
        ),
        migrations.AddField(
            model_name="pairday",
            name="won",
            field=models.IntegerField(default=0),
        ),
    ]
