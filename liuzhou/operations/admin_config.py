"""Django's admin with our site (a module of its own: Django takes one AppConfig from each `apps`)."""

from axes.apps import AppConfig as AxesAppConfig
from django.contrib.admin.apps import AdminConfig


class SiteConfig(AdminConfig):
    default_site = "liuzhou.operations.site.Site"


class AxesConfig(AxesAppConfig):
    """Axes under a name that admins know."""

    name = "axes"
    verbose_name = "登录锁定"
