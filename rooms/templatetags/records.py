"""Words of the records' pages."""

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def named(names: Mapping[str, object], key: str) -> str:
    """The name under this key; the key itself where there is none."""
    return str(names.get(key, key))
