from django.apps import AppConfig


class ValuesConfig(AppConfig):
    """What operators steer while the site runs: grants, limits, maintenance."""

    name = "liuzhou.values"
    label = "values"
    verbose_name = "参数"
