"""A site to try things on: the one given, the one that runs here, or one started for the occasion and stopped after it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 180


@contextmanager
def running_site(url: str, say: Callable[[str], object]) -> Iterator[str]:
    """The address of a site that answers. A site started here keeps its files in a temporary folder and ends with it."""
    if url:
        yield url.rstrip("/")
        return
    here = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}"
    if answers(here):
        say(f"playing on {here}")
        yield here
        return
    with tempfile.TemporaryDirectory(prefix="liuzhou-") as folder, started_site(Path(folder), {}, say) as started:
        yield started


@contextmanager
def started_site(folder: Path, environment: dict[str, str], say: Callable[[str], object]) -> Iterator[str]:
    """`manage.py play` with its files under `folder` (made readable, for PostgreSQL runs as another user under root)."""
    folder.chmod(0o755)
    url = f"http://127.0.0.1:{free_port()}"
    env = {**os.environ, "LIUZHOU_VAR": str(folder), "PORT": url.rsplit(":", 1)[1], **environment}
    manage = Path(__file__).resolve().parent.parent / "manage.py"
    say(f"starting a site of its own at {url}")
    with open(folder / "site.log", "wb") as log:
        process = subprocess.Popen([sys.executable, str(manage), "play"], env=env, stdout=log, stderr=log)  # noqa: S603
        try:
            _wait(process, url, folder / "site.log")
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=90)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while not answers(url):
        if process.poll() is not None or time.monotonic() > until:
            raise OSError(f"the site did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.2)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url + "/readyz", timeout=3) as answer:  # noqa: S310 - http by construction
            return answer.status == 200
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
