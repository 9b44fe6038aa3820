"""manage.py ledger_seals: seal now, and give the seals away as JSON lines to be kept where nobody here can change them."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ledger import seals


class Command(BaseCommand):
    help = "The ledger's seals as JSON lines; keep them elsewhere, and compare later with audit_ledger --against."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--after", type=int, default=0, metavar="SEAL", help="only the seals after this one")
        parser.add_argument("--seal", action="store_true", help="seal what is committed first")

    def handle(self, *, after: int, seal: bool, **options: Any) -> None:
        if seal:
            seals.seal()
        for one in seals.exported(after=after):
            self.stdout.write(json.dumps(one))
