"""Stakes that cannot break the bank (RULES 11.2, 11.4): brackets at their edges, and what is really moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.stakes import bracket_at, bracket_of, moved


@pytest.mark.parametrize(
    ("coins", "base"),
    [
        (0, None), (127, None), (128, 10), (1_279, 10), (1_280, 100), (12_799, 100), (12_800, 1_000),
        (127_999, 1_000), (128_000, 10_000), (10**12, 10_000),
    ],
)  # fmt: skip
def test_brackets_at_their_edges(coins: int, base: int | None) -> None:
    bracket = bracket_of(coins)
    assert (bracket.base if bracket else None) == base
    if bracket:
        assert bracket_at(bracket.base) == bracket


def test_an_unknown_base_is_no_bracket() -> None:
    with pytest.raises(ValueError, match="base 7"):
        bracket_at(7)


@pytest.mark.parametrize(
    ("nets", "held", "expected"),
    [
        ([30, -10, -10, -10], [500] * 4, [30, -10, -10, -10]),
        ([30, -10, -10, -10], [0, 4, 500, 500], [24, -4, -10, -10]),
        ([100, 50, -150, 0], [0, 0, 90, 0], [60, 30, -90, 0]),
        ([10, 10, -20, 0], [0, 0, 7, 0], [4, 3, -7, 0]),  # a tie: seat 0 comes before seat 1 after the payer 2
        ([10, -20, 10, 0], [0, 7, 0, 0], [3, -7, 4, 0]),  # and here seat 2 comes first after the payer 1
        ([1, 2, -3, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
        ([60, -30, -30, 0], [0, 0, 10, 0], [10, 0, -10, 0]),
    ],
)
def test_what_is_moved(nets: list[int], held: list[int], expected: list[int]) -> None:
    assert moved(nets, held) == expected


@given(st.lists(st.integers(-(10**7), 10**7), min_size=1, max_size=3), st.data())
def test_the_bank_is_never_broken(some: list[int], data: st.DataObject) -> None:
    nets = [*some, -sum(some)]
    held = data.draw(st.lists(st.integers(0, 10**7), min_size=len(nets), max_size=len(nets)))
    result = moved(nets, held)
    assert sum(result) == 0
    paid, gains = -sum(n for n in result if n < 0), sum(n for n in nets if n > 0)
    for net, had, got in zip(nets, held, result, strict=True):
        assert had + got >= 0
        if net < 0:
            assert got == -min(-net, had)
        else:
            assert 0 <= got <= net
            assert abs(got * gains - net * paid) < max(gains, 1)  # pro rata to within one coin
    if all(had + net >= 0 for net, had in zip(nets, held, strict=True)):
        assert result == nets


@pytest.mark.parametrize(("nets", "held"), [([1, 0], [0, 0]), ([0, 0], [0, -1]), ([0], [0, 0])])
def test_impossible_input_is_refused(nets: list[int], held: list[int]) -> None:
    with pytest.raises(ValueError, match="sum to zero"):
        moved(nets, held)
