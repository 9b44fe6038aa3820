"""钓鱼: which fish follow whom, what they earn, and what is turned after a win (RULES 7.2–7.4)."""

from collections.abc import Iterable, Sequence

from liuzhou.rules.options import Options

Transfer = tuple[int, int, int]  # payer, payee, points

# by honour 东南西北白发中: the number of seats past the dealer whom the tile follows
_HONOR_OFFSET = (0, 1, 2, 3, 2, 1, 0)
FOLLOWS: tuple[int, ...] = tuple((kind % 9) % 4 if kind < 27 else _HONOR_OFFSET[kind - 27] for kind in range(34))
BOMB_HONOR = 5


def flip_hits(options: Options, offset: int, flipped: Iterable[int]) -> int:
    """Hits among the turned tiles for a winner `offset` seats past the dealer."""
    if options.fish == "159":
        return sum(FOLLOWS[tile] == 0 for tile in flipped)
    if options.fish == "follow":
        row = 2 if options.players == 2 and offset == 1 else 3 if options.players == 3 and offset == 2 else offset
        return sum(FOLLOWS[tile] == row for tile in flipped)
    if options.fish == "bomb":
        return sum(tile % 9 + 1 if tile < 27 else BOMB_HONOR for tile in flipped)
    return 0


def pond_payments(transfers: Sequence[Transfer], ponds: Sequence[Sequence[int]], dealer: int) -> list[Transfer]:
    """What the fish of the pond earn and pay beside the hand's transfers; fish do not pay fish.

    A fish that follows the payee earns the same from the payer; one that follows the payer pays the same to the payee.
    """
    players = len(ponds)
    caught = [(owner, (dealer + FOLLOWS[tile]) % players) for owner, pond in enumerate(ponds) for tile in pond]
    lines: list[Transfer] = []
    for payer, payee, points in transfers:
        for owner, followed in caught:
            if followed == payee and owner != payer:
                lines.append((payer, owner, points))
            elif followed == payer and owner != payee:
                lines.append((owner, payee, points))
    return lines
