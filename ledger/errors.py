"""What can be refused, each with a stable code and a sentence in Chinese and in English; how database errors become these."""

import json
from typing import Any, ClassVar

import psycopg


class LedgerError(Exception):
    """A movement that was refused; nothing was written. `detail` holds the numbers the sentence speaks of."""

    code: ClassVar[str] = "ledger"
    zh: str = "账本拒绝了这笔操作"
    en: str = "The ledger refused this."

    def __init__(self, **detail: Any) -> None:
        self.detail = detail
        self.zh = self.zh.format_map(_Missing(detail))
        self.en = self.en.format_map(_Missing(detail))
        super().__init__(f"{self.zh} / {self.en}")

    def text(self, language: str) -> str:
        return self.zh if language.startswith("zh") else self.en


class _Missing(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


class InsufficientFunds(LedgerError):
    """`shortfall` is what the account lacks."""

    code = "insufficient_funds"
    zh = "余额不足，还差 {shortfall}"
    en = "Not enough funds, {shortfall} short."

    @property
    def shortfall(self) -> int:
        return int(self.detail.get("shortfall", 0))


class KeyReused(LedgerError):
    """The idempotency key belongs to an entry with another body."""

    code = "key_reused"
    zh = "重复的业务编号，内容却不同"
    en = "This key was already used for something else."


class BadLines(LedgerError):
    code = "bad_lines"
    zh = "分录不合规则：至少两行，账户不重复，金额为非零整数"
    en = "Bad lines: two or more, one per account, non-zero integers."


class Unbalanced(LedgerError):
    code = "unbalanced"
    zh = "分录借贷不平"
    en = "The lines do not sum to zero."


class MixedCurrencies(LedgerError):
    code = "mixed_currencies"
    zh = "房卡不能与其他币种记在同一笔"
    en = "Cards never share an entry with another currency."


class AccountFrozen(LedgerError):
    code = "account_frozen"
    zh = "账户已冻结"
    en = "The account is frozen."


class UnknownCurrency(LedgerError):
    code = "unknown_currency"
    zh = "未知币种 {currency}"
    en = "Unknown currency {currency}."


class UnknownAccount(LedgerError):
    code = "unknown_account"
    zh = "没有这个账户"
    en = "No such account."


class BadAccount(LedgerError):
    code = "bad_account"
    zh = "账户类型、名称或归属不合规则"
    en = "No account can be of this kind, name and owner."


class PlayerTransfer(LedgerError):
    code = "player_transfer"
    zh = "金币不能在玩家之间转让"
    en = "Coins cannot go from player to player."


class BadKind(LedgerError):
    code = "bad_kind"
    zh = "这类分录不能直接记账"
    en = "An entry of this kind cannot be posted directly."


class UnknownHold(LedgerError):
    code = "unknown_hold"
    zh = "没有这笔预留"
    en = "No such hold."


class HoldClosed(LedgerError):
    code = "hold_closed"
    zh = "这笔预留已经扣款或退回"
    en = "This hold was already captured or released."


class UnknownEntry(LedgerError):
    code = "unknown_entry"
    zh = "没有这笔分录"
    en = "No such entry."


class NotReversible(LedgerError):
    code = "not_reversible"
    zh = "这笔分录不能冲正（预留类用扣款或退回），或没有写明原因"
    en = "This entry cannot be reversed (holds are captured or released), or no reason was given."


class AlreadyReversed(LedgerError):
    code = "already_reversed"
    zh = "这笔分录已经冲正过"
    en = "This entry was already reversed."


class HandSettled(LedgerError):
    code = "hand_settled"
    zh = "这一局已经结算或作废"
    en = "This hand was already settled or voided."


class UnknownProposal(LedgerError):
    code = "unknown_proposal"
    zh = "没有这个申请"
    en = "No such proposal."


class AlreadyDecided(LedgerError):
    code = "already_decided"
    zh = "这个申请已经处理过"
    en = "This proposal was already decided."


class SecondAdmin(LedgerError):
    code = "second_admin"
    zh = "须由另一位管理员批准"
    en = "Another admin has to approve this."


class NoReason(LedgerError):
    code = "no_reason"
    zh = "请写明原因"
    en = "A reason is needed."


class Busy(LedgerError):
    """Deadlock or serialization failure: nothing is wrong with the movement, run the whole transaction again."""

    code = "busy"
    zh = "账本繁忙，请重试"
    en = "The ledger is busy, try again."


_BY_CODE: dict[str, type[LedgerError]] = {error.code: error for error in LedgerError.__subclasses__()}
_BY_CONSTRAINT: dict[str, type[LedgerError]] = {
    "entry_one_settlement": HandSettled,
    "entry_one_close": HoldClosed,
    "entry_one_reversal": AlreadyReversed,
    "account_not_below_zero": InsufficientFunds,
}
_RETRYABLE = {"40P01", "40001"}


def translate(error: BaseException) -> LedgerError | None:
    """The ledger's own error behind a database error (Django's or psycopg's), or None when it is something else."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    if not isinstance(cause, psycopg.Error):
        return None
    if cause.sqlstate in _RETRYABLE:
        return Busy(sqlstate=cause.sqlstate)
    if cause.sqlstate == "23505" or cause.sqlstate == "23514":
        known = _BY_CONSTRAINT.get(cause.diag.constraint_name or "")
        return known() if known else None
    if not (cause.sqlstate or "").startswith("LZ0"):
        return None
    return _BY_CODE[cause.diag.message_primary or ""](**json.loads(cause.diag.message_detail or "{}"))
