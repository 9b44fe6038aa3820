"""The rules on the command line: `settle`, `play`, `wall`, `bench` (DESIGN 7). One JSON line in, one JSON line out."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO

from liuzhou.rules import wall
from liuzhou.rules.case import settle_case
from liuzhou.rules.errors import RuleError
from liuzhou.rules.options import Options
from liuzhou.rules.presets import PRESETS
from liuzhou.rules.tiles import format_wall

BAD_LINE = 2
BENCH = "liuzhou.rules.bench_cli"

Answerer = Callable[[Any], dict[str, Any]]


def main(argv: list[str] | None = None) -> int:
    """Run a command; the exit code is 2 if any line was bad."""
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the answers has gone: no complaint at exit
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python3 -m liuzhou.rules", description="柳州麻将 Liuzhou mahjong rules")
    commands = top.add_subparsers(required=True, metavar="settle|play|wall|bench")
    for name, run, told in (
        ("settle", _settle, "settle finished hands, one JSON case per line"),
        ("play", _play, "fold hand records, one JSON record per line"),
    ):
        command = commands.add_parser(name, help=told)
        command.add_argument("file", nargs="?", metavar="FILE", help="default: standard input")
        command.set_defaults(run=run)
    command = commands.add_parser("wall", help="the wall that a seed fixes")
    command.add_argument("seed", metavar="SEEDHEX", help="32 bytes in hex")
    command.add_argument("--preset", required=True, choices=list(PRESETS))
    command.add_argument("--options", default="{}", metavar="JSON")
    command.set_defaults(run=_wall)
    # No prefix anybody can type: its options, --help too, are the benchmark's own to read.
    command = commands.add_parser("bench", help="measure the rules", add_help=False, prefix_chars="\0")
    command.add_argument("rest", nargs=argparse.REMAINDER)
    command.set_defaults(run=_bench)
    return top


def _settle(arguments: argparse.Namespace) -> int:
    return _each_line(arguments.file, settle_case)


def _play(arguments: argparse.Namespace) -> int:
    play_record: Answerer = import_module("liuzhou.rules.replay").play_record
    return _each_line(arguments.file, play_record)


def _wall(arguments: argparse.Namespace) -> int:
    answer, bad = answer_to(
        arguments.options.encode(errors="surrogateescape"),
        lambda options: wall_answer(arguments.seed, arguments.preset, options),
    )
    _print(answer)
    return BAD_LINE if bad else 0


def wall_answer(seed: str, preset: str, options: object) -> dict[str, Any]:
    """The commitment, dice and draw order of a seed."""
    try:
        seed_bytes = bytes.fromhex(seed)
    except ValueError:
        raise RuleError("seed", "种子应是十六进制", "the seed must be hexadecimal") from None
    built = wall.build(seed_bytes, Options.parse(preset, options))
    return {"commit": built.commit, "dice": list(built.dice), "wall": format_wall(built.tiles)}


def _bench(arguments: argparse.Namespace) -> int:
    if find_spec(BENCH) is None:
        print("bench: not part of this build / 本版本没有基准测试", file=sys.stderr)
        return 1
    return int(import_module(BENCH).main(arguments.rest) or 0)


def _each_line(path: str | None, answerer: Answerer) -> int:
    if path is None or path == "-":
        return answer_lines(sys.stdin.buffer, answerer)
    try:
        file = open(path, "rb")  # noqa: SIM115 - only opening may fail here: a closed pipe is not this file's fault
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        return BAD_LINE
    with file:
        return answer_lines(file, answerer)


def answer_lines(lines: Iterable[bytes] | BinaryIO, answerer: Answerer) -> int:
    """Answer every line that is not blank, in order."""
    worst = 0
    for line in lines:
        if line.strip():
            answer, bad = answer_to(line, answerer)
            _print(answer)
            worst = BAD_LINE if bad else worst
    return worst


def answer_to(line: bytes, answerer: Answerer) -> tuple[dict[str, Any], bool]:
    """The answer to one line, and whether the line was bad. Whatever the line holds, this does not raise."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return {"error": f"不是合法的 JSON / not JSON: {type(error).__name__}"}, True
    try:
        answer = answerer(record)
    except RuleError as error:
        return {"error": str(error)}, True
    except RecursionError:
        return {"error": "嵌套太深 / nested too deep"}, True
    return answer, "error" in answer


def _print(answer: dict[str, Any]) -> None:
    # a lone surrogate of the input becomes an escape, which is what JSON wants it to be
    text = json.dumps(answer, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
