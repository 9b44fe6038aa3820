"""`make bench`: every benchmark under bench/, one after the other."""

import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent


def benchmarks() -> "list[str]":
    """Those that run by themselves: `ledger_hordak` is a piece of `ledger`, which starts it."""
    names = sorted(path.stem for path in (BASE / "bench").glob("*.py") if not path.stem.startswith("_"))
    return [name for name in names if not any(name.startswith(f"{other}_") for other in names)]


def main() -> int:
    status = 0
    for name in benchmarks():
        print(f"== bench.{name}", flush=True)
        status |= subprocess.call([sys.executable, "-m", f"bench.{name}"], cwd=BASE) != 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
