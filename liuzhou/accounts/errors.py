"""What can go wrong with an account, as sentences for the player."""


class AccountError(Exception):
    """An expected refusal with a stable code and a sentence in both languages."""

    code = "account"
    zh = "操作失败"
    en = "This did not work."

    def __str__(self) -> str:
        return f"{self.zh} / {self.en}"

    def text(self, lang: str) -> str:
        return self.zh if lang.startswith("zh") else self.en


class UsernameTaken(AccountError):
    code = "username_taken"
    zh = "这个用户名已被使用，请换一个。"
    en = "This username is taken. Please choose another."


class NicknameTooLong(AccountError):
    code = "nickname_too_long"
    zh = "昵称太长：最多 8 个汉字或 16 个字母。"
    en = "The nickname is too long: at most 16 letters or 8 Chinese characters."
