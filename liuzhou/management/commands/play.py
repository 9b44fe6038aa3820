"""`manage.py play`: everything that `make play` starts, in the foreground until Ctrl-C."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from liuzhou.services.play import Play
from liuzhou.services.process import ServiceError


class Command(BaseCommand):
    help = "Start PostgreSQL, Valkey, the pages, a worker and beat; stop them all with Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", default=os.environ.get("PORT") or "8000", help="port of the pages (PORT)")
        parser.add_argument("--host", default=os.environ.get("HOST") or "127.0.0.1", help="address to listen on (HOST)")

    def handle(self, *args: Any, port: str, host: str, **options: Any) -> None:
        if not port.isdecimal() or not 0 < int(port) < 65536:
            raise CommandError(f"PORT 应是 1–65535 的整数 / must be a number from 1 to 65535: {port}")
        names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
        try:
            run = Play(
                var=settings.VAR_DIR,
                host=host,
                port=int(port),
                answers_to=names[0] if names else "localhost",
                say=self._say,
            )
        except ServiceError as error:
            raise CommandError(str(error)) from error
        sys.exit(run.run())

    def _say(self, line: str) -> None:
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError:
            # The terminal is gone. What Python still holds for it must not fail again at the end of the process.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise
