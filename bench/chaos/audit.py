"""What must hold after every fault and at the end: the players' evidence, the log, settlements, scores and views agree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from django.core.management import get_commands
from django.db import connection, transaction

from bench.chaos.players import ChaosPlayer, Evidence
from bench.chaos.site import BASE
from ledger import selectors
from rooms import fold as folds
from rooms import records
from rooms.fold import Fold, Row
from rooms.frames import ask_name
from rooms.history import hand_record, verify
from rooms.models import Action, Hand, Room, Seat

CLOSED_BY = {"void": Hand.State.VOID, "escape": Hand.State.VOID, "dissolve": Hand.State.DISSOLVED}
# How many hands run and wait, by the room's status.
OPEN_HANDS = {"playing": (1, 0), "waiting": (0, 1), "between": (0, 1), "done": (0, 0), "dissolved": (0, 0)}


def replayed(hand: Hand) -> list[tuple[Row | None, Fold]]:
    """Each row of the log with the hand after it; first the hand before its first row."""
    steps: list[tuple[Row | None, Fold]] = [(None, folds.begin(records.setup_of(hand)))]
    for row in records.log_of(hand.pk):
        steps.append((row, folds.step(steps[-1][1], row)[0]))
    return steps


class Audit:
    """Checks over the rooms of one run; `wrong` collects what does not hold. A closed hand is replayed once only."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.wrong: list[str] = []
        self.hands = 0
        self.lateness: list[tuple[float, float]] = []  # of the clock's answers, and when each was given (s)
        self._done: set[int] = set()

    # -- everything ------------------------------------------------------------------------------------------------------

    def all(self, rooms: Iterable[int]) -> None:
        ids = list(rooms)
        acked = set(self.evidence.acked)  # as of now: the tables are played on while we read
        hands = list(Hand.objects.filter(room__in=ids).exclude(started_at=None).select_related("room").order_by("pk"))
        self.hands = len(hands)
        for hand in hands:
            if hand.pk not in self._done:
                self._hand(hand)
        for pk in ids:
            self._room(pk)
        self._evidence([hand.pk for hand in hands], acked)

    def _say(self, text: str) -> None:
        if text not in self.wrong:
            self.wrong.append(text)

    # -- hands -----------------------------------------------------------------------------------------------------------

    def _hand(self, hand: Hand) -> None:
        try:
            steps = replayed(hand)
        except Exception as error:  # noqa: BLE001 - whatever the log does, it is a finding
            self._say(f"hand {hand.pk}: the log cannot be replayed: {error!r}")
            return
        hand.refresh_from_db()  # rows may have come in meanwhile; what follows looks at what both have
        rows = [row for row, _ in steps if row]
        last = steps[-1][1]
        if [row.seq for row in rows] != list(range(1, len(rows) + 1)):
            self._say(f"hand {hand.pk}: its log has a gap")
        if hand.state == Hand.State.RUNNING:
            if last.running and hand.seq == last.seq:
                self._resumable(hand, last)
            return
        if last.seq != hand.seq:
            return  # it ended while we read; looked at next time
        self._done.add(hand.pk)
        self._closed(hand, last)
        self._late(hand, steps)

    def _resumable(self, hand: Hand, last: Fold) -> None:
        deadline = last.deadline()
        if deadline is None or hand.deadline is None:
            self._say(f"hand {hand.pk}: runs without a deadline")
        elif abs(records.milliseconds(hand.deadline) - deadline) > 2:
            off = records.milliseconds(hand.deadline) - deadline
            self._say(f"hand {hand.pk}: its deadline column is {off} ms off the log's")

    def _closed(self, hand: Hand, last: Fold) -> None:
        for wrong in verify(hand_record(hand)):
            self._say(f"hand {hand.pk}: {wrong}")
        settled = hand.state == Hand.State.SETTLED
        if settled != (last.state.settlement is not None and not last.closed) or settled != bool(hand.settlement):
            self._say(f"hand {hand.pk}: is {hand.state}, its log says {last.closed or last.state.phase}")
        if not settled and CLOSED_BY.get(last.closed) != hand.state:
            self._say(f"hand {hand.pk}: is {hand.state}, its log was closed by {last.closed or 'nothing'}")
        for seat, frame in list(self.evidence.settled.get(hand.pk, [])):
            if frame["result"] != hand.settlement:
                self._say(f"hand {hand.pk}: seat {seat} was told another settlement")

    def _late(self, hand: Hand, steps: list[tuple[Row | None, Fold]]) -> None:
        """How long after its deadline the clock answered."""
        for (_, before), (row, _) in pairwise(steps):
            if row is None or row.origin not in (folds.CLOCK, folds.HOUSE) or row.seat < 0 or not folds.is_move(row):
                continue
            if (due := before.due(row.seat)) is not None:
                self.lateness.append(((row.at - due) / 1000, row.at / 1000))

    # -- rooms -----------------------------------------------------------------------------------------------------------

    def _room(self, pk: int) -> None:
        """One snapshot of the room: its hands, its scores and coins."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            room = Room.objects.get(pk=pk)
            seats = list(room.seats.order_by("index"))
            hands = list(room.hands.defer("secret"))
            held = {seat.pk: selectors.balance(seat.escrow) for seat in seats if seat.escrow}
        states = Counter(hand.state for hand in hands)
        if states["settled"] != room.hands_played:
            self._say(f"room {pk}: {room.hands_played} hands played, {states['settled']} settled")
        if (states["running"], states["pending"]) != OPEN_HANDS[room.status]:
            self._say(f"room {pk}: is {room.status} with hands {dict(states)}")
        if room.stake:
            self._coins(room, seats, held)
            return
        sums = [0] * len(seats)
        for hand in hands:
            if hand.settlement:
                sums = [a + b for a, b in zip(sums, hand.settlement["score"], strict=True)]
        if sums != [seat.score for seat in seats]:
            self._say(f"room {pk}: scores {[seat.score for seat in seats]}, its settlements sum to {sums}")

    def _coins(self, room: Room, seats: list[Seat], held: dict[int, int]) -> None:
        for seat in seats:
            if room.is_open and held.get(seat.pk) != seat.coins:
                self._say(f"room {room.pk} seat {seat.index}: shows {seat.coins} coins, holds {held.get(seat.pk)}")
            if not room.is_open and seat.escrow:
                self._say(f"room {room.pk} seat {seat.index}: closed with coins still at the table")

    # -- the players' evidence -------------------------------------------------------------------------------------------

    def _evidence(self, hands: list[int], acked: set[tuple[int, str]]) -> None:
        refs = Counter(Action.objects.filter(hand__in=hands).exclude(ref="").values_list("hand_id", "ref"))
        for key, count in refs.items():
            if count > 1:
                self._say(f"one command, {count} effects: {key}")
        for key in acked - set(refs):
            self._say(f"acknowledged but not in the log: {key}")
        idents = Counter(ref for _, ref in refs)
        for ident, count in idents.items():
            if count > 1:
                self._say(f"one command had an effect in {count} hands: {ident}")
            if ident in self.evidence.poison:
                self._say(f"a frame that must have no effect had one: {ident}")
        for pair in list(self.evidence.pairs):
            if all(ident in idents for ident in pair):
                self._say(f"two clicks, two effects: {pair}")
        for text in list(self.evidence.wrong):
            self._say(text)

    def views(self, players: Iterable[ChaosPlayer]) -> None:
        """Each client's view, by events alone, against the server's fold at the same number; its question too."""
        for player in players:
            hand_id, seq, seat = player.hand, player.seq, player.seat
            view = json.dumps(player.view, sort_keys=True)
            question = player.question
            hand = Hand.objects.filter(pk=hand_id).first()
            if hand is None or player.view is None:
                continue
            there = [fold for _, fold in replayed(hand) if fold.seen[seat] == seq]
            if not there:
                self._say(f"hand {hand_id} seat {seat}: has seen {seq} events, the log never had so many")
            elif all(json.dumps(fold.view(seat), sort_keys=True) != view for fold in there):
                self._say(f"hand {hand_id} seat {seat}: its view after {seq} events is not the server's")
            asked = {ask_name(fold, fold.asks[seat]) for fold in there if fold.asks[seat] is not None}
            if question is not None and asked and question.get("seq", -1) == seq and question["ask"] not in asked:
                self._say(f"hand {hand_id} seat {seat}: was asked {question['ask']}, the log asks {asked}")

    def ledger(self, environment: dict[str, str]) -> None:
        """`manage.py audit_ledger` on the site's own database."""
        if "audit_ledger" not in get_commands():
            return
        command = [sys.executable, "manage.py", "audit_ledger", "--quiet"]
        done = subprocess.run(command, cwd=BASE, env=environment, capture_output=True, text=True, timeout=60)
        if done.returncode:
            self._say(f"audit_ledger: {(done.stdout + done.stderr).strip()[-600:]}")
