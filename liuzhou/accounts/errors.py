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


class NicknameTaken(AccountError):
    code = "nickname_taken"
    zh = "这个昵称已有人用，或和别人的太像，请换一个。"
    en = "This nickname is taken, or looks too much like another. Please choose another."


class NicknameReserved(AccountError):
    code = "nickname_reserved"
    zh = "这个昵称不能使用，请换一个。"
    en = "This nickname cannot be used. Please choose another."


class NicknameEmpty(AccountError):
    code = "nickname_empty"
    zh = "昵称不能为空。"
    en = "The nickname must not be empty."


class DetailedError(AccountError):
    """A refusal whose sentence speaks of numbers, given as keywords."""

    def __init__(self, **values: object) -> None:
        self.values = values
        self.zh = self.zh.format(**values)
        self.en = self.en.format(**values)
        super().__init__(f"{self.zh} / {self.en}")


class ReliefNotNeeded(DetailedError):
    code = "relief_not_needed"
    zh = "你还有 {held} 金币（含牌桌上的），少于 {below} 时才能领救济金。"
    en = "You still have {held} coins (those at a table counted); relief is for fewer than {below}."


class ReliefUsedUp(DetailedError):
    code = "relief_used_up"
    zh = "今天的 {per_day} 次救济金已领完，明天再来。"
    en = "Today's {per_day} reliefs are used up. Come back tomorrow."


class BadPreference(DetailedError):
    code = "bad_preference"
    zh = "偏好 {name} 不能是“{value}”：可选 {allowed}。"
    en = "The preference {name} cannot be “{value}”: choose from {allowed}."


class BadColour(AccountError):
    code = "bad_colour"
    zh = "没有这种头像颜色。"
    en = "There is no such avatar colour."


class BadLimit(DetailedError):
    code = "bad_limit"
    zh = "“{value}”不行：可选 {allowed}。"
    en = "“{value}” will not do: choose from {allowed}."


class CoolOffRunning(AccountError):
    code = "cool_off_running"
    zh = "休息期只能延长，不能缩短。"
    en = "A cool-off can be made longer, not shorter."


class RealNameRefused(AccountError):
    code = "real_name_refused"
    zh = "实名核验没有通过，请检查姓名和证件号。"
    en = "The real-name check failed. Please check name and number."


class WrongPassword(AccountError):
    code = "wrong_password"
    zh = "密码不正确。"
    en = "The password is wrong."


class StaffStays(AccountError):
    code = "staff_stays"
    zh = "管理员和代理的帐号不能自助注销，请联系管理员。"
    en = "Accounts of staff and agents are not closed here; please ask an admin."


class StillSeated(DetailedError):
    code = "still_seated"
    zh = "你还坐在房间 {code} 里，先离开才能注销。"
    en = "You still sit in room {code}; leave it before closing the account."


class AtCoinTable(DetailedError):
    code = "at_coin_table"
    zh = "申请人正坐在金币场的牌桌 {code}，离桌后才能批准：代理不能打金币场。"
    en = "The applicant sits at coin table {code}; agents do not play there. Approve once they have left it."


class OpenHolds(AccountError):
    code = "open_holds"
    zh = "还有金币或房卡押在牌桌上，结清后才能注销。"
    en = "Coins or cards of yours are still bound to a table; the account can be closed when they are back."


class AlreadyClosed(AccountError):
    code = "already_closed"
    zh = "这个帐号已经注销。"
    en = "This account is closed."


class LimitReached(AccountError):
    """Playing is not allowed now; `code` tells which limit: closed, not_verified, minor_hours, cool_off, loss_cap."""

    def __init__(self, code: str, zh: str, en: str) -> None:
        super().__init__(code)
        self.code = code
        self.zh = zh
        self.en = en
