"""The operators' pages in Django admin: players, parameters, maintenance, notices, lockouts."""

from liuzhou.operations.admin import lockouts, notices, rooms, steering, trail, users

__all__ = ["lockouts", "notices", "rooms", "steering", "trail", "users"]
