"""See that there is a Chromium for the browser tests: found, installed (Debian, as root), or said to be missing."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ["chromium", "fonts-noto-cjk"]


def find() -> "str | None":
    """The browser on the path (CHROMIUM names another)."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def main() -> int:
    path = find()
    if path:
        print(f"==> 浏览器测试使用 / browser tests use {path}")
        return 0
    if os.environ.get("NO_BROWSER"):
        print("==> 跳过浏览器测试 / browser tests are SKIPPED: NO_BROWSER is set")
        return 0
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"==> 安装 Chromium / installing {' '.join(PACKAGES)} with apt-get", flush=True)
        if install():
            print(f"==> 浏览器测试使用 / browser tests use {find()}")
            return 0
    print("==> 跳过浏览器测试 / browser tests are SKIPPED: no chromium, chromium-browser or google-chrome on the path")
    return 0


def install() -> bool:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-y", "-qq", "-o", "Dpkg::Use-Pty=0", "--no-install-recommends"]
    quiet = {"env": env, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    subprocess.call(["apt-get", "update", "-qq"], **quiet)
    return subprocess.call(["apt-get", "install", *options, *PACKAGES], **quiet) == 0 and find() is not None


if __name__ == "__main__":
    sys.exit(main())
