"""Who of the staff did or saw what: rows are added and never changed, which the database itself sees to."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Trail(models.Model):
    """One thing a member of staff did or looked at. `subject` is a model label and a number, such as `accounts.user:5`."""

    at = models.DateTimeField(_("时间"), db_default=Now())
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("经手人")
    )
    action = models.SlugField(_("操作"), max_length=40)
    subject = models.CharField(_("对象"), max_length=80, blank=True)
    detail = models.JSONField(_("详情"), default=dict)
    address = models.GenericIPAddressField(_("地址"), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("操作记录")
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["subject", "-id"], name="trail_subject"),
            models.Index(fields=["actor", "-id"], name="trail_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}".strip()
