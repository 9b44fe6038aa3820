"""django-hordak's side of bench/ledger.py; runs in an environment of its own, with django-hordak installed."""

import multiprocessing
import random
import sys
import time
from decimal import Decimal
from typing import Any

import dj_database_url
import django
from django.conf import settings


def configure(url: str) -> None:
    apps = ["django.contrib.contenttypes", "django.contrib.auth", "mptt", "djmoney", "hordak"]
    settings.configure(
        DATABASES={"default": dj_database_url.parse(url)},
        INSTALLED_APPS=apps,
        USE_TZ=True,
        DEFAULT_CURRENCY="EUR",
        CURRENCIES=("EUR",),
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        SECRET_KEY="bench",
    )
    django.setup()


def load(count: int) -> None:
    from django.core.management import call_command
    from hordak.models import Account

    call_command("migrate", verbosity=0)
    tree = [
        Account(name=f"a{n}", code=str(n), type="AS", currencies=["EUR"], lft=1, rght=2, tree_id=n, level=0)
        for n in range(1, count + 1)
    ]
    Account.objects.bulk_create(tree)


def client(way: str, seconds: float, start: Any, answer: Any) -> None:
    """`bare`: between objects held in memory, whatever is on them. `guarded`: what ledger.post promises as far as hordak goes:
    accounts named by number, locked in order, and no transfer of what is not there."""
    from django.db import connection, transaction
    from hordak.models import Account
    from moneyed import Money

    accounts = list(Account.objects.all())
    numbers = [account.pk for account in accounts]
    amount, funds = Money(Decimal(1), "EUR"), Money(Decimal(10**9), "EUR")

    def bare() -> None:
        source, target = random.sample(accounts, 2)
        with transaction.atomic():
            source.transfer_to(target, amount)

    def guarded() -> None:
        source, target = random.sample(numbers, 2)
        with transaction.atomic():
            both = Account.objects.select_for_update().filter(pk__in=(source, target)).order_by("pk")
            locked = {one.pk: one for one in both}
            if locked[source].get_simple_balance()["EUR"] + funds < amount:
                raise ValueError("no funds")
            locked[source].transfer_to(locked[target], amount)

    transfer = {"bare": bare, "guarded": guarded}[way]

    for _ in range(5):
        transfer()
    start.wait()
    done, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        transfer()
        done += 1
    connection.close()
    answer.put(done)


def run(way: str, seconds: float, clients: int) -> float:
    context = multiprocessing.get_context("fork")
    start, answer = context.Barrier(clients), context.Queue()
    processes = [context.Process(target=client, args=(way, seconds, start, answer)) for _ in range(clients)]
    for process in processes:
        process.start()
    total = sum(answer.get(timeout=seconds + 60) for _ in processes)
    for process in processes:
        process.join()
    return float(total / seconds)


if __name__ == "__main__":
    configure(sys.argv[1])
    if sys.argv[2] == "load":
        load(int(sys.argv[3]))
    else:
        print(run(sys.argv[3], float(sys.argv[4]), int(sys.argv[5])))
