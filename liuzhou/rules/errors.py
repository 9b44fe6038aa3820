"""Typed refusals of the rules: a stable code and a sentence a player can read, in Chinese and English."""

from collections.abc import Iterable

SHOWN = 60  # characters of a foreign value that a message repeats


def shown(value: object) -> str:
    """A foreign value as it may stand in a message: short, on one line, and of printable characters."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (RecursionError, ValueError):  # too deep, or an integer too long to print
        text = f"<{type(value).__name__}>"
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return text if text.isprintable() else ascii(text)[1:-1]


class RuleError(ValueError):
    """A refusal by the rules. `code` is stable; `zh` and `en` say the same."""

    def __init__(self, code: str, zh: str, en: str) -> None:
        super().__init__(code, zh, en)
        self.code = code
        self.zh = zh
        self.en = en

    def __str__(self) -> str:
        return f"{self.zh} / {self.en}"

    def text(self, lang: str) -> str:
        """The sentence in a language: any `zh…` is Chinese, the rest English."""
        return self.zh if lang.lower().startswith("zh") else self.en


class NotationError(RuleError):
    """Text that is no tile notation such as `123m55z`."""


class CaseError(RuleError):
    """A settlement case or a record that is malformed or cannot have happened; `field` says where, if anywhere."""

    def __init__(self, code: str, zh: str, en: str, field: str = "") -> None:
        super().__init__(code, zh, en)
        self.field = field
        self.args = (code, zh, en, field)

    def __str__(self) -> str:
        told = super().__str__()
        return f"{self.field}: {told}" if self.field else told


class IllegalAction(RuleError):
    """An action that is not among the legal ones, or cannot be read as an action."""


class OptionError(RuleError):
    """An option a preset does not have, or a value it does not take (RULES 10)."""

    def __init__(self, option: str, value: object, allowed: Iterable[object], code: str = "option_value") -> None:
        self.option = option
        self.value = value
        self.allowed = tuple(allowed)
        told = ", ".join(allowed_text(each) for each in self.allowed) or "–"
        got = allowed_text(value) if isinstance(value, bool) else shown(value)
        name = shown(option)
        if code == "option_unknown":
            zh = f"没有选项“{name}”（值为 {got}），可用的选项：{told}"
            en = f"no such option {name} (given {got}); options: {told}"
        else:
            zh = f"选项“{name}”的值 {got} 不允许，允许：{told}"
            en = f"option {name}: {got} is not allowed; allowed: {told}"
        super().__init__(code, zh, en)

    def __reduce__(self) -> tuple[type["OptionError"], tuple[str, object, tuple[object, ...], str]]:
        return OptionError, (self.option, self.value, self.allowed, self.code)


def allowed_text(value: object) -> str:
    """A value as JSON spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return shown(value)
