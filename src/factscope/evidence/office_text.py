"""Word, PowerPoint, Excel and EPUB files → text. Runs in the child process, as these archives may contain anything.

Hidden runs, slides and sheets, which a person who opens the file does not see, are left out and flagged.
"""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Iterable, Iterator
from io import BytesIO, StringIO
from typing import Any, NamedTuple
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from factscope.evidence.decode import NotTextError

HIDDEN = "hidden_text_removed"
_EPUB_PARTS = {"c": "urn:oasis:names:tc:opendocument:xmlns:container", "o": "http://www.idpf.org/2007/opf"}
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_LARGEST_CHAPTER = 10_000_000  # bytes of one chapter of an e-book


class OfficePart(NamedTuple):
    """A part of an Office file: a whole document or presentation, a sheet, or a chapter."""

    text: str
    title: str | None = None
    place: str = ""
    """Position in the file, such as `#Prices`; empty for all of it."""
    flags: tuple[str, ...] = ()
    table: bool = False
    """Whether the text is CSV."""


def read_office(data: bytes, kind: str) -> Iterator[OfficePart]:
    """Yield the parts of a file of this kind (docx, pptx, xlsx, epub).

    Raises NotTextError for a broken or protected one.
    """
    readers = {"docx": _word, "pptx": _slides, "xlsx": _sheets, "epub": _chapters}
    try:
        yield from readers[kind](BytesIO(data))
    except (NotTextError, MemoryError):
        raise
    except BadZipFile:
        raise NotTextError("is broken or protected by a password; open it and save it again") from None
    except Exception as error:  # noqa: BLE001 - on broken files these readers raise nearly anything
        reason = f"{type(error).__name__}: {error}"[:120]
        raise NotTextError(f"can't be read ({reason}); open it and save it again, or save it as pdf") from None


def _word(file: BytesIO) -> Iterator[OfficePart]:
    from docx import Document
    from docx.table import Table

    document = Document(file)
    hidden: list[str] = []
    blocks = [
        _table_rows([[cell.text for cell in row.cells] for row in block.rows])
        if isinstance(block, Table)
        else _paragraph(block, hidden)
        for block in document.iter_inner_content()
    ]
    text = "\n\n".join(block for block in blocks if block.strip())
    yield OfficePart(text, document.core_properties.title or None, flags=(HIDDEN,) if hidden else ())


def _paragraph(paragraph: Any, hidden: list[str]) -> str:
    """Return a paragraph without its hidden runs; a heading as in Markdown."""
    pieces: list[str] = []
    for piece in paragraph.iter_inner_content():
        runs = getattr(piece, "runs", None) or [piece]  # a link has its own runs
        for run in runs:
            (hidden if run.font.hidden else pieces).append(run.text)
    text = "".join(pieces).strip()
    style = paragraph.style.name if paragraph.style else ""
    level = style.removeprefix("Heading ") if style.startswith("Heading ") else "1" if style == "Title" else ""
    return f"{'#' * int(level)} {text}" if text and level.isdigit() else text


def _slides(file: BytesIO) -> Iterator[OfficePart]:
    from pptx import Presentation

    presentation = Presentation(file)
    slides, hidden = [], False
    for slide in presentation.slides:
        if slide._element.get("show") == "0":
            hidden = True
            continue
        texts = list(_shape_texts(slide.shapes))
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        texts += [notes.text] if notes is not None else []
        slides.append("\n\n".join(text.strip() for text in texts if text.strip()))
    title = presentation.core_properties.title or None
    yield OfficePart("\n\n".join(filter(None, slides)), title, flags=(HIDDEN,) if hidden else ())


def _shape_texts(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _shape_texts(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield _table_rows([[cell.text for cell in row.cells] for row in shape.table.rows])
        elif shape.has_text_frame:
            yield "\n".join(paragraph.text for paragraph in shape.text_frame.paragraphs)


def _sheets(file: BytesIO) -> Iterator[OfficePart]:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True)
    title = book.properties.title or None
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    flags = (HIDDEN,) if len(visible) < len(book.worksheets) else ()
    for sheet in visible:
        page = StringIO()
        writer = csv.writer(page, lineterminator="\n")
        for row in sheet.iter_rows(values_only=True):
            if any(cell is not None for cell in row):
                writer.writerow("" if cell is None else str(cell) for cell in row)
        yield OfficePart(page.getvalue(), title, f"#{sheet.title}", flags, table=True)


def _chapters(file: BytesIO) -> Iterator[OfficePart]:
    from factscope.evidence.page.page import read_html

    with ZipFile(file) as book:
        (root,) = _xml(book.read("META-INF/container.xml")).findall(".//c:rootfile", _EPUB_PARTS)[:1]
        package_path = root.get("full-path")
        package = _xml(book.read(package_path))
        title = (package.findtext(f".//{_TITLE}") or "").strip() or None
        items = {item.get("id"): item.get("href") for item in package.findall(".//o:manifest/o:item", _EPUB_PARTS)}
        for number, chapter in enumerate(package.findall(".//o:spine/o:itemref", _EPUB_PARTS), 1):
            href = items.get(chapter.get("idref"))
            if href is None:
                continue
            with book.open(posixpath.join(posixpath.dirname(package_path), unquote(href))) as content:
                page = content.read(_LARGEST_CHAPTER)
            try:
                read, _ = read_html(page, None, "")
            except NotTextError:  # a cover, a picture
                continue
            yield OfficePart(read.text, title or read.title, f"#chapter-{number}", read.file_flags)


def _xml(content: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(content, parser)


def _table_rows(rows: list[list[str]]) -> str:
    """Return a table as lines, each cell after the name of its column."""
    if len(rows) < 2:
        return "; ".join(" ".join(cell.split()) for row in rows for cell in row if cell.strip())
    names, *body = rows
    lines = []
    for row in body:
        cells = ((" ".join(name.split()), " ".join(cell.split())) for name, cell in zip(names, row, strict=False))
        lines.append("; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell))
    return "\n".join(line for line in lines if line)
