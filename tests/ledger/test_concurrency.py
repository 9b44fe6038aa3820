"""Many at once: the bank's total stays, deadlocks are invisible, one key is one entry, and kill -9 loses nothing."""

import os
import random
import secrets
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from threading import Barrier, Event
from typing import TypeVar

import psutil
import psycopg
import pytest
from django.db import DatabaseError, connections, transaction
from django.db.migrations import RunSQL
from django.utils.module_loading import import_string

from ledger import errors, selectors, services
from ledger.audit import run_audit
from ledger.services import COIN, Line
from liuzhou.services.stack import Stack
from tests.ledger.conftest import as_login, key

pytestmark = pytest.mark.usefixtures("real_db")
Fund = Callable[..., int]
T = TypeVar("T")
TOTAL = """SELECT count(*), sum(balance), min(balance) FROM ledger.account WHERE id = ANY(%s)"""
TOTAL_BY_LINES = """SELECT coalesce(sum(l.amount), 0) FROM ledger.line l WHERE l.account_id = ANY(%s)"""


def in_threads(*works: Callable[[], T]) -> list[T]:
    """Run all at once, each with a database connection of its own; their results, or the first failure."""

    def run(work: Callable[[], T]) -> T:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(run, work) for work in works]]


def bank(size: int, each: int) -> list[int]:
    """Seats of different players, as a coin table would have them, each with the same amount."""
    name, mint = key("bank"), services.system("mint", COIN)
    seats = [services.seat(owner_ref=secrets.randbelow(10**14) + 1, name=name) for _ in range(size)]
    services.post(kind="issue", key=name, lines=[Line(mint, -each * size), *(Line(seat, each) for seat in seats)])
    return seats


def test_the_banks_total_is_constant_to_every_reader(app_url: str) -> None:
    seats, done = bank(6, 50), Event()

    def pay(seed: int) -> list[bool]:
        draw, plausible = random.Random(seed), []
        for _ in range(80):
            source, target = draw.sample(seats, 2)
            amount = draw.randint(1, 60)
            try:
                services.post(kind="transfer", key=key(), lines=[Line(source, -amount), Line(target, amount)])
            except errors.InsufficientFunds as error:
                plausible.append(0 < error.shortfall <= amount)
        return plausible

    def read() -> int:
        reads = 0
        with psycopg.connect(app_url, autocommit=True) as reader:
            while not done.is_set() or reads < 5:
                assert reader.execute(TOTAL, [seats]).fetchone()[:2] == (6, 300)  # type: ignore[index]
                assert reader.execute(TOTAL, [seats]).fetchone()[2] >= 0  # type: ignore[index]
                assert reader.execute(TOTAL_BY_LINES, [seats]).fetchone() == (300,)
                reads += 1
        return reads

    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read) for _ in range(2)]
        try:
            refused = [one for found in in_threads(*(lambda n=n: pay(n) for n in range(5))) for one in found]
        finally:
            done.set()
        assert all(future.result() >= 5 for future in reading)
    assert refused
    assert all(refused)
    assert sum(selectors.balance(seat) for seat in seats) == 300


@pytest.fixture
def impatient(superuser: psycopg.Connection) -> Iterator[None]:
    """Deadlocks are noticed after 20 ms instead of a second."""
    connections.close_all()
    superuser.execute("ALTER ROLE liuzhou_app SET deadlock_timeout = '20ms'")
    yield
    superuser.execute("ALTER ROLE liuzhou_app RESET deadlock_timeout")


def crossing(first: int, second: int, run: Callable[[Callable[[], None]], None]) -> int:
    """Two transactions take two accounts in opposite order and meet in the middle; how often their work was begun."""
    met, house, begun = Barrier(2), [services.system(name, COIN) for name in ("penalty", "grants")], []

    def pair(mine: int, other: int, pot: int) -> Callable[[], None]:
        keys, fresh = (key(), key()), [True]

        def work() -> None:
            begun.append(mine)
            move(keys[0], mine, pot)
            if fresh:
                fresh.clear()
                met.wait()  # each holds one account before either asks for the other's
            move(keys[1], other, pot)

        return work

    def move(name: str, seat: int, pot: int) -> None:
        services.post(kind="stand", key=name, lines=[Line(seat, -10), Line(pot, 10)])

    works = pair(first, second, house[0]), pair(second, first, house[1])
    in_threads(*(lambda work=work: run(work) for work in works))
    return len(begun)


def test_a_deadlock_is_run_again_and_never_called_lack_of_funds(impatient: None) -> None:
    first, second = bank(2, 20)  # just enough
    assert crossing(first, second, services.transact) > 2
    assert (selectors.balance(first), selectors.balance(second)) == (0, 0)


def test_in_the_callers_own_transaction_a_deadlock_is_busy(impatient: None) -> None:
    first, second = bank(2, 20)
    codes = []

    def run(work: Callable[[], None]) -> None:
        try:
            with transaction.atomic():
                work()
        except errors.Busy as error:
            codes.append(error.code)

    crossing(first, second, run)
    assert codes == ["busy"]
    assert selectors.balance(first) + selectors.balance(second) == 20


def test_one_key_is_one_entry_however_many_post_it(fund: Fund) -> None:
    wallet, penalty, name = fund(10), services.system("penalty", COIN), key()

    def post() -> services.Entry:
        return services.post(kind="penalty", key=name, lines=[Line(wallet, -10), Line(penalty, 10)])

    made = in_threads(*[post] * 6)
    assert len({entry.id for entry in made}) == 1
    assert sum(entry.created for entry in made) == 1
    assert selectors.balance(wallet) == 0


def outcomes(*works: Callable[[], object]) -> list[str]:
    """How each ended: ok, or the error's code."""

    def attempt(work: Callable[[], object]) -> str:
        try:
            work()
        except errors.LedgerError as error:
            return error.code
        return "ok"

    return sorted(in_threads(*(lambda work=work: attempt(work) for work in works)))


def test_a_hand_is_settled_once_whoever_races(fund: Fund) -> None:
    wallet, penalty, hand = fund(10), services.system("penalty", COIN), secrets.randbits(60)
    lines = [Line(wallet, -1), Line(penalty, 1)]
    kinds = ("settlement", "void", "settlement", "void")
    works = [lambda kind=kind: services.post(kind=kind, key=key(), lines=lines, hand=hand) for kind in kinds]
    assert outcomes(*works) == ["hand_settled"] * 3 + ["ok"]
    assert selectors.balance(wallet) == 9


def test_a_hold_is_closed_once_whoever_races(fund: Fund) -> None:
    wallet, sales = fund(10, "CARD"), services.system("card_sales", "CARD")
    held = services.hold(key=key(), account=wallet, amount=4).id
    capture = lambda: services.capture(key=key(), hold=held, to=sales)  # noqa: E731
    release = lambda: services.release(key=key(), hold=held)  # noqa: E731
    assert outcomes(capture, release, capture, release) == ["hold_closed"] * 3 + ["ok"]


def test_the_last_card_is_spent_once(fund: Fund) -> None:
    wallet, sales = fund(1, "CARD"), services.system("card_sales", "CARD")
    spend = lambda: services.post(kind="burn", key=key(), lines=[Line(wallet, -1), Line(sales, 1)])  # noqa: E731
    assert outcomes(*[spend] * 4) == ["insufficient_funds"] * 3 + ["ok"]


def test_an_account_is_opened_once(fund: Fund) -> None:
    owner = secrets.randbelow(10**14) + 1
    opened = in_threads(*[lambda: services.wallet(owner_ref=owner, currency=COIN)] * 6)
    assert len(set(opened)) == 1


@pytest.fixture
def server() -> Iterator[Stack]:
    """A PostgreSQL of its own that survives a crash, with the ledger in it."""
    directory = Path(tempfile.mkdtemp(prefix="liuzhou-ledger-"))
    directory.chmod(0o711)
    stack = Stack(directory, valkey=False)
    try:
        with psycopg.connect(stack.up()["DATABASE_OWNER_URL"]) as owner:
            for name in ("0001_initial", "0002_seals", "0003_audit"):
                for operation in import_string(f"ledger.migrations.{name}.Migration").operations:
                    if isinstance(operation, RunSQL):
                        owner.execute(operation.sql)
        yield stack
    finally:
        stack.down()
        shutil.rmtree(directory, ignore_errors=True)


def kill_9(stack: Stack) -> None:
    """The postmaster and everything it started, at once."""
    postmaster = psutil.Process(stack.running()["postgres"].pid)
    family = [postmaster, *postmaster.children(recursive=True)]
    for process in family:
        os.kill(process.pid, signal.SIGKILL)
    psutil.wait_procs(family)
    stack.processes["postgres"].wait()


def test_kill_9_of_postgresql_loses_nothing_that_was_acknowledged(server: Stack) -> None:
    url = server.urls()["DATABASE_URL"]
    restarted, acknowledged = Event(), Queue[tuple[str, services.Entry]]()
    with as_login(url):
        seats = bank(4, 10_000)

    def post(name: str, seed: int) -> services.Entry:
        source, target = random.Random(seed).sample(seats, 2)
        return services.post(kind="transfer", key=name, lines=[Line(source, -1), Line(target, 1)])

    def work(number: int) -> list[tuple[str, int, bool]]:
        """Post until the server was killed, once more each that failed, then a few more: (key, seed, was repeated)."""
        mine: list[tuple[str, int, bool]] = []
        with as_login(url):
            while not restarted.is_set() or len(mine) < 20:
                name, seed = f"kill:{number}:{len(mine)}", number * 1_000_000 + len(mine)
                repeated = False
                try:
                    entry = post(name, seed)
                except DatabaseError:
                    assert restarted.wait(60)
                    connections["default"].close()
                    entry, repeated = post(name, seed), True
                acknowledged.put((name, entry))
                mine.append((name, seed, repeated))
        return mine

    with ThreadPoolExecutor(4) as pool:
        working: list[Future[list[tuple[str, int, bool]]]] = [pool.submit(work, number) for number in range(4)]
        seen = [acknowledged.get(timeout=30) for _ in range(150)]
        kill_9(server)
        server.up()
        restarted.set()
        posted = [one for future in working for one in future.result(timeout=120)]
    while not acknowledged.empty():
        seen.append(acknowledged.get())
    assert any(repeated for _, _, repeated in posted)
    with as_login(url):
        ids = {name: entry.id for name, entry in seen}
        for name, seed, _ in posted:
            assert post(name, seed) == (ids[name], False)
        assert sum(selectors.balance(seat) for seat in seats) == 40_000
        found = run_audit()
        assert [str(difference) for difference in found.differences] == []
        assert found.counts["entries"] == len(posted) + 1
