"""All static checks, each with its result on one line; everything is run even when something fails."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def manage(*arguments: str) -> "list[str]":
    return [sys.executable, "manage.py", *arguments]


def checks() -> "list[tuple[str, list[str], dict[str, str]]]":
    """Name, command, environment."""
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1"}
    production = {**nowhere, "PRODUCTION": "1", "SECRET_KEY": secrets.token_urlsafe(50), "ALLOWED_HOSTS": "example.com"}
    return [
        ("ruff", [str(BIN / "ruff"), "check", "."], {}),
        ("ruff format", [str(BIN / "ruff"), "format", "--check", "--quiet", "."], {}),
        ("mypy", [str(BIN / "mypy")], {}),
        ("import contracts", [str(BIN / "lint-imports")], {}),
        # The warning that no database answers is expected: the models are compared with the files only.
        (
            "migrations up to date",
            [sys.executable, "-W", "ignore", *manage("makemigrations", "--check", "--dry-run")[1:]],
            nowhere,
        ),
        ("deployment settings", manage("check", "--deploy", "--fail-level", "WARNING"), production),
        ("templates", [str(BIN / "djlint"), "templates", "--lint", "--quiet"], {}),
        ("translations", [sys.executable, "tools/messages.py", "--check"], {}),
        *javascript(),
    ]


def javascript() -> "list[tuple[str, list[str], dict[str, str]]]":
    tests = sorted(str(path) for path in (BASE / "tests" / "js").glob("**/*.test.*js"))
    if not tests:
        return []
    if not shutil.which("node"):
        print("- JavaScript: 跳过 / SKIPPED, node is not on the path")
        return []
    return [("JavaScript", ["node", "--test", *tests], {})]


def main() -> int:
    failed = []
    for name, command, environment in checks():
        started = time.monotonic()
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "liuzhou.settings", **environment}
        done = subprocess.run(command, cwd=BASE, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        mark = "✗" if done.returncode else "✓"
        print(f"{mark} {name} ({time.monotonic() - started:.1f} s)", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    print("全部通过 / all checks passed" if not failed else f"未通过 / failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
