from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ValuesConfig(AppConfig):
    """What operators steer while the site runs: grants, limits, maintenance."""

    name = "liuzhou.values"
    label = "values"
    verbose_name = _("参数")
