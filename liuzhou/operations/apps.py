"""The operators' side of the site: what admins see and steer."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "liuzhou.operations"
    label = "operations"
    verbose_name = "运营"
