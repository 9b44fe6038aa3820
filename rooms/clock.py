"""How long a question may stay open (RULES 7.2, DESIGN 5.5). Pure: time is an argument, all in milliseconds."""

from __future__ import annotations

PACES = {"fast": 0.6, "normal": 1.0, "slow": 2.0}
TURN_MS = 15_000
CLAIM_MS = 8_000
FISH_MS = 10_000
AUTO_MS = 1_000
AWAY_MS = 5_000
RESERVE_MS = 30_000  # per seat and hand, for its own turns; a bank spent on claims would show that one was asked
GRACE_MS = 120_000  # the most that a restart gives back
BOT_MS = 900
BETWEEN_MS = 20_000
DISSOLVE_MS = 60_000


def allowance(phase: str, *, auto: bool, bot: bool, away: bool, pace: str) -> int:
    """Milliseconds that a seat gets to answer: a bot and a 托管 seat act after about a second, an absent one after five.

    The ten seconds of fishing are a rule (RULES 7.2), so the pace does not change them.
    """
    if bot:
        return BOT_MS
    if auto:
        return AUTO_MS
    if away:
        return AWAY_MS
    if phase == "fish":
        return FISH_MS
    return int((TURN_MS if phase == "turn" else CLAIM_MS) * PACES[pace])
