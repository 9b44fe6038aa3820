"""What a player has lost at coin tables today, for the daily loss cap (accounts.limits)."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Sum

from liuzhou.accounts.days import day_of, start_of
from rooms.models import Played

MOST_HANDS = 1_500  # nobody ends more hands in a day


def lost_today(*, user_id: int, now: datetime) -> int:
    """Coins lost since midnight in Shanghai, gains subtracted, escapes counted; below zero for who has won.

    Hands are numbered as they are made, so the day's are among the player's latest: the rest is not looked at."""
    latest = Played.objects.filter(user_id=user_id).order_by("-hand_id").values("pk")[:MOST_HANDS]
    today = Played.objects.filter(pk__in=latest, hand__ended_at__gte=start_of(day_of(now)))
    return -(today.aggregate(sum=Sum("coins"))["sum"] or 0)
