"""One suit at a time: what a packed suit completes, how few wilds it needs, which ranks improve it.

A suit is packed three bits per rank, rank r at bit 3·(r−1). Three tables, all keyed by the packed suit:

- `COMPLETE_RUNS`/`COMPLETE_HONORS`: 1 for sets alone, 2 for sets and a pair; built at import, absent otherwise.
- `NEED_RUNS`/`NEED_SETS`: the fewest wilds that make it sets alone, in the low five bits (6 and more are all 6), plus
  `PAIRED` when sets *and a pair* need one wild less. (The two numbers differ by −1 or +2, since a set has three tiles.)
- `WAIT_RUNS`/`WAIT_SETS`: for every budget of wilds, the ranks that bring the suit within it.

The last two fill on demand. A miss costs one walk over a small automaton whose states are "costs so far, by the runs
still open", so nothing is ever searched and no assignment of wilds enumerated.
"""

from functools import cache

FULL = 6  # more wilds than any hand holds: costs stop counting here
PAIRED = 32
NEED_MASK = 31
BUDGETS = 6  # budgets of wilds 0–5 in a wait row: four wilds, and one for the pair
ODD = 0o111111111  # the low bit of every rank
FOURS = 0o444444444
RANK_BITS = tuple(1 << 3 * r for r in range(9))

Costs = tuple[int, ...]


def _complete(sets: list[int], ranks: int) -> dict[int, int]:
    """All packed suits of up to four sets, with and without a pair, no rank above four."""
    level = {0}
    found = {0}
    for _ in range(4):
        level = {v + s for v in level for s in sets if _within_four(v + s)}
        found |= level
    table = dict.fromkeys(found, 1)
    pairs = [2 << 3 * r for r in range(ranks)]
    table.update(dict.fromkeys((v + p for v in found for p in pairs if _within_four(v + p)), 2))
    return table


def _within_four(v: int) -> bool:
    # four plus a set or a pair is at most seven, so no rank ever overflows into the next
    return not (v >> 2 & (v | v >> 1) & ODD)


_TRIPLETS = [3 << 3 * r for r in range(9)]
_RUNS = [0o111 << 3 * r for r in range(7)]
COMPLETE_RUNS: dict[int, int] = _complete(_TRIPLETS + _RUNS, 9)
COMPLETE_HONORS: dict[int, int] = _complete(_TRIPLETS[:7], 7)


@cache
def _step(costs: Costs, count: int, runs: bool) -> Costs:
    """Costs after one more rank that holds `count` tiles.

    `costs[9·pair + 3·a + b]` is the fewest wilds so far when `a` runs end at this rank and `b` run through it.
    Three equal runs are three triplets, so at most two need be open.
    """
    out = [FULL] * 18
    for at, cost in enumerate(costs):
        if cost == FULL:
            continue
        pair, a, b = at // 9, at // 3 % 3, at % 3
        for start in range(3 if runs else 1):
            for new_pair in range(1 if pair else 2):
                spare = count - a - b - start - 2 * new_pair
                wilds = -spare if spare <= 0 else -spare % 3  # what triplets leave open
                to = 9 * (pair + new_pair) + 3 * b + start
                out[to] = min(out[to], cost + wilds)
    return tuple(out)


_START: Costs = (0, *[FULL] * 17)


def _need(v: int, runs: bool) -> int:
    costs = _START
    for _ in range(9):
        costs = _step(costs, v & 7, runs)
        v >>= 3
    return costs[0] | (PAIRED if costs[9] < costs[0] else 0)


class NeedTable(dict[int, int]):
    """Fewest wilds by packed suit, filled on demand; `runs` false knows triplets only."""

    def __init__(self, runs: bool) -> None:
        super().__init__()
        self.runs = runs

    def __missing__(self, v: int) -> int:
        need = self[v] = _need(v, self.runs)
        return need


NEED_RUNS = NeedTable(True)
NEED_SETS = NeedTable(False)

WaitRow = tuple[int, ...]


class WaitTable(dict[int, WaitRow]):
    """For each packed suit: masks of ranks (bit r−1) whose addition leaves a need within a budget.

    Row: [0–5] needs at most that many for sets; [6–11] the same, and is `PAIRED` then; [12] ranks held fewer than four
    times; [13] ranks held once or three times.
    """

    def __init__(self, needs: NeedTable, ranks: int) -> None:
        super().__init__()
        self.needs = needs
        self.ranks = ranks

    def __missing__(self, v: int) -> WaitRow:
        row = [0] * (2 * BUDGETS + 2)
        for r in range(self.ranks):
            count = v >> 3 * r & 7
            if count >= 4:
                continue
            code = self.needs[v + RANK_BITS[r]]
            for budget in range(code & NEED_MASK, BUDGETS):
                row[budget] |= 1 << r
                if code & PAIRED:
                    row[BUDGETS + budget] |= 1 << r
            row[2 * BUDGETS] |= 1 << r
            row[2 * BUDGETS + 1] |= (count & 1) << r
        built = self[v] = tuple(row)
        return built


WAIT_RUNS = WaitTable(NEED_RUNS, 9)
WAIT_SETS = WaitTable(NEED_SETS, 7)
