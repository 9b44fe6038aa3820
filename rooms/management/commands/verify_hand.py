"""`manage.py verify_hand ID`: proves a finished hand's shuffle and settlement from what is stored of it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rooms.history import hand_record, verify
from rooms.models import Hand


class Command(BaseCommand):
    help = "Checks a finished hand: secret against commitment, seed, wall, and its settlement against the replay of its log."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("hand", type=int, metavar="ID", help="the hand's number")

    def handle(self, *args: Any, **options: Any) -> None:
        hand = Hand.objects.select_related("room").filter(pk=options["hand"]).first()
        if hand is None:
            raise CommandError(f"There is no hand {options['hand']}.")
        if hand.ended_at is None:
            raise CommandError(f"Hand {hand.pk} is not over: its secret is kept until it is.")
        record = hand_record(hand)
        self.stdout.write(f"hand {hand.pk}, room {hand.room.code}, no. {hand.number}: {hand.state}")
        self.stdout.write(
            f"commit {record['commit']}\nsecret {record['secret']}\nnonces {record['nonces']}\nseed   {record['seed']}"
        )
        wrong = verify(record)
        for problem in wrong:
            self.stdout.write(f"WRONG: {problem}")
        if wrong:
            raise SystemExit(1)
        self.stdout.write(
            f"{len(record['actions'])} actions replayed: the shuffle and the settlement are as committed."
        )
