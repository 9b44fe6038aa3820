"""Which usernames and passwords will do, in words of ours where Django has no Chinese for its own."""

from django.contrib.auth.password_validation import MinimumLengthValidator
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

username_validators = [
    RegexValidator(
        r"^[\w.+-]+\Z", message=gettext_lazy("用户名只能用汉字、字母、数字和 . + - _ 。"), code="username_characters"
    )
]


class LongEnough(MinimumLengthValidator):
    """Passwords of a minimal length."""

    def get_error_message(self) -> str:
        return _("密码太短，至少要 %(min)d 个字符。") % {"min": self.min_length}

    def get_help_text(self) -> str:
        return _("至少 %(min)d 个字符。") % {"min": self.min_length}
