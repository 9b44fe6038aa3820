"""Days as the players count them: by the calendar of Asia/Shanghai, read off the database's clock."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import connection

SHANGHAI = ZoneInfo("Asia/Shanghai")


def database_now() -> datetime:
    """The database's clock: one for all processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def day_of(now: datetime) -> date:
    """The day in Shanghai at that moment."""
    return now.astimezone(SHANGHAI).date()


def start_of(day: date) -> datetime:
    """Midnight in Shanghai with which the day begins."""
    return datetime.combine(day, time(), SHANGHAI)


def week_of(day: date) -> date:
    """The Monday of the day's week."""
    return day - timedelta(days=day.weekday())
