"""`make messages`: collect the texts for translation and compile the catalogues.

The compiled .mo files are committed, so that a clone needs no gettext; `--check` tells when one is older than its .po."""

import gettext
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
LOCALE = BASE / "locale"
IGNORED = [".venv/*", "var/*", "tests/*", "bench/*", "tools/*", "node_modules/*"]


def collect() -> int:
    if not shutil.which("xgettext"):
        print("✗ 需要 gettext / gettext is needed (Debian: apt-get install gettext)", file=sys.stderr)
        return 1
    ignore = [part for pattern in IGNORED for part in ("--ignore", pattern)]
    for domain in ("django", "djangojs"):
        manage = [sys.executable, "manage.py", "makemessages", "-l", "en", "-d", domain, "--no-wrap", "--no-location"]
        if status := subprocess.call([*manage, *ignore], cwd=BASE):
            return status
    for po in LOCALE.glob("*/LC_MESSAGES/*.po"):
        if status := subprocess.call(["msgfmt", "--check", "-o", str(po.with_suffix(".mo")), str(po)]):
            return status
        print(f"{po.relative_to(BASE)}: {len(_untranslated(po))} untranslated")
    return 0


def check() -> int:
    if not shutil.which("msgfmt"):
        print("msgfmt is missing: not compared")
        return 0
    stale = [po for po in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")) if not _fresh(po)]
    for po in stale:
        print(f"{po.relative_to(BASE)}: the .mo is older; run `make messages`")
    left = [(po, text) for po in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")) for text in _untranslated(po)]
    for po, text in left:
        print(f"{po.relative_to(BASE)}: untranslated: {text}")
    return 1 if stale or left else 0


def _untranslated(po: Path) -> "list[str]":
    """Texts without a translation, or with one that gettext only guessed."""
    lines = [
        line
        for kind in ("--untranslated", "--only-fuzzy")
        for line in subprocess.run(
            ["msgattrib", kind, "--no-obsolete", "--no-wrap", str(po)], capture_output=True, text=True
        ).stdout.splitlines()
    ]
    return [line[7:-1] for line in lines if line.startswith('msgid "') and line != 'msgid ""']


def _fresh(po: Path) -> bool:
    with tempfile.NamedTemporaryFile(suffix=".mo") as made:
        subprocess.run(["msgfmt", "-o", made.name, str(po)], check=True)
        return po.with_suffix(".mo").exists() and _texts(Path(made.name)) == _texts(po.with_suffix(".mo"))


def _texts(mo: Path) -> "dict[object, str]":
    with open(mo, "rb") as file:
        return gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else collect())
