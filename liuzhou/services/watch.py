"""`python -m liuzhou.services.watch DIR`: wait until standard input ends, then stop and remove the servers under DIR.

The tests hold the other end of that pipe: their servers end with them, in whatever way they end (kill -9 too)."""

import shutil
import signal
import sys
from pathlib import Path

from liuzhou.services.stack import Stack


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe alone decides
    directory = Path(sys.argv[1])
    sys.stdin.buffer.read()
    Stack(directory, durable=False).down()
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
