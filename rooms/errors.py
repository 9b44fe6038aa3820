"""What can be refused in a room: each refusal has a stable code and a sentence a player can read."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    "bad_json": ("消息不是有效的 JSON。", "The message is not valid JSON."),
    "bad_frame": ("消息格式不对：{detail}", "The message has the wrong form: {detail}"),
    "too_large": ("消息太长：最多 {limit} 字节。", "The message is too long: at most {limit} bytes."),
    "not_text": ("只接受文本消息。", "Only text messages are accepted."),
    "stale": ("这一问已经过去，牌桌已更新。", "That question is over; the table has moved on."),
    "illegal": ("{detail}", "{detail}"),
    "fish_taken": (
        "{value} 号鱼刚被别人选走，请另选一条。",
        "Fish {value} has just been taken; please choose another.",
    ),
    "no_hand": ("现在没有进行中的牌局。", "No hand is running now."),
    "hand_over": ("这一局已经结束。", "This hand is over."),
    "signed_out": ("请先登录。", "Please sign in first."),
    "not_seated": ("你不在这个房间里。", "You have no seat in this room."),
    "room_unavailable": (
        "没有房间 {code}，或房间已满、已开局。",
        "There is no room {code}, or it is full or has started.",
    ),
    "room_closed": ("房间已经结束。", "The room is closed."),
    "bad_code": ("房间号“{value}”不对：要六位数字。", "The room code “{value}” is wrong: six digits are needed."),
    "already_seated": ("你还在房间 {code} 里，先离开才能进别的房间。", "You still sit in room {code}; leave it first."),
    "in_progress": (
        "牌局已经开始，不能离开；可以申请解散。",
        "The game has begun: you cannot leave, but may ask to dissolve.",
    ),
    "not_waiting": ("现在不是准备的时候。", "It is not the time to get ready."),
    "bad_nonce": (
        "随机数“{value}”不对：要最多 64 位十六进制。",
        "The nonce “{value}” is wrong: up to 64 hexadecimal digits.",
    ),
    "bad_option": ("{detail}", "{detail}"),
    "bad_choice": ("{name} 不能是“{value}”：可选 {allowed}。", "{name} cannot be “{value}”: choose from {allowed}."),
    "no_funds": ("余额不够，还差 {shortfall}。", "You do not have enough: {shortfall} short."),
    "limit": ("{detail}", "{detail}"),
    "maintenance": ("{detail}", "{detail}"),
    "ledger": ("{detail}", "{detail}"),
    "too_poor": (
        "要有 {need} 金币才能上桌，你有 {have}；可以领救济金。",
        "A seat needs {need} coins, you have {have}; ask for relief.",
    ),
    "below_bracket": (
        "这一桌至少要 {need} 金币，你还有 {have}，请换到低一级的桌。",
        "This table needs {need} coins, you have {have}: please move to a lower one.",
    ),
    "escape_price": (
        "牌局进行中，离开算逃跑：赔 {coins} 金币，扣 {points} 积分。",
        "Leaving in mid-hand is an escape: it costs {coins} coins and {points} points.",
    ),
    "escape_wait": ("今天逃跑太多，请等 {seconds} 秒再来。", "Too many escapes today: please wait {seconds} seconds."),
    "agents_do_not_play": ("代理不能在金币场打牌。", "Agents do not sit at coin tables."),
    "too_many_misses": (
        "试错房间号太多次，请 {minutes} 分钟后再试。",
        "Too many wrong room codes: please try again in {minutes} minutes.",
    ),
    "bad_reason": ("要写原因（1–{limit} 字）。", "A reason is needed (1–{limit} characters)."),
    "bad_say": (
        "说话要写一样：文字（1–200 字）、短语或表情。",
        "Say one thing: text (1–200 characters), a phrase or a sticker.",
    ),
    "too_fast": ("太快了，请稍等。", "Too fast, please wait a moment."),
    "no_vote": ("现在没有解散申请。", "Nobody has asked to dissolve."),
    "vote_open": ("解散申请正在表决。", "A request to dissolve is being voted on."),
    "elsewhere": ("你在别处登录了这张桌子。", "You opened this table somewhere else."),
    "not_owner": ("只有房主可以这样做。", "Only the owner may do that."),
    "no_such_seat": ("座位 {value} 上没有可以请出的玩家。", "There is no player to remove at seat {value}."),
    "busy": ("服务器忙，请再试一次。", "The server is busy, please try again."),
}


class RoomError(Exception):
    """A refusal. `code` is stable for clients; `text(lang)` is for people ("en" or Chinese)."""

    def __init__(self, code: str, /, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values
        self.details: tuple[str, str] | None = None

    @classmethod
    def from_rules(cls, code: str, error: object) -> RoomError:
        """Wrap a rules error, which brings both languages along."""
        made = cls(code)
        made.details = (error.text("zh-hans"), error.text("en"))  # type: ignore[attr-defined]
        return made

    def text(self, lang: str) -> str:
        english = (lang or "").startswith("en")
        values = dict(self.values)
        if self.details:
            values["detail"] = self.details[1 if english else 0]
        return SENTENCES[self.code][1 if english else 0].format(**values)

    def __str__(self) -> str:
        return f"{self.code}: {self.text('en')}"
