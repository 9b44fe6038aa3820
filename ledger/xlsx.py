"""A workbook of one sheet, written while its rows arrive: nothing but zipfile, nothing kept in memory."""

from collections.abc import Iterable, Iterator, Sequence
from io import RawIOBase
from itertools import chain
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

Cell = str | int | None
_NAMESPACE = "http://schemas.openxmlformats.org"
_SHEET = f"{_NAMESPACE}/spreadsheetml/2006/main"
_RELATIONS = f"{_NAMESPACE}/package/2006/relationships"
_OFFICE = f"{_NAMESPACE}/officeDocument/2006/relationships"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_NAMESPACE}/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_RELATIONS}">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="ledger" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_RELATIONS}">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_EXACT = 2**53  # larger integers lose digits as a spreadsheet's numbers
# Characters that XML 1.0 cannot hold.
_CONTROLS = {code: None for code in (*range(0x20), 0xFFFE, 0xFFFF) if code not in (0x9, 0xA, 0xD)}


class _Pieces(RawIOBase):
    """What ZipFile writes, to be taken piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def workbook(rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The file, in pieces of some kilobytes. Texts are inline strings: nothing in them is ever a formula."""
    pieces = _Pieces()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as file:
        for name, text in _PARTS.items():
            file.writestr(_info(name), text)
        with file.open(_info("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            start = f'{_HEAD}<worksheet xmlns="{_SHEET}"><sheetData>'
            for text in chain([start], map(_row, rows), ["</sheetData></worksheet>"]):
                sheet.write(text.encode("utf-8", "replace"))
                if piece := pieces.take():
                    yield piece
    yield pieces.take()


def _info(name: str) -> ZipInfo:
    info = ZipInfo(name)  # 1980-01-01: the same rows give the same file
    info.compress_type = ZIP_DEFLATED
    return info


def _row(cells: Sequence[Cell]) -> str:
    return f"<row>{''.join(map(_cell, cells))}</row>"


def _cell(value: Cell) -> str:
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, int) and abs(value) < _EXACT:
        return f"<c><v>{int(value)}</v></c>"
    text = escape(str(value).translate(_CONTROLS))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
