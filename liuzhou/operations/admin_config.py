"""Django's admin with our site (a module of its own: Django takes one AppConfig from each `apps`)."""

from axes.apps import AppConfig as AxesAppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy as _


class SiteConfig(AdminConfig):
    default_site = "liuzhou.operations.site.Site"


class AxesConfig(AxesAppConfig):
    """Axes under a name that admins know."""

    name = "axes"
    verbose_name = _("登录锁定")
