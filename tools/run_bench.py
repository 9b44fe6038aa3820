"""`make bench`: every benchmark under bench/, one after the other; `make chaos`: the faults, once there are any."""

import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent


def main() -> int:
    present = [path.stem for path in sorted((BASE / "bench").glob("*.py")) if not path.stem.startswith("_")]
    if sys.argv[1:] == ["chaos"]:
        present = [name for name in present if name == "chaos"]
        if not present:
            print(
                "make chaos: 故障演练随“牌桌故障”议题而来 / the faults come with the issue about faults at live tables"
            )
            return 0
    else:
        present = [name for name in present if name != "chaos"]
        if not present:
            print("make bench: bench/ 里还没有性能测试 / there are no benchmarks in bench/ yet")
    status = 0
    for name in present:
        print(f"== bench.{name}", flush=True)
        status |= subprocess.call([sys.executable, "-m", f"bench.{name}"], cwd=BASE) != 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
