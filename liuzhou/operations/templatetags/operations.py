"""Banners on players' pages."""

from typing import Any

from django import template
from django.utils.translation import get_language

from liuzhou.operations import notices

register = template.Library()


@register.inclusion_tag("operations/_banners.html")
def banners() -> dict[str, Any]:
    """Maintenance and notices of this moment."""
    return {"banners": notices.banners(get_language() or "zh-hans")}
