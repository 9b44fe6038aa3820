"""The ledger's audit through rooms: a settlement that no replay gives is found, an honest table is clean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from ledger.audit import Difference, Scope
from liuzhou.accounts.models import User
from rooms import audit, records, table
from rooms.models import Hand, Played
from tests.rooms.test_coin_tables import begin, players, seated
from tests.rooms.test_table import HOUR

__all__ = ["players"]


@pytest.fixture
def settled(players: list[User]) -> Hand:
    """A settled hand of a coin table in which something was won."""
    room = seated(players)
    while True:
        hand = begin(room, players)
        table.expire(hand.pk, records.database_now() + HOUR)
        hand.refresh_from_db()
        if any(hand.settlement["score"]):
            return hand


def found(hand: Hand) -> list[str]:
    return [difference.what for difference in differences() if difference.hand == hand.pk]


def differences() -> Iterator[Difference]:
    with transaction.atomic():  # as run_audit does: it streams
        return iter(list(audit.check(Scope())))


def test_an_honest_table_is_clean(settled: Hand) -> None:
    assert found(settled) == []


def test_a_settlement_that_no_replay_gives_is_found(settled: Hand) -> None:
    forged = {**settled.settlement, "score": [score * 2 for score in settled.settlement["score"]]}
    Hand.objects.filter(pk=settled.pk).update(settlement=forged)
    assert "replaying the log does not give the stored settlement" in found(settled)


def test_coins_that_were_told_otherwise_are_found(settled: Hand) -> None:
    loser = Played.objects.filter(hand=settled, coins__lt=0).first()
    Played.objects.filter(pk=loser.pk).update(coins=loser.coins - 1)
    assert found(settled) == [f"COIN of player {loser.user_id}"]


def test_a_settled_hand_without_an_entry_is_found(settled: Hand) -> None:
    copy = Hand.objects.get(pk=settled.pk)
    copy.pk, copy.number = None, 900
    copy.save()
    assert "a settled coin hand has no entry" in found(copy)


def test_a_changed_log_is_found(settled: Hand) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM rooms_action WHERE hand_id = %s AND seq = (SELECT max(seq) FROM rooms_action WHERE hand_id = %s)",
            [settled.pk, settled.pk],
        )
    assert any("replay" in what or "log" in what for what in found(settled))
