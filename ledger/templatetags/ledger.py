"""How the ledger's numbers and words are shown."""

from django import template
from django.utils.functional import Promise

from ledger.terms import ACCOUNT_KINDS, CURRENCY_NAMES, kind_name

register = template.Library()


@register.filter
def signed(amount: int) -> str:
    """+1,234 or −1,234 (a real minus sign)."""
    return f"{'+' if amount > 0 else '−' if amount < 0 else ''}{abs(amount):,}"


@register.filter
def grouped(amount: int | None) -> str:
    """1,234 in every language (Django's own grouping leaves Chinese numbers ungrouped)."""
    return "" if amount is None else f"{amount:,}".replace("-", "−")


@register.filter
def plain(number: float) -> str:
    """A number for an SVG attribute, whatever the page's language."""
    return f"{number:g}"


@register.filter(name="hex")
def hexadecimal(value: bytes | memoryview) -> str:
    return bytes(value).hex()


@register.filter
def entry_kind(kind: str) -> str:
    return kind_name(kind)


@register.filter
def account_kind(kind: str) -> Promise | str:
    return ACCOUNT_KINDS.get(kind, kind)


@register.filter
def currency(code: str) -> Promise | str:
    return CURRENCY_NAMES.get(code, code)
