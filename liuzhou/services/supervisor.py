"""Keeping child processes alive: started, watched, restarted when they die, ended in order.

Our own instead of honcho's Manager: that one ends everybody when one child ends, knows no order of ending, and shares
the terminal's process group, so that Ctrl-C would reach the database before the pages that still use it."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from liuzhou.services.process import Mark

FIRST_DELAY, LONGEST_DELAY = 0.1, 5.0
STEADY_AFTER = 10.0  # a child that lived this long starts again with the first delay


class Flag:
    """Set once, by a signal handler too. Not threading.Event: its lock is not reentrant, and a signal that arrives in the
    moment in which wait() holds it would stop the process for ever."""

    def __init__(self) -> None:
        self._on = False

    def set(self) -> None:
        self._on = True

    def is_set(self) -> bool:
        return self._on


@dataclass
class Child:
    """One process to keep: how to start it, how to end it. Those with a higher `wave` end first."""

    name: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    stop_signal: signal.Signals = signal.SIGTERM
    patience: float = 15.0
    wave: int = 1
    process: "subprocess.Popen[bytes] | None" = None
    deaths: int = 0
    _since: float = 0.0
    _again_at: float = field(default=0.0)

    @property
    def mark(self) -> Mark | None:
        if self.process is None or self.process.poll() is not None:
            return None
        return Mark.of(self.process.pid)


class Supervisor:
    """Runs children until `stop` is set. `say(name, line)` prints; `changed()` is told when a pid is new."""

    def __init__(
        self, children: list[Child], *, say: Callable[[str, str], None], changed: Callable[[], None] = lambda: None
    ) -> None:
        self.children = children
        self.say = say
        self.changed = changed
        self.stop = Flag()

    def launch(self, child: Child) -> None:
        """Start the child and pass on what it writes."""
        child.process = child.start()
        child._since = time.monotonic()
        if child.process.stdout:
            threading.Thread(target=self._pass_on, args=(child.name, child.process.stdout), daemon=True).start()
        self.changed()

    def _pass_on(self, name: str, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(stream.readline, b""):
                self.say(name, line.decode(errors="replace").rstrip())

    def watch(self, seconds: float | None = None) -> None:
        """Look after the children, for so long or until `stop` is set."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self.stop.is_set() and (deadline is None or time.monotonic() < deadline):
            for child in self.children:
                self._look_after(child)
            time.sleep(0.05)

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is not None and child.process.poll() is not None:
            child.deaths = 1 if now - child._since > STEADY_AFTER else child.deaths + 1
            delay = min(FIRST_DELAY * 2 ** (child.deaths - 1), LONGEST_DELAY)
            self.say(
                child.name, f"{_ending(child.process.returncode)}，{delay:.1f} 秒后重启 / restarting in {delay:.1f} s"
            )
            _end_group(child.process.pid)
            child.process, child._again_at = None, now + delay
        if child.process is None and now >= child._again_at:
            try:
                self.launch(child)
            except OSError as error:
                child.deaths += 1
                child._again_at = now + LONGEST_DELAY
                self.say(child.name, f"无法启动 / cannot be started: {error}")

    def end(self, *, hurry: Flag | None = None) -> bool:
        """End all, wave by wave: each gets its signal and its time, then is killed. True when nobody had to be."""
        clean = True
        for wave in sorted({child.wave for child in self.children}, reverse=True):
            group = [child for child in self.children if child.wave == wave and child.process]
            for child in group:
                if child.process and child.process.poll() is None:
                    child.process.send_signal(child.stop_signal)
            started = time.monotonic()
            for child in group:
                clean &= self._await_end(child, started, hurry if wave else None)
        return clean

    def _await_end(self, child: Child, started: float, hurry: Flag | None) -> bool:
        assert child.process
        told = False
        while child.process.poll() is None:
            waited = time.monotonic() - started
            if waited > child.patience or (hurry and hurry.is_set()):
                self.say(child.name, "强制结束 / killed")
                _end_group(child.process.pid)
                child.process.wait()
                return False
            if waited > 2 and not told:
                told = True
                self.say(child.name, "等待结束 … / waiting for it to finish …")
            time.sleep(0.02)
        _end_group(child.process.pid)
        return True


def _ending(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"意外结束 / died ({signal.Signals(-code).name})"
    return f"意外结束 / ended unexpectedly (exit {code})"


def _end_group(pid: int) -> None:
    """Kill what is left of a session whose leader is gone (a worker's own children)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
