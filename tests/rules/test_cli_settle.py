"""The command line: cases with their answers, refusals that name the field, and no traceback whatever comes."""

import copy
import json
import pathlib
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from liuzhou.rules import __main__ as cli
from liuzhou.rules.case import parse_case, settle_case
from liuzhou.rules.errors import RuleError

ROOT = pathlib.Path(__file__).parents[2]
OWN = pathlib.Path(__file__).parent / "cases" / "settle.jsonl"
SHARED = ROOT.parent / "shared" / "cases" / "settle.jsonl"


def load(path: pathlib.Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.skip(f"{path.name} of the shared cases is not beside this clone")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(*arguments: str, text: bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
    done = subprocess.run(
        [sys.executable, "-m", "liuzhou.rules", *arguments], input=text, capture_output=True, cwd=ROOT
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


@pytest.mark.parametrize("path", [OWN, SHARED], ids=["own", "shared"])
def test_cases(path: pathlib.Path) -> None:
    rows = load(path)
    code, answers, complaint = run("settle", text="\n".join(json.dumps(row["case"]) for row in rows).encode())
    assert (code, complaint, len(answers)) == (0, "", len(rows))
    for row, answer in zip(rows, answers, strict=True):
        payments = answer.pop("payments")
        row["expect"].pop("payments", None)
        assert answer == row["expect"], row["case"]
        sums = [0] * len(answer["points"])
        for payment in payments:
            assert payment["points"] > 0
            assert payment["from"] != payment["to"]
            sums[payment["from"]] -= payment["points"]
            sums[payment["to"]] += payment["points"]
        assert sums == answer["points"]
        assert sum(sums) == 0


def case() -> dict[str, Any]:
    """A legal case with something of everything."""
    return {
        "preset": "classic",
        "options": {"fish": "pond"},
        "dealer": 0,
        "seats": [
            {"hand": "123456m23s55z", "melds": [{"kind": "added_kong", "tiles": "6666z", "from": 2}], "pond": ["1m"]},
            {"hand": "147m258p369s1234z", "melds": []},
            {
                "hand": "7m258p369s1234z"[:-3] + "4z",
                "melds": [{"kind": "chow", "tiles": "789m", "from": 1}],
                "pond": [],
            },
            {"hand": "369m147p258s1234z", "melds": []},
        ],
        "end": {"kind": "self_draw", "tile": "1s", "winners": [0], "after_kong": 0, "last_tile": False},
        "wall": "2s3s",
    }


def discarded() -> dict[str, Any]:
    record = case()
    record["end"] = {"kind": "discard", "tile": "1s", "from": 1, "winners": [0], "after_kong": False}
    return record


def test_the_base_cases_are_legal() -> None:
    assert settle_case(case())["points"][0] > 0
    assert settle_case(discarded())["points"][0] > 0
    bare = case()
    del bare["options"], bare["wall"], bare["end"]["after_kong"], bare["end"]["last_tile"], bare["seats"][0]["pond"]
    assert settle_case(bare)["wins"][0]["types"] == []


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(record: dict[str, Any]) -> None:
        at: Any = record
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return apply


BAD: list[tuple[str, Callable[[dict[str, Any]], None]]] = [
    ("preset", change("preset", to="nowhere")),
    ("options", change("options", to=[])),
    ("options", change("options", "cap", to="2")),
    ("options", change("options", "fish", to="159")),
    ("dealer", change("dealer", to=4)),
    ("dealer", change("dealer", to=-1)),
    ("dealer", change("dealer", to=True)),
    ("dealer", change("dealer", to=1.0)),
    ("dealer", change("dealer", to="0")),
    ("", change("extra", to=1)),
    ("seats", change("seats", to=[])),
    ("seats", change("seats", to={})),
    ("seats[1]", change("seats", 1, to="123m")),
    ("seats[1]", change("seats", 1, to={})),
    ("seats[1]", change("seats", 1, "name", to="东")),
    ("seats[1].hand", change("seats", 1, "hand", to="123")),
    ("seats[1].hand", change("seats", 1, "hand", to=None)),
    ("seats[1].hand", change("seats", 1, "hand", to="147m258p369s123z")),
    ("seats[1].hand", change("seats", 1, "hand", to="147m258p369s12345z")),
    ("", change("seats", 1, "hand", to="11147m258p369s12z")),
    ("seats[0].melds", change("seats", 0, "melds", to=None)),
    ("seats[0].melds", change("seats", 0, "melds", to=[{}] * 5)),
    ("seats[0].melds[0]", change("seats", 0, "melds", 0, to=[])),
    ("seats[0].melds[0].kind", change("seats", 0, "melds", 0, "kind", to="kong")),
    ("seats[0].melds[0].kind", change("seats", 0, "melds", 0, "kind", to=["pong"])),
    ("seats[0].melds[0].tiles", change("seats", 0, "melds", 0, "tiles", to="666z")),
    ("seats[0].melds[0].tiles", change("seats", 0, "melds", 0, "tiles", to="6667z")),
    ("seats[0].melds[0].tiles", change("seats", 0, "melds", 0, "tiles", to="")),
    ("seats[0].melds[0].from", change("seats", 0, "melds", 0, "from", to=0)),
    ("seats[0].melds[0].from", change("seats", 0, "melds", 0, "from", to=4)),
    ("seats[0].melds[0].from", change("seats", 0, "melds", 0, "from", to=None)),
    ("seats[0].melds[0].from", change("seats", 0, "melds", 0, "kind", to="concealed_kong")),
    ("seats[2].melds[0].from", change("seats", 2, "melds", 0, "from", to=0)),
    ("seats[2].melds[0].tiles", change("seats", 2, "melds", 0, "tiles", to="689m")),
    ("seats[2].melds[0].tiles", change("seats", 2, "melds", 0, "tiles", to="123z")),
    ("seats[2].melds[0].tiles", change("seats", 2, "melds", 0, "tiles", to="89m1p")),
    ("seats[0].pond", change("seats", 0, "pond", to=["1m", "2m", "3m"])),
    ("seats[0].pond[0]", change("seats", 0, "pond", to=["12m"])),
    ("seats[0].pond[0]", change("seats", 0, "pond", to=[1])),
    ("seats[0].pond", change("options", to={"fish": "none"})),
    ("end", change("end", to={"kind": "draw", "tile": "1m"})),
    ("end.kind", change("end", to=None)),
    ("end.kind", change("end", "kind", to="robbed_kong")),
    ("end.kind", change("end", "kind", to={})),
    ("end", change("end", "from", to=1)),
    ("end.tile", change("end", "tile", to="")),
    ("end.tile", change("end", "tile", to="11s")),
    ("end.winners", change("end", "winners", to=[])),
    ("end.winners", change("end", "winners", to=0)),
    ("end.winners", change("end", "winners", to=[0, 1])),
    ("end.winners", change("end", "winners", to=[0, 0])),
    ("end.winners[0]", change("end", "winners", to=[4])),
    ("end.winners", change("end", "tile", to="9p")),
    ("end.after_kong", change("end", "after_kong", to=1)),
    ("end.after_kong", change("end", "after_kong", to=-1)),
    ("end.after_kong", change("end", "after_kong", to=False)),
    ("end.last_tile", change("end", "last_tile", to=1)),
    ("wall", change("wall", to=["2s"])),
    ("wall", change("wall", to="2")),
    ("", change("wall", to="5555z")),
]
BAD_DISCARDS: list[tuple[str, Callable[[dict[str, Any]], None]]] = [
    ("end.from", change("end", "from", to=4)),
    ("end.from", change("end", "from", to=None)),
    ("end.winners", change("end", "from", to=0)),
    ("end.after_kong", change("end", "after_kong", to=None)),
    ("end.after_kong", change("end", "after_kong", to=True)),  # seat 1 has no kong
    ("end", change("end", "last_tile", to=False)),
    ("end.winners", change("end", "winners", to=[0, 2, 3, 1])),
    ("end.winners", change("end", "winners", to=[0, 2])),
]


@pytest.mark.parametrize(
    ("field", "make_bad", "base"),
    [
        *((field, bad, case) for field, bad in BAD),
        *((field, bad, discarded) for field, bad in BAD_DISCARDS),
    ],
)
def test_bad_cases_name_the_field(
    field: str, make_bad: Callable[[dict[str, Any]], None], base: Callable[[], dict[str, Any]]
) -> None:
    record = base()
    make_bad(record)
    with pytest.raises(RuleError) as caught:
        settle_case(record)
    assert getattr(caught.value, "field", None) == field
    assert caught.value.zh != caught.value.en


def test_tiles_out_of_play() -> None:
    record = load(OWN)[9]["case"]
    record["options"]["no_dots"] = True
    with pytest.raises(RuleError, match="not in play"):
        parse_case(record)


JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    5,
    10**30,
    1.5,
    "",
    "5m",
    "1234567891234m",
    "中",
    "\ud800",
    [],
    [1],
    {},
    {"kind": "draw"},
]


def test_no_case_makes_it_raise_anything_else() -> None:
    """Legal cases with one to three places replaced, removed or added: an answer or a RuleError."""
    rng = random.Random(11)
    cases = [row["case"] for row in load(OWN)]
    refused = 0
    for _ in range(4000):
        record = copy.deepcopy(rng.choice(cases))
        for _ in range(rng.randint(1, 3)):
            spoil(record, rng)
        try:
            answer = settle_case(record)
        except RuleError:
            refused += 1
        else:
            assert sum(answer["points"]) == 0
    assert refused > 2000


def spoil(record: Any, rng: random.Random) -> None:
    while True:
        keys = list(record) if isinstance(record, dict) else list(range(len(record)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(record[key], dict | list) and rng.random() < 0.8:
            record = record[key]
            continue
        if rng.random() < 0.15:
            del record[key]
        elif isinstance(record, dict) and rng.random() < 0.1:
            record[rng.choice(["x", "from", "tile", "pond"])] = rng.choice(JUNK)
        else:
            record[key] = rng.choice(JUNK)
        return


def test_lines_that_are_no_json_are_answered_in_their_place() -> None:
    good = json.dumps(case()).encode()
    deep = b"[" * 100_000
    text = b"\n".join(
        [
            good,
            b"",
            b"{",
            b"\xff\xfe",
            deep,
            b"null",
            b"[]",
            b"NaN",
            b'"\\ud800"',
            b"1" * 5000,
            b'{"preset":"\\ud800"}',
            good,
        ]
    )
    code, answers, complaint = run("settle", text=text)
    assert (code, complaint) == (2, "")
    assert [("error" in answer) for answer in answers] == [False, *[True] * 9, False]


def test_wall() -> None:
    code, answers, _ = run(
        "wall", "00" * 32, "--preset", "tiantian", "--options", '{"no_honors": true, "wild_red": true}'
    )
    assert code == 0
    assert set(answers[0]) == {"commit", "dice", "wall"}
    assert len(answers[0]["wall"]) == 224
    for bad in (
        ["00", "--preset", "classic"],
        ["xy" * 32, "--preset", "classic"],
        ["00" * 32, "--preset", "classic", "--options", "{"],
        ["00" * 32, "--preset", "classic", "--options", "[]"],
        ["00" * 32, "--preset", "classic", "--options", '{"cap": "2"}'],
    ):
        code, answers, complaint = run("wall", *bad)
        assert (code, complaint, list(answers[0])) == (2, "", ["error"])


def test_a_missing_file_and_a_file(tmp_path: pathlib.Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["settle", str(tmp_path / "none")]) == 2
    file = tmp_path / "cases"
    file.write_text(json.dumps(case()) + "\n", encoding="utf-8")
    capfdbinary.readouterr()
    assert cli.main(["settle", str(file)]) == 0
    assert json.loads(capfdbinary.readouterr().out)["next_dealer"] == 0


def test_importing_the_rules_is_light() -> None:
    script = "import sys; import liuzhou.rules.hand; print(len({'django', 'celery', 'channels'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=ROOT, text=True)
    assert done.stdout == "0\n"
