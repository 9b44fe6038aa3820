"""What rooms do with the ledger: holding and paying room cards, taking coins to a table and back, settling a hand.

Called inside the transaction of the service that needs it; the ledger's locks come last (log row, hand, room, seats,
accounts). A refusal of the ledger becomes a `RoomError` and rolls the whole service back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ledger import selectors
from ledger import services as ledger
from ledger.errors import Busy, InsufficientFunds, LedgerError
from ledger.services import CARD, COIN, POINT, Line
from rooms.errors import RoomError
from rooms.models import Room, Seat

ESCAPE_COINS = 1  # × 底注 to each of the others (RULES 11.3)
ESCAPE_POINTS = 4  # × 底注


@contextmanager
def refusals() -> Iterator[None]:
    """The ledger's refusals in the player's words. Busy goes on as it is: the whole transaction is to be tried again."""
    try:
        yield
    except Busy:
        raise
    except InsufficientFunds as error:
        raise RoomError("no_funds", shortfall=error.shortfall) from error
    except LedgerError as error:
        raise RoomError.from_rules("ledger", error) from error


def share(room: Room) -> int:
    """The room cards a player must have set aside to sit here; AA pays ⌈price/n⌉ each."""
    if room.pay == Room.Pay.SPLIT:
        return -(-room.price // room.options["players"])
    return 0 if room.pay == Room.Pay.FREE else room.price


def hold_cards(room: Room, seat: Seat) -> None:
    """Set the seat's cards aside while its player sits; where the owner pays, only the owner's."""
    cards = share(room)
    if not cards or (room.pay == Room.Pay.OWNER and seat.user_id != room.owner_id):
        return
    with refusals():
        wallet = ledger.wallet(owner_ref=seat.user_id or 0, currency=CARD)
        entry = ledger.hold(
            key=f"cards:{seat.pk}", account=wallet, amount=cards, room=room.pk, reason=f"房间 {room.code}"
        )
    seat.hold = entry.id
    seat.save(update_fields=["hold"])


def release_cards(seat: Seat) -> None:
    """Give the seat's cards back."""
    if seat.hold is None:
        return
    with refusals():
        ledger.release(key=f"cards-back:{seat.pk}", hold=seat.hold, room=seat.room_id)
    seat.hold = None
    seat.save(update_fields=["hold"])


def pay_cards(seat: Seat, hand: int | None) -> None:
    """The seat's cards are spent."""
    if seat.hold is None:
        return
    with refusals():
        sold = ledger.system("card_sales", CARD)
        ledger.capture(key=f"cards-paid:{seat.pk}", hold=seat.hold, to=sold, room=seat.room_id, hand=hand)
    seat.hold = None
    seat.save(update_fields=["hold"])


def after_settlement(room: Room, seats: Sequence[Seat], hand: int) -> None:
    """Cards after a settled hand: captured with the first one; 大赢家 pays at the end of the room, the others nothing.

    `seats` carry the room's scores with this hand in them; equal scores: the earlier seat pays.
    """
    if room.pay == Room.Pay.WINNER:
        if room.hands_played >= room.hands_total:
            winner = max(seats, key=lambda seat: (seat.score, -seat.index))
            for seat in seats:
                if seat.pk == winner.pk:
                    pay_cards(seat, hand)
                else:
                    release_cards(seat)
    elif room.hands_played == 1:
        for seat in seats:
            pay_cards(seat, hand)


def coins_of(user_id: int) -> int:
    """The coins in the player's wallet (those at a table are not)."""
    return selectors.wallet_balances(owner_ref=user_id)[COIN]


def sit_down(room: Room, seat: Seat, coins: int) -> None:
    """Take the player's coins to the table: from now on they move between seats only."""
    with refusals():
        seat.escrow = ledger.seat(owner_ref=seat.user_id or 0, name=f"{room.pk}:{seat.pk}")
        wallet = ledger.wallet(owner_ref=seat.user_id or 0, currency=COIN)
        lines = [Line(wallet, -coins), Line(seat.escrow, coins)]
        ledger.post(kind="sit", key=f"sit:{seat.pk}", lines=lines, room=room.pk)
    seat.coins = coins
    seat.save(update_fields=["escrow", "coins"])


def stand_up(seat: Seat) -> None:
    """Bring what is left back to the wallet."""
    if seat.escrow is None:
        return
    with refusals():
        left = selectors.balance(seat.escrow)
        if left:
            wallet = ledger.wallet(owner_ref=seat.user_id or 0, currency=COIN)
            lines = [Line(seat.escrow, -left), Line(wallet, left)]
            ledger.post(kind="stand", key=f"stand:{seat.pk}", lines=lines, room=seat.room_id)
    seat.escrow = None
    seat.save(update_fields=["escrow"])


def settle_coins(room: Room, seats: Sequence[Seat], hand: int, coins: Sequence[int], nets: Sequence[int]) -> None:
    """One entry for the hand: coins from seat to seat as really moved, 积分 by the uncapped net (RULES 11.4)."""
    lines = [Line(seat.escrow or 0, amount) for seat, amount in zip(seats, coins, strict=True)]
    with refusals():
        for seat, net in zip(seats, nets, strict=True):
            lines.append(Line(ledger.wallet(owner_ref=seat.user_id or 0, currency=POINT), net))
        lines = [line for line in lines if line.amount]
        if lines:
            ledger.post(kind="settlement", key=f"hand:{hand}", lines=lines, hand=hand, room=room.pk)
    for seat, amount in zip(seats, coins, strict=True):
        seat.coins = (seat.coins or 0) + amount
        seat.save(update_fields=["coins"])


def escape(room: Room, seats: Sequence[Seat], escaper: Seat, hand: int) -> int:
    """逃跑 (RULES 11.3): 底注 × 1 to each of the others through the penalty account, which makes up what the escaper
    lacks; 积分 底注 × 4 beyond that. Returns the coins the escaper paid."""
    others = [seat for seat in seats if seat.pk != escaper.pk]
    due = room.stake * ESCAPE_COINS
    paid = min(escaper.coins or 0, due * len(others))
    house = ledger.system("penalty", COIN)
    lines = [Line(escaper.escrow or 0, -paid), Line(house, paid - due * len(others))]
    lines += [Line(seat.escrow or 0, due) for seat in others]
    points = room.stake * ESCAPE_POINTS
    with refusals():
        lines.append(Line(ledger.wallet(owner_ref=escaper.user_id or 0, currency=POINT), -points))
        lines.append(Line(ledger.system("penalty", POINT), points))
        lines = [line for line in lines if line.amount]
        ledger.post(kind="void", key=f"hand:{hand}", lines=lines, hand=hand, room=room.pk, reason="逃跑")
    for seat in others:
        seat.coins = (seat.coins or 0) + due
        seat.save(update_fields=["coins"])
    escaper.coins = (escaper.coins or 0) - paid
    escaper.save(update_fields=["coins"])
    return paid
