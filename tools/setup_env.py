"""Make .venv and install the pinned requirements, only when they have changed. Needs nothing but Python 3.11+.

python3 tools/setup_env.py requirements.txt | requirements-dev.txt"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
VENV = BASE / ".venv"
NEEDED = (3, 11)


def main() -> int:
    if sys.version_info < NEEDED:
        return use_newer_python()
    wanted = BASE / sys.argv[1]
    python = VENV / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not works(python) and not make_venv():
        return 1
    stamp = VENV / f".{wanted.stem}.installed"
    mark = fingerprint(wanted) + " " + version(python)
    if stamp.exists() and stamp.read_text() == mark:
        return 0
    print(f"==> 安装依赖 / installing {wanted.name} (第一次要几分钟 / a few minutes the first time)", flush=True)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r", str(wanted)]
    if not install(pip):
        print("✗ 依赖安装失败，请检查网络后重试 / installing failed, check the network and try again", file=sys.stderr)
        return 1
    with contextlib.suppress(PermissionError):  # somebody else's environment, which had everything
        stamp.write_text(mark)
    return 0


def install(pip: "list[str]") -> bool:
    """Run pip, show the name of each package as it comes; everything that pip said when it fails."""
    said = []
    with subprocess.Popen(pip, cwd=BASE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            said.append(line)
            if line.startswith("Collecting "):
                print(re.split(r"[^\w.-]", line.split()[1])[0], end=" ", flush=True)
            elif line.startswith("Installing collected"):
                print("\n    解包 / unpacking …", flush=True)
    if process.returncode:
        print("".join(said[-30:]), file=sys.stderr)
    return process.returncode == 0


def use_newer_python() -> int:
    """`python3` is too old: another one on the path may do."""
    for minor in range(20, NEEDED[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return subprocess.call([found, *sys.argv])
    have = ".".join(map(str, sys.version_info[:2]))
    print(f"✗ 需要 Python 3.11 或更新版本，现在是 / Python 3.11 or newer is needed, this is {have}", file=sys.stderr)
    return 1


def works(python: Path) -> bool:
    return python.exists() and subprocess.call([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL) == 0


def make_venv() -> bool:
    print("==> 建立虚拟环境 / creating .venv", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        print(
            "✗ 无法建立虚拟环境；在 Debian/Ubuntu 上先装 python3-venv / cannot create .venv; on Debian or Ubuntu install "
            "python3-venv first",
            file=sys.stderr,
        )
        return False
    return True


def fingerprint(wanted: Path) -> str:
    """Of the file and of those it includes with -r."""
    digest = hashlib.sha256()
    for path in [
        wanted,
        *(wanted.parent / line[3:].strip() for line in wanted.read_text().splitlines() if line[:3] == "-r "),
    ]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def version(python: Path) -> str:
    return subprocess.check_output([str(python), "--version"], text=True).strip()


if __name__ == "__main__":
    sys.exit(main())
