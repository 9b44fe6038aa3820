"""Django's admin with our site (a module of its own: Django takes one AppConfig from each `apps`)."""

from django.contrib.admin.apps import AdminConfig


class SiteConfig(AdminConfig):
    default_site = "liuzhou.operations.site.Site"
