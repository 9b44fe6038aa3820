"""Lists given away as files: CSV and XLSX, streamed, safe to open in a spreadsheet, and each recorded."""

import csv
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from ledger.calls import call
from ledger.xlsx import Cell, workbook

Rows = Iterable[Sequence[Cell]]
BATCH = 1_000
_RECORD = "SELECT ledger.record_export(%s::bigint,%s,%s,%s::jsonb,%s::bigint)"
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def record(*, actor: int, what: str, format: str, filters: Mapping[str, Any], rows: int) -> int:
    """Note that somebody took this list away; the note cannot be changed."""
    text = json.dumps(filters, ensure_ascii=False, default=str)
    return int(call(_RECORD, [str(actor), what, format, text, str(rows)])[0])


def response(
    request: HttpRequest,
    *,
    what: str,
    format: str,
    filters: Mapping[str, Any],
    count: int,
    head: Sequence[str],
    rows: Rows,
) -> StreamingHttpResponse:
    """Record the export, then stream it. `rows` is read while it is sent, so it fetches in batches."""
    assert request.user.pk is not None
    record(actor=request.user.pk, what=what, format=format, filters=filters, rows=count)
    body = FORMATS[format](head, rows)
    content = _in_thread(body) if isinstance(request, ASGIRequest) else body
    name = f"{what}-{timezone.localtime():%Y%m%d-%H%M%S}.{format}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(content, content_type=_TYPES[format], headers=headers)


def csv_file(head: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """The list as CSV, with the mark by which spreadsheets know UTF-8."""
    lines: list[str] = []
    writer = csv.writer(_Lines(lines))
    writer.writerow(head)
    yield b"\xef\xbb\xbf"
    for number, row in enumerate(rows):
        writer.writerow([guarded(cell) for cell in row])
        if number % 200 == 199:
            yield "".join(lines).encode("utf-8", "replace")
            lines.clear()
    yield "".join(lines).encode("utf-8", "replace")


def xlsx_file(head: Sequence[str], rows: Rows) -> Iterator[bytes]:
    def all_rows() -> Iterator[Sequence[Cell]]:
        yield head
        yield from rows

    return workbook(all_rows())


FORMATS: dict[str, Callable[[Sequence[str], Rows], Iterator[bytes]]] = {"csv": csv_file, "xlsx": xlsx_file}


def guarded(cell: Cell) -> Cell:
    """A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers."""
    if isinstance(cell, str) and cell.lstrip(" ")[:1] in (
        "=",
        "+",
        "-",
        "@",
        "\t",
        "\r",
        "\n",
        "|",
        "%",
        "＝",
        "＋",
        "－",
        "＠",
    ):
        return "'" + cell
    return cell


class _Lines:
    """Where csv.writer writes to."""

    def __init__(self, lines: list[str]) -> None:
        self.write = lines.append


async def _in_thread(body: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces, each made in a worker thread: the event loop stays free, and only one piece is in memory."""

    def step() -> bytes | None:
        return next(body, None)

    while (piece := await sync_to_async(step)()) is not None:
        yield piece
