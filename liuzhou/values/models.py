"""Every change of a value and of maintenance, for ever: the newest row is what holds. The database refuses anything but
new rows."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Kept(models.Model):
    """Who decided it, when and why."""

    reason = models.CharField(_("原因"), max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("经手人"))
    at = models.DateTimeField(_("时间"), db_default=Now())

    class Meta:
        abstract = True


class Change(Kept):
    """A value's change; `new` is null where the deployment's own setting holds again."""

    name = models.CharField(_("名称"), max_length=40)
    old = models.JSONField(_("原值"), null=True)
    new = models.JSONField(_("新值"), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("参数")
        default_permissions = ("view",)
        permissions = [("change_values", "修改赠送和限额"), ("change_approval", "修改须双人审批的数额")]
        indexes = [models.Index(fields=["name", "-id"], name="values_change_name")]

    def __str__(self) -> str:
        return f"{self.name}: {self.old} → {self.new}"


class Maintenance(Kept):
    """Maintenance began (`on`) or ended. `until` is what players are told, not when it ends by itself."""

    on = models.BooleanField(_("维护中"))
    zh = models.CharField(_("中文说明"), max_length=200, blank=True)
    en = models.CharField(_("英文说明"), max_length=200, blank=True)
    until = models.DateTimeField(_("预计恢复"), null=True)

    class Meta:
        verbose_name = verbose_name_plural = _("维护")
        default_permissions = ("view",)
        permissions = [("steer_maintenance", "开始和结束维护")]

    def __str__(self) -> str:
        return str(_("维护中") if self.on else _("正常"))
