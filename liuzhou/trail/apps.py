from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TrailConfig(AppConfig):
    """What staff looked at and did."""

    name = "liuzhou.trail"
    label = "trail"
    verbose_name = _("操作记录")
