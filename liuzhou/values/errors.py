"""What is refused when a value is changed."""


class ValueRefused(Exception):
    """An expected refusal with a stable code and a sentence in both languages."""

    code = "value"

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(f"{zh} / {en}")
        self.zh, self.en = zh, en

    def text(self, lang: str) -> str:
        return self.en if lang.startswith("en") else self.zh


class BadValue(ValueRefused):
    """Names the field, what was given and what is allowed."""

    code = "bad_value"

    def __init__(self, name: str, given: object, zh: str, en: str) -> None:
        shown = str(given)[:60]
        super().__init__(f"{name} 不能是“{shown}”：{zh}。", f"{name} cannot be “{shown}”: {en}.")


class Unchanged(ValueRefused):
    code = "unchanged"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} 已经是这个值。", f"{name} has that value already.")


class NoReason(ValueRefused):
    code = "no_reason"

    def __init__(self) -> None:
        super().__init__("要写原因（1–200 字）。", "A reason is needed (1–200 characters).")
