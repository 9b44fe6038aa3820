from django.apps import AppConfig


class TrailConfig(AppConfig):
    """What staff looked at and did."""

    name = "liuzhou.trail"
    label = "trail"
    verbose_name = "操作记录"
