"""On players' pages: banners, and what a new player is given."""

from typing import Any

from django import template
from django.utils.translation import get_language

from liuzhou.operations import notices
from liuzhou.values import services as values

register = template.Library()


@register.simple_tag
def signup_gifts() -> dict[str, str]:
    """What a new player is given now."""
    return {"coins": f"{values.get('SIGNUP_COINS'):,}", "cards": f"{values.get('SIGNUP_CARDS'):,}"}


@register.inclusion_tag("operations/_banners.html")
def banners() -> dict[str, Any]:
    """Maintenance and notices of this moment."""
    return {"banners": notices.banners(get_language() or "zh-hans")}
