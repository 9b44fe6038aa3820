"""`manage.py services up|down|status`: the embedded servers in the background, for development without `make play`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from liuzhou.services.process import ServiceError
from liuzhou.services.stack import Stack


class Command(BaseCommand):
    help = "Start, stop or show the embedded PostgreSQL and Valkey under var/."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["up", "down", "status"])

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            stack = Stack(settings.VAR_DIR)
            if action == "up":
                stack.up(self.stdout.write, keep=True)
            elif action == "down":
                stack.down(self.stdout.write)
            self._show(stack)
        except ServiceError as error:
            raise CommandError(str(error)) from error

    def _show(self, stack: Stack) -> None:
        alive = stack.running()
        for name in ("postgres", "valkey"):
            mark = alive.get(name)
            port = stack.port(name)
            self.stdout.write(f"{name}: " + (f"pid {mark.pid}, 127.0.0.1:{port}" if mark else "not running"))
