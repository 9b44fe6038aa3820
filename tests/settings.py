"""The settings of the tests: the product's, on throw-away servers whose addresses are set before Django reads them.

A child process of a test inherits the addresses through the environment and uses the same servers."""

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from liuzhou.services.stack import Stack

BASE_DIR = Path(__file__).resolve().parent.parent


def _addresses() -> None:
    """Start PostgreSQL and Valkey (half a second) and point the environment at them."""
    directory = Path(tempfile.mkdtemp(prefix="liuzhou-test-"))
    directory.chmod(0o711)  # the database's own user passes through
    watch = subprocess.Popen(
        [sys.executable, "-m", "liuzhou.services.watch", str(directory)],
        cwd=BASE_DIR,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(watch.communicate)  # closes the pipe and waits for the servers' end
    os.environ.update(Stack(directory, durable=False).up())
    os.environ.update(LIUZHOU_TEST_SERVICES=str(os.getpid()), LIUZHOU_VAR=str(directory / "var"), SECRET_KEY="tests")
    for name in ("PRODUCTION", "DEBUG", "ALLOWED_HOSTS"):
        os.environ.pop(name, None)


if "LIUZHOU_TEST_SERVICES" not in os.environ:
    _addresses()

from liuzhou.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", "django.contrib.auth.hashers.Argon2PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405
AXES_ENABLED = False  # tests/operations/test_lockouts.py has it on
VALUES_SECONDS = None  # what admins changed is asked for only by the tests of that
