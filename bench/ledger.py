"""The ledger beside pgbench's TPC-B and django-hordak: the same server, the same run, the same number of connections.

    python bench/ledger.py [--seconds 4] [--rounds 3] [--clients 8] [--no-hordak] [--json] [--check]

A PostgreSQL of its own is started (durable, default settings) and thrown away. Ours goes the whole way of the platform,
`ledger.services.post` in one process per connection, hash chain and all checks included. Rows run in turn, round after
round; the median counts, because absolute numbers drift with the machine and ratios much less."""

import argparse
import json
import multiprocessing
import os
import random
import re
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

ACCOUNTS = 1_000
HORDAK = ("django-hordak==2.0.0", "Django==5.2.19", "psycopg[binary]==3.3.9", "dj-database-url==3.1.2")
HORDAK_PYTHON = ROOT / "var" / "bench-hordak" / "bin" / "python"
# (what, at least this many times, what)
GOALS = (
    ("transfer, 2 lines", 0.7, "pgbench TPC-B"),
    ("settlement, 4 lines", 0.5, "pgbench TPC-B"),
    ("transfer, 2 lines", 4.0, "django-hordak, guarded"),
    ("one hot account", 0.75, "pgbench, hot account"),
)


@contextmanager
def server() -> Iterator[dict[str, str]]:
    """A throw-away PostgreSQL with the ledger in it, and Django set up to use it as the application does."""
    from liuzhou.services.stack import Stack

    directory = Path(tempfile.mkdtemp(prefix="liuzhou-bench-"))
    directory.chmod(0o711)
    stack = Stack(directory, valkey=False)
    try:
        urls = stack.up()
        os.environ.update(
            urls, LIUZHOU_VAR=str(directory / "var"), SECRET_KEY="bench", REDIS_URL="redis://127.0.0.1:1/0"
        )
        os.environ["DJANGO_SETTINGS_MODULE"] = "liuzhou.settings"
        yield urls
    finally:
        stack.down()
        shutil.rmtree(directory, ignore_errors=True)


def load(urls: dict[str, str]) -> tuple[list[int], int]:
    """Migrate, open the accounts and put coins on them; (the accounts, the hot one)."""
    import django

    django.setup()
    import psycopg
    from django.core.management import call_command
    from django.db import connections

    from ledger import services
    from ledger.services import COIN, Line

    call_command("migrate", "ledger", database="owner", verbosity=0)
    mint = services.system("mint", COIN)
    seats = [services.seat(owner_ref=n, name="bench") for n in range(1, ACCOUNTS + 2)]
    for seat in seats:
        services.post(kind="issue", key=f"bench:{seat}", lines=[Line(mint, -(10**9)), Line(seat, 10**9)])
    connections.close_all()
    with psycopg.connect(urls["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return seats[:-1], seats[-1]


def poster(kind: str, accounts: list[int], hot: int) -> Callable[[], None]:
    """One post of this row, over the platform's own service."""
    from ledger import services
    from ledger.services import Line

    draw = random.Random(secrets.randbits(64))

    def transfer() -> None:
        source, target = draw.sample(accounts, 2)
        services.post(kind="transfer", key=secrets.token_hex(12), lines=[Line(source, -1), Line(target, 1)])

    def settle() -> None:
        lines = [Line(seat, amount) for seat, amount in zip(draw.sample(accounts, 4), (-3, 1, 1, 1), strict=True)]
        hand = draw.getrandbits(62)
        services.post(kind="settlement", key=f"hand:{hand}", lines=lines, hand=hand)

    def on_one() -> None:
        lines = [Line(hot, -1), Line(draw.choice(accounts), 1)]
        services.post(kind="transfer", key=secrets.token_hex(12), lines=lines)

    return {"transfer, 2 lines": transfer, "settlement, 4 lines": settle, "one hot account": on_one}[kind]


def client(kind: str, accounts: list[int], hot: int, seconds: float, start: Any, answer: Any) -> None:
    """A process with one connection: warm up, wait for the others, post until the time is over."""
    from django.db import connection

    post = poster(kind, accounts, hot)
    for _ in range(20):
        post()
    start.wait()
    times: list[float] = []
    end = (now := time.perf_counter()) + seconds
    while now < end:
        post()
        times.append((after := time.perf_counter()) - now)
        now = after
    connection.close()
    answer.put(times)


def ours(kind: str, accounts: list[int], hot: int, *, seconds: float, clients: int) -> tuple[float, list[float]]:
    """Posts per second of all clients together, and each post's seconds."""
    context = multiprocessing.get_context("fork")
    start, answer = context.Barrier(clients), context.Queue()
    arguments = (kind, accounts, hot, seconds, start, answer)
    processes = [context.Process(target=client, args=arguments) for _ in range(clients)]
    for process in processes:
        process.start()
    times = [one for _ in processes for one in answer.get(timeout=seconds + 60)]
    for process in processes:
        process.join()
    return len(times) / seconds, times


def pgbench(url: str, *options: str, seconds: float, clients: int) -> float:
    """Transactions per second of pgbench with prepared statements."""
    from liuzhou.services.postgres import binaries

    command = [
        binaries() / "pgbench",
        "-n",
        "-M",
        "prepared",
        "-c",
        str(clients),
        "-j",
        "2",
        "-T",
        str(round(seconds)),
        *options,
        url,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    assert found, done.stdout
    return float(found[1])


def prepare_tpcb(urls: dict[str, str], clients: int) -> str:
    """pgbench's own tables, scaled so that its branches are no bottleneck (at least as many as clients)."""
    import psycopg

    from liuzhou.services.postgres import binaries

    with psycopg.connect(urls["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute("CREATE DATABASE tpcb")
    url = urls["DATABASE_SUPERUSER_URL"].rsplit("/", 1)[0] + "/tpcb"
    scale = str(max(10, clients))
    subprocess.run([binaries() / "pgbench", "-i", "-q", "-s", scale, url], check=True, capture_output=True)
    return url


def pgbench_script(directory: Path, hot: int | None) -> Path:
    """A two-line transfer as pgbench writes it: among all accounts, or from the hot one."""
    accounts = "\\set b random(16, 1014)\n" + ("\\set a random(:b + 1, 1015)" if hot is None else f"\\set a {hot}")
    file = directory / ("transfer.sql" if hot is None else "hot.sql")
    file.write_text(
        f"{accounts}\n\\set r random(1, 9000000000000000)\n"
        "SELECT id, created FROM ledger.post('transfer', 'pgbench:' || :client_id || ':' || :r, "
        "ARRAY[:b, :a]::bigint[], ARRAY[1, -1]::bigint[], NULL, NULL, NULL, '');\n"
    )
    return file


def prepare_hordak(urls: dict[str, str]) -> str:
    """A virtual environment for django-hordak (made once, under var/), its database, its accounts."""
    import psycopg

    if not HORDAK_PYTHON.exists():
        say("installing django-hordak …")
        environment = HORDAK_PYTHON.parent.parent
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([HORDAK_PYTHON, "-m", "pip", "install", "-q", *HORDAK], check=True)
    with psycopg.connect(urls["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        connection.execute("CREATE DATABASE hordak")
    url = urls["DATABASE_SUPERUSER_URL"].rsplit("/", 1)[0] + "/hordak"
    hordak(url, "load", str(ACCOUNTS))
    return url


def hordak(url: str, *arguments: str) -> str:
    script = Path(__file__).parent / "ledger_hordak.py"
    command = [str(HORDAK_PYTHON), str(script), url, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rows(urls: dict[str, str], options: argparse.Namespace) -> dict[str, Callable[[], float]]:
    """What is measured, by name; each call is one round."""
    accounts, hot = load(urls)
    tpcb = prepare_tpcb(urls, options.clients)
    scripts = Path(os.environ["LIUZHOU_VAR"])
    scripts.mkdir(parents=True, exist_ok=True)
    shape = {"seconds": options.seconds, "clients": options.clients}
    app = urls["DATABASE_URL"]
    files = {
        "pgbench, same function": pgbench_script(scripts, None),
        "pgbench, hot account": pgbench_script(scripts, hot),
    }
    found: dict[str, Callable[[], float]] = {"pgbench TPC-B": lambda: pgbench(tpcb, **shape)}
    for kind in ("transfer, 2 lines", "settlement, 4 lines", "one hot account"):
        found[kind] = lambda kind=kind: ours(kind, accounts, hot, **shape)[0]
    for name, file in files.items():
        found[name] = lambda file=file: pgbench(app, "-f", str(file), **shape)
    if options.hordak:
        address = prepare_hordak(urls)
        for way in ("bare", "guarded"):
            arguments = ("run", way, str(options.seconds), str(options.clients))
            found[f"django-hordak, {way}"] = lambda arguments=arguments: float(hordak(address, *arguments))
    return found


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(options: argparse.Namespace) -> dict[str, list[float]]:
    results: dict[str, list[float]] = {}
    with server() as urls:
        say("PostgreSQL is up, loading …")
        todo = rows(urls, options)
        for number in range(options.rounds):
            for name, run in todo.items():
                results.setdefault(name, []).append(run())
                say(f"round {number + 1}/{options.rounds}  {name:<24}{results[name][-1]:>8,.0f}/s")
    return results


def judge(medians: dict[str, float]) -> list[tuple[str, float, float]]:
    """(the goal in words, the ratio there is, the ratio there should be)."""
    pairs = [goal for goal in GOALS if goal[0] in medians and goal[2] in medians]
    return [(f"{what} / {base}", medians[what] / medians[base], least) for what, least, base in pairs]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--no-hordak", dest="hordak", action="store_false")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 when a goal is missed")
    options = parser.parse_args()
    medians = {name: statistics.median(values) for name, values in measure(options).items()}
    goals = judge(medians)
    if options.json:
        print(
            json.dumps(
                {
                    "per_second": medians,
                    "goals": [dict(zip(("goal", "is", "least"), goal, strict=True)) for goal in goals],
                }
            )
        )
    else:
        print(f"{options.clients} connections, median of {options.rounds} × {options.seconds:g} s")
        for name, value in medians.items():
            print(f"  {name:<28}{value:>9,.0f}/s")
        for goal, ratio, least in goals:
            print(f"  {'✓' if ratio >= least else '✗'} {goal:<48}{ratio:6.2f}   goal {least:g}")
    return 1 if options.check and any(ratio < least for _, ratio, least in goals) else 0


if __name__ == "__main__":
    sys.exit(main())
