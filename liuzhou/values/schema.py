"""Which values there are: their types, what is allowed, and the setting that holds until somebody changes them.

Adding one here is all it takes: the page that edits them and its history are made from this list."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from liuzhou.values.errors import BadValue

CHANGE: Final = "values.change_values"
CHANGE_APPROVAL: Final = "values.change_approval"
# Amounts above need a second admin; the setting LEDGER_APPROVAL_ABOVE, or a value of here, may say otherwise.
APPROVAL_ABOVE: Final = {"COIN": 100_000, "CARD": 500, "POINT": 10_000}


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `parse` takes a form's text or JSON and gives what the code uses; BadValue where that is not allowed."""

    name: str
    label: str | Promise
    default: Callable[[], Any]
    group: str | Promise = ""
    unit: str | Promise = ""
    permission: str = CHANGE

    def parse(self, given: object) -> Any:
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """The value as the form takes it."""
        return str(value)

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return self._allowed()[0]

    def _allowed(self) -> tuple[str, str]:
        raise NotImplementedError

    def refuse(self, given: object) -> BadValue:
        return BadValue(self.name, given, *self._allowed())


def _whole(given: object) -> int | None:
    """An integer written in plain digits; None for anything else."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    text = str(given).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


@dataclass(frozen=True, slots=True)
class Whole(Value):
    """An integer of a range."""

    lowest: int = 0
    highest: int = 10**9

    def parse(self, given: object) -> int:
        number = _whole(given)
        if number is None or not self.lowest <= number <= self.highest:
            raise self.refuse(given)
        return number

    def _allowed(self) -> tuple[str, str]:
        span = f"{self.lowest:,} – {self.highest:,}"
        return f"要 {span} 的整数", f"an integer of {span}"


@dataclass(frozen=True, slots=True)
class Several(Value):
    """So many integers of a range, written with spaces or commas between them."""

    least: int = 1
    most: int = 7
    lowest: int = 0
    highest: int = 10**6
    rising: bool = False

    def parse(self, given: object) -> tuple[int, ...]:
        parts: Iterable[object] = (
            given.replace(",", " ").replace("，", " ").split() if isinstance(given, str) else given  # type: ignore[assignment]
        )
        if not isinstance(parts, list | tuple):
            raise self.refuse(given)
        numbers = [_whole(part) for part in parts]
        if not self.least <= len(numbers) <= self.most:
            raise self.refuse(given)
        fine = [number for number in numbers if number is not None and self.lowest <= number <= self.highest]
        if len(fine) != len(numbers) or (self.rising and fine != sorted(set(fine))):
            raise self.refuse(given)
        return tuple(fine)

    def text(self, value: Any) -> str:
        return " ".join(str(number) for number in value)

    def _allowed(self) -> tuple[str, str]:
        count = f"{self.least}" if self.least == self.most else f"{self.least}–{self.most}"
        zh, en = ("，从小到大", ", rising") if self.rising else ("", "")
        span = f"{self.lowest:,} – {self.highest:,}"
        return f"要 {count} 个 {span} 的整数{zh}", f"{count} integers of {span}{en}"


@dataclass(frozen=True, slots=True)
class Choice(Value):
    """One of a few words."""

    choices: tuple[str, ...] = ()

    def parse(self, given: object) -> str:
        if given not in self.choices:
            raise self.refuse(given)
        return str(given)

    def _allowed(self) -> tuple[str, str]:
        words = " / ".join(self.choices)
        return f"可选 {words}", f"choose from {words}"


def _setting(name: str) -> Callable[[], Any]:
    return lambda: getattr(settings, name)


def _approval(currency: str) -> Callable[[], Any]:
    return lambda: {**APPROVAL_ABOVE, **getattr(settings, "LEDGER_APPROVAL_ABOVE", {})}[currency]


_SIGN_UP, _DAILY, _LIMITS, _APPROVAL = _("注册赠送"), _("签到和救济金"), _("限制"), _("须双人审批")
_COINS, _CARDS = _("金币"), _("房卡")

VALUES: Final[dict[str, Value]] = {
    one.name: one
    for one in (
        Whole("SIGNUP_COINS", _("注册送的金币"), _setting("SIGNUP_COINS"), _SIGN_UP, _COINS, lowest=1, highest=100_000),
        Whole("SIGNUP_CARDS", _("注册送的房卡"), _setting("SIGNUP_CARDS"), _SIGN_UP, _CARDS, lowest=1, highest=100),
        Several(
            "SIGNIN_COINS", _("签到：连续七天每天的金币"), _setting("SIGNIN_COINS"), _DAILY, _COINS,
            least=7, most=7, lowest=1, highest=10_000,
        ),
        Whole("RELIEF_BELOW", _("救济金：少于多少金币可领"), _setting("RELIEF_BELOW"), _DAILY, _COINS, highest=100_000),
        Whole("RELIEF_UP_TO", _("救济金：补到多少金币"), _setting("RELIEF_UP_TO"), _DAILY, _COINS, lowest=1, highest=100_000),
        Whole("RELIEF_PER_DAY", _("救济金：每天几次"), _setting("RELIEF_PER_DAY"), _DAILY, highest=20),
        Whole("DAILY_LOSS_CAP", _("每人每日输币上限（0：不设）"), _setting("DAILY_LOSS_CAP"), _LIMITS, _COINS),
        Choice(
            "UNVERIFIED_PLAYERS", _("未实名的玩家视为"), _setting("UNVERIFIED_PLAYERS"), _LIMITS,
            choices=("adult", "minor", "refuse"),
        ),
        Several(
            "MINOR_DAYS", _("未成年人可玩的星期（0 是周一）"), _setting("MINOR_DAYS"), _LIMITS,
            least=1, most=7, highest=6, rising=True,
        ),
        Several(
            "MINOR_HOURS", _("未成年人可玩的时段（几点到几点）"), _setting("MINOR_HOURS"), _LIMITS,
            least=2, most=2, highest=23, rising=True,
        ),
        Whole(
            "APPROVAL_COIN", _("金币超过这个数要第二人批准"), _approval("COIN"), _APPROVAL, _COINS,
            permission=CHANGE_APPROVAL, highest=10**12,
        ),
        Whole(
            "APPROVAL_CARD", _("房卡超过这个数要第二人批准"), _approval("CARD"), _APPROVAL, _CARDS,
            permission=CHANGE_APPROVAL, highest=10**9,
        ),
        Whole(
            "APPROVAL_POINT", _("积分超过这个数要第二人批准"), _approval("POINT"), _APPROVAL,
            permission=CHANGE_APPROVAL, highest=10**12,
        ),
    )
}  # fmt: skip


def check_together(values: dict[str, Any], changed: str) -> None:
    """What no value can see alone: relief must lift a player, not push them down."""
    below, up_to = values["RELIEF_BELOW"], values["RELIEF_UP_TO"]
    if up_to < below:
        zh = f"RELIEF_UP_TO（{up_to}）不能小于 RELIEF_BELOW（{below}）"
        raise BadValue(changed, values[changed], zh, f"RELIEF_UP_TO ({up_to}) must not be below RELIEF_BELOW ({below})")
