"""Word, PowerPoint, Excel and EPUB files → text. Runs in the child process, as these archives may contain anything.

Hidden runs, slides, shapes and sheets, which a person who opens the file does not see, are left out and flagged.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from factscope.claims.text.raised import joined_runs
from factscope.core import with_samples
from factscope.evidence.decode import NotTextError
from factscope.evidence.formats import TEXT_FIELDS, BadPart, TextRow, check_width, flagged, row_with_names
from factscope.evidence.office_tables import OfficeTable, fill_places, read_table
from factscope.evidence.sheet_cells import cell_text
from factscope.evidence.table_grid import named_text
from factscope.evidence.table_scale import scaled_cells
from factscope.evidence.word_markup import COMPATIBILITY, WORD, paragraph_words, simplify, table_grid

HIDDEN = "hidden_text_removed"
_ID = f"{WORD}id"
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_EPUB_PARTS = {"c": "urn:oasis:names:tc:opendocument:xmlns:container", "o": "http://www.idpf.org/2007/opf"}
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_NO_VALUE = re.compile(rb"\0|(?:</(?:\w+:)?f\s*|<(?:\w+:)?f(?:\s[^<>]*)?/)>(?!\s*<(?:\w+:)?v(?:\s[^<>/]*)?>[^<])")
"""The end of a formula with no value after it; or a zero byte, as in UTF-16, where nothing can be told."""
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})"')
"""The address of a cell that spans others, whose places are empty in the file."""
_BAR = r"\|"  # in a cell between bars
_MISSING = "–"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
LARGEST_CHAPTER = 10_000_000
"""Bytes that are read of one chapter of a book."""


def read_office(data: bytes, kind: str) -> Iterator[TextRow | BadPart]:
    """Yield the texts of a file of this kind (docx, pptx, xlsx, epub), and the parts that can't be used.

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


def _word(file: BytesIO) -> Iterator[TextRow | BadPart]:
    from docx import Document
    from lxml.etree import XMLSyntaxError

    document = Document(file)
    body, styles = document.element.body, document.styles.element
    hidden = simplify(body, styles)
    try:
        notes = _notes(document)
    except (XMLSyntaxError, ValueError):  # broken, or in another file
        yield BadPart("has footnotes or endnotes that can't be read; open it and save it again")
    else:
        hidden = simplify(notes, styles) or hidden
        body.extend(list(notes))
    text = "\n\n".join(block for block in _blocks(document) if block.strip())
    yield TextRow(text, document.core_properties.title or None, flags=(HIDDEN,) if hidden else ())


def _notes(document: Any) -> Any:
    """Return the footnotes, then the endnotes, that the document refers to, as one body; python-docx has none."""
    from docx.oxml import OxmlElement, parse_xml

    body = document.element.body
    notes = OxmlElement("w:body")
    for name in ("footnote", "endnote"):
        blobs = [link.target_part.blob for link in document.part.rels.values() if link.reltype.endswith(f"/{name}s")]
        by_number = {note.get(_ID): note for blob in blobs for note in parse_xml(blob).iter(f"{WORD}{name}")}
        for reference in body.iter(f"{WORD}{name}Reference"):
            notes.extend(list(by_number.pop(reference.get(_ID), ())))
    return notes


def _blocks(container: Any, *, cell: bool = False) -> Iterator[str]:
    """Yield the paragraphs and tables of a document, headings as in Markdown; of a cell, each table on one line."""
    from docx.table import Table

    for block in container.iter_inner_content():
        if isinstance(block, Table):
            table = _table_text(_cell_texts(block), bars=not cell)
            yield table.replace("\n", "; ") if cell else table
            continue
        text = paragraph_words(block)
        # To look up the default style takes longer than all else, and it is not a heading.
        style = (block.style.name or "") if block._p.style and not cell else ""
        level = style.removeprefix("Heading ") if style.startswith("Heading ") else "1" if style == "Title" else ""
        yield f"{'#' * int(level)} {text}" if text and level.isdigit() else text


def _cell_texts(table: Any) -> list[list[str]]:
    from docx.table import _Cell

    texts = {None: ""}
    grid = table_grid(table._tbl)
    for cell in {cell: None for row in grid for cell in row if cell is not None}:
        texts[cell] = " ".join(_blocks(_Cell(cell, table), cell=True))
    return [[texts[cell] for cell in row] for row in grid]


def _slides(file: BytesIO) -> Iterator[TextRow]:
    from pptx import Presentation

    presentation = Presentation(file)
    slides, hidden = [], False
    for slide in presentation.slides:
        if slide._element.get("show") in ("0", "false"):
            hidden = True
            continue
        hidden = _simplify_slide(slide._element) or hidden
        texts = list(_shape_texts(slide.shapes))
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        texts += [_frame_text(notes)] if notes is not None else []
        slides.append("\n\n".join(text.strip() for text in texts if text.strip()))
    title = presentation.core_properties.title or None
    yield TextRow("\n\n".join(filter(None, slides)), title, flags=(HIDDEN,) if hidden else ())


def _simplify_slide(slide: Any) -> bool:
    """Remove hidden shapes and the slide's number, and take shapes for newer programs out of their wrapper.

    python-pptx passes over these. Return whether hidden text was removed.
    """
    hidden = False
    for mark in list(slide.iter(f"{_SLIDE}ph")):
        if mark.get("type") == "sldNum":
            number = mark.getparent().getparent().getparent()
            number.getparent().remove(number)
    for mark in list(slide.iter(f"{_SLIDE}cNvPr")):
        shape = mark.getparent().getparent()
        if mark.get("hidden") in ("1", "true") and shape.getparent() is not None:
            hidden = hidden or any(text.text for text in shape.iter(f"{_DRAWING}t"))
            shape.getparent().remove(shape)
    for newer in list(slide.iter(f"{COMPATIBILITY}Choice")):
        if newer.getprevious() is None:  # the first of several forms of the same content
            for shape in list(newer):
                newer.getparent().addprevious(shape)
    return hidden


def _shape_texts(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _shape_texts(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield _table_text(_slide_cells(shape.table))
        elif shape.has_text_frame:
            yield _frame_text(shape.text_frame)
        else:
            yield from _diagram_texts(shape)


def _frame_text(frame: Any) -> str:
    return "\n".join(_paragraph_text(paragraph._p) for paragraph in frame.paragraphs)


def _paragraph_text(paragraph: Any) -> str:
    """Return the text of a paragraph of a slide without what is struck out; raised figures join no number."""
    runs = []
    for text in paragraph.iter(f"{_DRAWING}t", f"{_DRAWING}br"):
        form = text.getparent().find(f"{_DRAWING}rPr")
        style = {} if form is None else form.attrib
        if text.tag == f"{_DRAWING}br":
            runs.append(("\n", 0))
        elif style.get("strike", "noStrike") == "noStrike":
            height = style.get("baseline", "").strip("0%")  # "30000" or "30%"; below the line, "-25000"
            runs.append((text.text or "", -1 if height.startswith("-") else int(height != "")))
    return joined_runs(runs)


def _slide_cells(table: Any) -> list[list[str]]:
    cells = [list(row.cells) for row in table.rows]
    texts = [[_frame_text(cell.text_frame) for cell in row] for row in cells]
    merged = ((x, y, cell) for y, row in enumerate(cells) for x, cell in enumerate(row) if cell.is_merge_origin)
    fill_places(texts, ((x, y, x + cell.span_width, y + cell.span_height) for x, y, cell in merged))
    return texts


def _diagram_texts(shape: Any) -> Iterator[str]:
    """Yield the text of a diagram (SmartArt), which is in a file of its own: a line for each paragraph in it."""
    for diagram in shape._element.iter(f"{_DIAGRAM}relIds"):
        data = _xml(shape.part.related_part(diagram.get(f"{_LINK}dm")).blob)
        paragraphs = data.iterfind(f".//{_DIAGRAM}t/{_DRAWING}p")
        lines = [_paragraph_text(paragraph).replace("\n", " ") for paragraph in paragraphs]
        yield "\n".join(filter(str.strip, lines))


def _sheets(file: BytesIO) -> Iterator[TextRow | BadPart]:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True, rich_text=True)
    title = book.properties.title or None
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    flags = (HIDDEN,) if len(visible) < len(book.worksheets) else ()
    for sheet in visible:
        with sheet._get_source() as source:
            content = source.read()
        merged = dict.fromkeys(span.decode() for span in _MERGED.findall(content))
        if unsaved := _unsaved(content):
            formulas = with_samples("formulas without a saved value", unsaved)
            yield BadPart(
                f"is read in part: its sheet {sheet.title} has {formulas}; open it in a spreadsheet program and save it"
                " again"
            )
        del content  # as large as all cells
        table = _sheet_table(sheet, merged)
        has_texts = any(name.lower() in TEXT_FIELDS for name in table.names)
        name = sheet.title if not has_texts and (len(visible) > 1 or _YEAR.search(sheet.title)) else ""
        if table.names:
            yield from flagged(_sheet_rows(table, sheet.title, name, title), flags)
        elif table.rows:
            yield TextRow(f"{name}\n{_lines(table)}".strip(), title, place=f"#{sheet.title}", flags=flags)


def _sheet_rows(table: OfficeTable, sheet: str, name: str, title: str | None) -> Iterator[TextRow | BadPart]:
    """Yield the rows of a sheet as texts of their own, with its `name` if that tells them from those of others."""
    check_width(table.names)
    for number, cells in enumerate(table.rows, 1):
        row = row_with_names(table.names, cells, f"#row-{number}")
        if row is None:
            yield BadPart("has no text", number)
            continue
        text = f"Sheet: {name}; {row.text}" if name else row.text
        place = f"#{sheet}{row.place.replace('#', '-')}"
        yield row._replace(text=text, title=row.title or " ".join(table.titles) or title, place=place)


def _sheet_table(sheet: Any, merged: Iterable[str]) -> OfficeTable:
    """Return the table of a sheet, with the scale of its figures, which may be in a title or the first name.

    `merged` are the addresses of the cells that span others: "B1:C1".
    """
    from openpyxl.utils import range_boundaries

    sheet.reset_dimensions()  # a sheet may state a size that is too small, and nothing outside of it would be read
    rows = [[cell_text(cell) for cell in row] for row in sheet.iter_rows()]
    spans = map(range_boundaries, merged)
    fill_places(rows, ((left - 1, top - 1, right, bottom) for left, top, right, bottom in spans))
    table = read_table(rows, texts_have_names=True)
    for row in table.rows if table.names else ():
        row[:] = scaled_cells(table.names[: len(row)], row[: len(table.names)], table.titles[::-1])
    return table


def _unsaved(content: bytes) -> list[str]:
    """Return the addresses of the cells that hold a formula without its value, as programs write that don't calculate.

    openpyxl reads them as empty.
    """
    from lxml.etree import iterparse

    if not _NO_VALUE.search(content):  # which spares most sheets a second parse
        return []
    unsaved = []
    for _, row in iterparse(BytesIO(content), tag=f"{_SHEET}row", resolve_entities=False):
        for calculation in row.iter(f"{_SHEET}f"):
            cell = calculation.getparent()
            value = cell.find(f"{_SHEET}v")
            if value is None or not (value.text or cell.get("t") == "str"):  # the value may be an empty text
                unsaved.append(cell.get("r") or "one without an address")
        row.clear()
    return unsaved


def _chapters(file: BytesIO) -> Iterator[TextRow | BadPart]:
    from factscope.evidence.page.page import read_html

    unreadable, cut = [], []
    with ZipFile(file) as book:
        (root,) = _xml(book.read("META-INF/container.xml")).findall(".//c:rootfile", _EPUB_PARTS)[:1]
        package_path = root.get("full-path")
        package = _xml(book.read(package_path))
        title = (package.findtext(f".//{_TITLE}") or "").strip() or None
        items = {item.get("id"): item for item in package.findall(".//o:manifest/o:item", _EPUB_PARTS)}
        for number, chapter in enumerate(package.findall(".//o:spine/o:itemref", _EPUB_PARTS), 1):
            item = items.get(chapter.get("idref"), {})
            if (item.get("media-type") or "").startswith("image/"):  # a cover
                continue
            href = unquote(item.get("href") or chapter.get("idref") or "one without a name")
            try:
                with book.open(posixpath.join(posixpath.dirname(package_path), href)) as content:
                    page = content.read(LARGEST_CHAPTER + 1)
                read, _ = read_html(page[:LARGEST_CHAPTER], None, "")
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - broken and protected archives raise nearly anything, here as well
                unreadable.append(href)
                continue
            if len(page) > LARGEST_CHAPTER or "truncated" in read.flags:
                cut.append(href)
            yield TextRow(read.text, title or read.title, place=f"#chapter-{number}", flags=read.file_flags)
    for missing, names in (("the chapters that can't be read", unreadable), ("the end of the longest chapters", cut)):
        if names:
            yield BadPart(f"is read in part: without {with_samples(missing, names)}; save them as plain text")


def _xml(content: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(content, parser)


def _table_text(rows: list[list[str]], *, bars: bool = True) -> str:
    """Return a table as lines; a single row as one line."""
    if len(rows) < 2:
        return "; ".join(" ".join(cell.split()) for row in rows for cell in row if cell.strip())
    return _lines(read_table(rows), bars=bars)


def _lines(table: OfficeTable, *, bars: bool = True) -> str:
    """Return a table as lines, each cell after the name of its column; without names, there may be bars between."""
    lines = list(table.titles)
    rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    last = max((at for at, row in enumerate(rows) if any(row[1:])), default=0)
    for at, row in enumerate(rows):
        if table.names:
            if not any(row[1:]) and at < last:  # missing values, not a note: on its own, the label looks like a heading
                row[1:] = [_MISSING] * (len(table.names) - 1)
            lines.append(named_text(table.names, row))
            continue
        cells = [cell.removesuffix(":") for cell in row]
        barred = f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"
        lines.append(barred if bars else ": ".join(filter(None, cells)))
    return "\n".join(lines)
