"""What an admin makes of a flag: kept for ever, with the evidence as it was."""

from __future__ import annotations

from django.db import transaction

from liuzhou.accounts.days import database_now, day_of
from liuzhou.accounts.models import User
from liuzhou.fairness.models import Decision, Flag

REASON_LENGTH = 500


class DecisionError(ValueError):
    """A decision that cannot be taken: `code` is no_reason, bad_verdict or decided_meanwhile."""

    MESSAGES = {
        "no_reason": ("请写明理由。", "Give a reason."),
        "bad_verdict": ("没有这种结论。", "There is no such verdict."),
        "decided_meanwhile": ("另一位管理员刚刚处理了这个疑点，请重新查看。", "Another admin has just decided it; look again."),
    }  # fmt: skip

    def __init__(self, code: str) -> None:
        self.code = code
        self.zh, self.en = self.MESSAGES[code]
        super().__init__(f"{self.zh} / {self.en}")

    def text(self, language: str) -> str:
        return self.zh if language.startswith("zh") else self.en


def decide(*, flag_id: int, verdict: str, reason: str, by: User, seen: int) -> Decision:
    """Decide a flag. `seen`: the number of decisions its page showed, so that nobody decides over another's head.

    From tomorrow on only new evidence counts for it."""
    reason = reason.strip()
    if verdict not in Flag.DECIDED:
        raise DecisionError("bad_verdict")
    if not reason:
        raise DecisionError("no_reason")
    with transaction.atomic():
        flag = Flag.objects.select_for_update().get(pk=flag_id)
        if flag.decisions.count() != seen:
            raise DecisionError("decided_meanwhile")
        now = database_now()
        decision = Decision.objects.create(
            flag=flag, verdict=verdict, reason=reason[:REASON_LENGTH], by=by, at=now, through=day_of(now),
            score=flag.score, hands=flag.hands, evidence=flag.evidence,
        )  # fmt: skip
        flag.state, flag.updated_at = verdict, now
        flag.save(update_fields=["state", "updated_at"])
    return decision
