"""Loaded by every process of the chaos site before anything else (its folder leads PYTHONPATH), never by the product.

The wall clock of a process is moved by the seconds written in the file `CHAOS_CLOCK` names; the monotonic clock is not.
And the process ends with the harness, in whatever way that ends.
"""

import ctypes
import datetime
import os
import signal
import time

_real_time, _real_ns, _real_datetime = time.time, time.time_ns, datetime.datetime
_file = os.environ.get("CHAOS_CLOCK", "")
_read_at, _shift = -1.0, 0.0
PR_SET_PDEATHSIG = 1


def shift() -> float:
    """By how much the clock is moved now (s); the file is read again ten times a second."""
    global _read_at, _shift
    now = time.monotonic()
    if now - _read_at > 0.1:
        _read_at = now
        try:
            with open(_file) as file:
                _shift = float(file.read() or 0)
        except (OSError, ValueError):
            _shift = 0.0
    return _shift


class _Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_datetime)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_datetime)


class _Datetime(_real_datetime, metaclass=_Meta):
    """datetime whose now() follows the moved clock; what it returns is a plain datetime."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return _real_datetime.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> datetime.datetime:
        return _real_datetime.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> datetime.datetime:
        return cls.now()


if _file:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    time.time = lambda: _real_time() + shift()
    time.time_ns = lambda: _real_ns() + int(shift() * 1e9)
    datetime.datetime = _Datetime  # type: ignore[misc]
