"""manage.py audit_ledger: recompute the ledger; exit 1 and the first differences when something is not as it must be."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ledger.audit import Report, run_audit
from ledger.audit.run import UnknownSeal

BAR = 30
REDRAW = 0.1  # seconds


class Progress:
    """A bar on stderr: redrawn in place in a terminal, a line per tenth elsewhere."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._terminal = bool(getattr(stream, "isatty", lambda: False)())
        self._started = self._drawn = monotonic()
        self._tenth = 0

    def __call__(self, done: int, total: int) -> None:
        share = done / total if total else 1.0
        now = monotonic()
        if self._terminal and (done >= total or now - self._drawn > REDRAW):
            self._drawn = now
            filled = "█" * round(BAR * share)
            self._stream.write(f"\r{filled:░<{BAR}} {share:4.0%}  {done:,}/{total:,}  {now - self._started:.1f} s")
            self._stream.write("\n" if done >= total else "")
        elif not self._terminal and int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            self._stream.write(f"{self._tenth * 10}% {done:,}/{total:,} {now - self._started:.1f} s\n")
        self._stream.flush()


class Command(BaseCommand):
    help = "Recompute the ledger's sums, balances, sequences, chains, seals and settlements. Exit code 1: differences."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since", type=int, default=0, metavar="SEAL", help="only what came after this seal")
        parser.add_argument("--json", action="store_true", help="the report as one JSON object")
        parser.add_argument("--against", type=Path, metavar="FILE", help="seals exported earlier by ledger_seals")
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def handle(self, *, since: int, json: bool, against: Path | None, quiet: bool, **options: Any) -> None:
        started = monotonic()
        known = _read_seals(against) if against else {}
        try:
            report = run_audit(since=since, known=known, progress=None if quiet else Progress(self.stderr._out))
        except UnknownSeal as error:
            raise CommandError(f"没有这个封签 / No such seal: {since}", returncode=2) from error
        self.stdout.write(_as_json(report) if json else _as_text(report, monotonic() - started))
        if not report.ok:
            sys.exit(1)


def _read_seals(file: Path) -> dict[int, str]:
    try:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {int(line["id"]): str(line["hash"]) for line in lines}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError(f"读不了封签文件 / Cannot read the seals: {error}", returncode=2) from error


def _as_json(report: Report) -> str:
    return json.dumps(report.as_json(), ensure_ascii=False)


def _as_text(report: Report, seconds: float) -> str:
    counts = report.counts
    text = [
        f"账户 {counts['accounts']:,} · 分录 {counts['entries']:,} · 明细 {counts['lines']:,} · 封签 {counts['seals']:,}"
        f" · 未封 {counts['unsealed']:,} · {seconds:.1f} s",
        *(
            f"  {'✗' if report.failed[name] else '✓'} {name} {report.failed[name] or ''}".rstrip()
            for name in report.checks
        ),
    ]
    if report.ok:
        return "\n".join([*text, "账本无误 / The ledger is as it must be."])
    text += [str(difference) for difference in report.differences]
    hidden = sum(report.failed.values()) - len(report.differences)
    if hidden:
        text.append(f"… 还有 {hidden:,} 处 / and {hidden:,} more")
    return "\n".join([*text, f"发现 {sum(report.failed.values()):,} 处不符 / differences found."])
