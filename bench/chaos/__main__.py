"""`python -m bench.chaos --seed n`: one line per fault, and at last `chaos seed n: F faults, H hands, V violations`."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.chaos.site import BASE, Site

TABLES = ("practice", "coins", "room", "room")
FINISH_SECONDS = 120


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.chaos", description="Faults at live tables.")
    parser.add_argument("--seed", type=int, default=1, help="decides faults, moments and players (default 1)")
    parser.add_argument("--full", action="store_true", help="10,000 connects and disconnects instead of 400")
    parser.add_argument("--only", default="", help="only the faults whose name contains this")
    parser.add_argument("--keep-log", action="store_true", help="keep the site's log although nothing was wrong")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="liuzhou-chaos-"))
    folder.chmod(0o711)  # the database's own user passes through
    log = BASE / "var" / f"chaos-{options.seed}.log"
    log.parent.mkdir(exist_ok=True)
    site = Site(folder, log)
    try:
        began = time.monotonic()
        site.start()
        os.environ.update({**site.environment, "LOG_LEVEL": "CRITICAL"})
        import django

        django.setup()
        wrong = asyncio.run(run(site, options, began))
    finally:
        site.end()
    if not wrong and not options.keep_log:
        log.unlink(missing_ok=True)
    return 1 if wrong else 0


async def run(site: Site, options: argparse.Namespace, began: float) -> int:
    from bench.chaos import races  # noqa: F401 - its faults enter FAULTS
    from bench.chaos.audit import Audit
    from bench.chaos.faults import FAULTS, Scene
    from bench.chaos.players import Evidence, Trap
    from bench.chaos.tables import Table, db

    rng = random.Random(options.seed)
    trap, evidence = Trap(), Evidence()
    audit = Audit(evidence)
    await site.up()
    tables = [Table(kind, trap, evidence, random.Random(rng.randrange(2**32))) for kind in TABLES]
    for table in tables:
        await table.open(list(site.urls.values()))
    say(f"{time.monotonic() - began:5.1f} s  the site is up, {len(tables)} tables")
    playing = [asyncio.create_task(table.run()) for table in tables]
    scene = Scene(site, tables, trap, evidence, rng, options.full)
    faults = [(name, fault) for name, fault in FAULTS.items() if options.only in name]
    rng.shuffle(faults)
    await asyncio.sleep(2)
    moments: list[tuple[float, str]] = []
    for name, fault in faults:
        moments.append((time.time(), name))
        note = await strike(scene, name, fault, playing, audit)
        await db(audit.all, [room for table in tables for room in table.rooms])
        await db(audit.views, [player for table in tables for player in table.seated()])
        say(f"{time.monotonic() - began:5.1f} s  {name}: {note}; {audit.hands} hands, {len(audit.wrong)} violations")
    await finish(tables, playing, audit)
    await db(audit.all, [room for table in tables for room in table.rooms])
    await asyncio.to_thread(audit.ledger, site.environment)
    report(audit, evidence, moments)
    say(f"chaos seed {options.seed}: {len(faults)} faults, {audit.hands} hands, {len(audit.wrong)} violations")
    return len(audit.wrong)


async def strike(scene: Any, name: str, fault: Any, playing: list[asyncio.Task[None]], audit: Any) -> str:
    """One fault, and the site up again."""
    try:
        async with asyncio.timeout(1_200 if scene.full else 90):
            note = await fault(scene)
            await scene.site.up()
            await asyncio.sleep(0.5)
    except TimeoutError:
        audit.wrong.append(f"{name}: the site did not get over it within 90 s")
        note = "timeout"
    for task in playing:
        if task.done():
            audit.wrong.append(f"{name}: a table broke down: {task.exception()!r}")
            playing.remove(task)
    audit.wrong.extend(scene.wrong)
    scene.wrong.clear()
    return str(note)


async def finish(tables: list[Any], playing: list[asyncio.Task[None]], audit: Any) -> None:
    """Nothing hangs: every table gets to the end of its room."""
    for table in tables:
        table.stop()
    done, late = await asyncio.wait(playing, timeout=FINISH_SECONDS)
    for task in done:
        if task.exception() is not None:
            audit.wrong.append(f"a table broke down: {task.exception()!r}")
    for task in late:
        task.cancel()
    for table in tables:
        if any(not player.finished for player in table.players):
            audit.wrong.append(
                f"a {table.kind} table ({sorted(table.rooms)[-1]}): not over {FINISH_SECONDS} s after the faults"
            )
    await asyncio.gather(*late, return_exceptions=True)


def report(audit: Any, evidence: Any, moments: list[tuple[float, str]]) -> None:
    late = sorted(audit.lateness)
    if late:
        p50, p99 = (late[int(len(late) * q)][0] for q in (0.5, 0.99))
        say(f"the clock answered {len(late)} times: p50 {p50:.2f} s, p99 {p99:.2f} s late")
        by_fault: dict[str, float] = {}
        for by, at in late:  # ascending, so the last one stays
            by_fault[next((name for t, name in reversed(moments) if t < at), "before")] = by
        for name, by in sorted(by_fault.items(), key=lambda item: -item[1])[:12]:
            say(f"    at most {by:4.1f} s late: {name}")
    say(f"{len(evidence.acked)} actions acknowledged, {evidence.reconnects} connections lost")
    for text in audit.wrong:
        say(f"✗ {text}")


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
