"""The prices to begin with: 1, 2 and 4 room cards for 4, 8 and 16 hands."""

from django.db import migrations


def fill(apps, schema_editor):
    price = apps.get_model("rooms", "Price")
    for hands, cards in ((4, 1), (8, 2), (16, 4)):
        price.objects.using(schema_editor.connection.alias).get_or_create(hands=hands, defaults={"cards": cards})


class Migration(migrations.Migration):
    dependencies = [("rooms", "0004_stakes_and_cards")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
