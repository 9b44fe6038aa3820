"""The fairness desk tried on play whose honesty is known: the rules' bots, and a pair that feeds each other on purpose.

    python bench/fairness.py honest --groups 28 --hands 300   # how many flags does honest play raise? should be none
    python bench/fairness.py feeding --groups 10 --hands 300   # after how many hands is a colluding pair flagged?
    python bench/fairness.py rates --hands 4000                # what honest bots take per discard (expectation.PRIORS)

Bots play in hundreds of hands what people take months for; nothing here asks a database.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.fold import without_servers
from liuzhou.rules import bots, engine
from liuzhou.rules.actions import CHOW, DISCARD, KONG, PONG, WIN, Action
from liuzhou.rules.options import Options
from liuzhou.rules.state import State
from liuzhou.rules.view import view
from liuzhou.rules.wall import build

if TYPE_CHECKING:
    from liuzhou.fairness.judging import Finding

GIVES = {WIN: 3, KONG: 2, PONG: 1, CHOW: 1}


def helpful(state: State, seat: int, partner: int, dump: bool, rng: random.Random) -> Action | None:
    """The discard that the partner can do most with: what somebody does who knows the partner's hand. None: there is none.

    Without `dump` a win is not given away: the pair wants the others' points, not each other's."""
    best: list[Action] = []
    most = 0
    for action in engine.legal_actions(state, seat):
        if action.do != DISCARD:
            continue
        after, _ = engine.apply(state, action)
        offers = engine.legal_actions(after, partner) if after.phase == "claim" else ()
        worth = max((GIVES.get(offer.do, 0) for offer in offers if dump or offer.do != WIN), default=0)
        if worth > most:
            best, most = [], worth
        if worth == most and worth:
            best.append(action)
    return rng.choice(best) if best else None


def play(
    options: Options,
    names: Sequence[str],
    dealer: int,
    rng: random.Random,
    *,
    seed: bytes | None = None,
    feeding: Mapping[int, int] | None = None,
    share: float = 1.0,
    dump: bool = False,
) -> tuple[State, list[Action]]:
    """One hand of the named bots, and what they did. `feeding`: seat -> the seat it helps, in that share of its turns."""
    state, _ = engine.start(options, dealer, build(seed or rng.randbytes(32), options))
    done: list[Action] = []
    while state.phase != "over":
        seat = engine.deciders(state)[0]
        action = None
        if feeding and state.phase == "turn" and seat in feeding and rng.random() < share:
            action = helpful(state, seat, feeding[seat], dump, rng)
        if action is None:
            action = getattr(bots, names[seat])(view(state, seat), engine.legal_actions(state, seat), rng)
        state, _ = engine.apply(state, action)
        done.append(action)
    return state, done


# What sits at a table: everybody of one kind, or a mixture, down to players who never chow and discard at random.
MIXTURES = (
    ("greedy",) * 4,
    ("strong",) * 4,
    ("strong", "greedy", "strong", "greedy"),
    ("auto", "greedy", "greedy", "greedy"),
    ("auto", "auto", "greedy", "greedy"),
    ("strong", "greedy", "auto", "greedy"),
    ("auto", "auto", "auto", "greedy"),
)


class Group:
    """Four players who play on and on, changing seats every so many hands (0: never); and what the desk would find."""

    def __init__(self, names: Sequence[str], seed: int, *, reseat: int, preset: str = "classic", **how: Any) -> None:
        from liuzhou.fairness.facts import Own, Tally

        self.names, self.rng, self.reseat, self.how = names, random.Random(seed), reseat, how
        self.options = Options.parse(preset)
        self.order, self.dealer, self.hands = list(range(len(names))), 0, 0
        self.pairs: dict[tuple[int, int], Tally] = defaultdict(Tally)
        self.owns: dict[int, Own] = defaultdict(Own)

    def play(self, hands: int) -> None:
        from liuzhou.fairness.facts import facts_of

        for _ in range(hands):
            if self.reseat and self.hands % self.reseat == 0:
                self.rng.shuffle(self.order)
            how = dict(self.how)
            if how.get("feeding"):
                how["feeding"] = {
                    self.order.index(one): self.order.index(other) for one, other in how["feeding"].items()
                }
            names = [self.names[place] for place in self.order]
            state, _done = play(self.options, names, self.dealer, self.rng, **how)
            assert state.settlement is not None
            facts = facts_of(state, stake=1, coins=state.settlement.points)
            for pair, tally in facts.pairs.items():
                self.pairs[self.order[pair.taker], self.order[pair.feeder]].add(tally)
            for seat, own in enumerate(facts.seats):
                self.owns[self.order[seat]].add(own)
            self.dealer = state.settlement.next_dealer
            self.hands += 1

    def findings(self) -> Iterator[Finding]:
        """As `weighing` makes them, from these four alone."""
        from liuzhou.fairness import judging
        from liuzhou.fairness.expectation import Field, rates_of
        from liuzhou.fairness.facts import Tally

        table, site = f"{self.options.preset}:{self.options.players}", Tally()
        takers: dict[int, dict[str, Tally]] = defaultdict(lambda: {table: Tally()})
        feeders: dict[int, dict[str, Tally]] = defaultdict(lambda: {table: Tally()})
        for (taker, feeder), tally in self.pairs.items():
            for sums in (takers[taker][table], feeders[feeder][table], site):
                sums.add(tally)
        field = Field(
            {key: {table: tally} for key, tally in self.pairs.items()}, takers, feeders, {table: rates_of(table, site)}
        )
        for (taker, feeder), tally in self.pairs.items():
            expected = field.expected(taker, feeder)
            yield judging.feeding(taker, feeder, tally, expected)
            yield judging.dealing(taker, feeder, tally, expected)
            yield judging.coins(taker, feeder, tally, self.owns[taker].coins_won)
        for player, own in self.owns.items():
            others = [judging.strength(each) for other, each in self.owns.items() if other != player]
            yield judging.winning(player, own, judging.expected_wins({table: own}, sum(others) / len(others)))

    def flagged(self) -> list[Finding]:
        from liuzhou.fairness import judging

        limit = judging.threshold(0)
        return [finding for finding in self.findings() if finding.enough and finding.score >= limit]


def honest(job: tuple[int, int]) -> tuple[str, int, dict[str, float], list[Finding]]:
    """The highest score of each kind that an honest group ever reached, looked at every 50 hands, and its flags."""
    seed, hands = job
    names = MIXTURES[seed % len(MIXTURES)]
    group, most, flags = Group(names, seed, reseat=(0, 8)[seed // len(MIXTURES) % 2]), defaultdict(lambda: -99.0), []
    while group.hands < hands:
        group.play(50)
        for finding in group.findings():
            most[finding.kind] = max(most[finding.kind], finding.score)
        flags += group.flagged()
    return " ".join(names), group.hands, dict(most), flags


def colluding(job: tuple[int, int, float, bool]) -> tuple[int | None, str, int]:
    """After how many hands player 1's help for player 0 is flagged (None: not at all), as what, and how many flags there are
    besides in all those hands: of the innocent, or of the two in the other direction."""
    seed, hands, share, dump = job
    group = Group(("greedy",) * 4, seed, reseat=8, feeding={1: 0}, share=share, dump=dump)
    after, kinds, others = None, "", set()
    while group.hands < hands:
        group.play(10)
        found = group.flagged()
        others |= {
            (each.kind, each.one, each.other) for each in found if (each.one, each.other) not in {(0, 1), (0, None)}
        }
        if after is None and (mine := [finding for finding in found if (finding.one, finding.other) == (0, 1)]):
            after, kinds = group.hands, "/".join(finding.kind for finding in mine)
    return after, kinds, len(others)


def print_honest(groups: int, hands: int, jobs: int) -> int:
    flags, most, played = 0, defaultdict(lambda: -99.0), 0
    with ProcessPoolExecutor(jobs, initializer=without_servers) as pool:
        for names, count, scores, found in pool.map(honest, [(seed, hands) for seed in range(groups)]):
            print(
                f"  {names:<30}{count:>6} hands   "
                + "  ".join(f"{kind} {score:+.1f}" for kind, score in scores.items())
            )
            for finding in found:
                print(
                    f"    FLAG {finding.kind} {finding.one} < {finding.other}: {finding.score:.1f} {finding.evidence}"
                )
            flags, played = flags + len(found), played + count
            most.update({kind: max(most[kind], score) for kind, score in scores.items()})
    print(f"honest play: {groups} groups, {played:,} hands, {flags} flags; highest scores: "
          + ", ".join(f"{kind} {score:.1f}" for kind, score in most.items()))  # fmt: skip
    return 1 if flags else 0


def print_colluding(groups: int, hands: int, jobs: int) -> int:
    with ProcessPoolExecutor(jobs, initializer=without_servers) as pool:
        for share, dump in ((1.0, True), (1.0, False), (0.5, True), (0.5, False), (0.25, True)):
            found = list(pool.map(colluding, [(1000 + seed, hands, share, dump) for seed in range(groups)]))
            after = sorted(hands for hands, _kind, _others in found if hands is not None)
            half = after[len(after) // 2] if len(after) > len(found) / 2 else None
            print(
                f"feeding in {share:.0%} of the turns, {'wins too' if dump else 'melds only'}: flagged {len(after)}/{groups}"
                f" within {hands} hands, half of them after {half}, the first {after[0] if after else None}, the last"
                f" {after[-1] if after else None}; flags of others {sum(others for _, _, others in found)}"
            )
    return 0


def print_rates(hands: int) -> int:
    from liuzhou.fairness.facts import Tally

    for preset, players in (("classic", 4), ("tiantian", 3), ("tiantian", 2)):
        group = Group(("greedy",) * players, 1, reseat=0)
        group.options = Options.parse(preset, {"players": players})
        group.play(hands)
        total = Tally()
        for tally in group.pairs.values():
            total.add(tally)
        after, else_ = max(1, total.next_discards), max(1, total.discards)
        print(f"{preset} {players}: chow {total.chows / after:.4f} next_pong {total.next_pongs / after:.4f}"
              f" pong {total.pongs / else_:.4f} next_win {total.next_wins / after:.4f} win {total.wins / else_:.4f}")  # fmt: skip
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["honest", "feeding", "rates"])
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--hands", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    without_servers()
    if given.what == "rates":
        return print_rates(given.hands)
    return (print_honest if given.what == "honest" else print_colluding)(given.groups, given.hands, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
