"""manage.py fairness_rebuild: forget the sums and count every settled hand again. Flags, decisions and marks stay."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from liuzhou.fairness import intake, marks, rebuilding, weighing

BAR, REDRAW = 30, 0.1


class Bar:
    """A bar on stderr: redrawn in place in a terminal, a line per tenth elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.started, self.drawn, self.tenth = total, time.monotonic(), 0.0, 0
        self.terminal = sys.stderr.isatty()

    def show(self, done: int) -> None:
        share, now = min(1.0, done / self.total) if self.total else 1.0, time.monotonic()
        text = f"{share:4.0%}  {done:,}/{self.total:,}  {now - self.started:.1f} s"
        if self.terminal and (share >= 1 or now - self.drawn > REDRAW):
            self.drawn = now
            sys.stderr.write(f"\r{'█' * round(BAR * share):░<{BAR}} {text}" + ("\n" if share >= 1 else ""))
        elif not self.terminal and int(share * 10) > self.tenth:
            self.tenth = int(share * 10)
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


class Command(BaseCommand):
    help = "Forget the fairness desk's sums and count every settled hand again. Flags, decisions and marks stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def handle(self, *, quiet: bool, **options: Any) -> None:
        marks.note_sessions()
        total = rebuilding.forget_sums()
        bar, done = Bar(total), 0
        while done < total:
            count = intake.take()
            if count == 0:
                break
            if count is None:  # a worker is at it as well: what it counts is counted
                time.sleep(0.2)
            done = rebuilding.counted()
            if not quiet:
                bar.show(done)
        raised = weighing.weigh_all()
        progress = rebuilding.state()
        self.stdout.write(
            f"已统计 {progress.hands:,} 局，无法读取 {progress.problems:,} 局，新疑点 {raised:,} 个 / "
            f"{progress.hands:,} hands counted, {progress.problems:,} unreadable, {raised:,} flags raised"
        )
