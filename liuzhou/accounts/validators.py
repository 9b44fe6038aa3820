"""Which characters a username may have (named by ACCOUNT_USERNAME_VALIDATORS)."""

from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

username_validators = [
    RegexValidator(r"^[\w.+-]+\Z", message=_("用户名只能用汉字、字母、数字和 . + - _ 。"), code="username_characters")
]
