"""Kinds of files that can be read, and their contents → the texts in them: one for each row of a table, or one in all.

A kind is detected by first bytes and names. Everything here is pure: bytes in, values out. Dangerous kinds are parsed
in the child process of `sandbox`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Literal, NamedTuple

from factscope.core import json_object, many
from factscope.evidence.addresses import web_url
from factscope.evidence.csv_tables import table_rows
from factscope.evidence.decode import DecodedText, NotTextError, clean, decode, mostly_utf8
from factscope.evidence.table_grid import FEWEST, named_text

Kind = Literal["txt", "md", "html", "pdf", "jsonl", "csv", "docx", "pptx", "xlsx", "epub"]

KINDS: dict[str, Kind] = {
    ".txt": "txt", ".text": "txt", ".rst": "txt", ".md": "md", ".markdown": "md",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv",
    ".docx": "docx", ".pptx": "pptx", ".xlsx": "xlsx", ".epub": "epub",
}  # fmt: skip
"""Kinds of readable files, by file extension."""

FILE_ENDINGS = frozenset([*KINDS, ".json", ".xml", ".log", ".tex", ".doc", ".odt", ".rtf", ".ppt", ".xls"])
"""Endings by which a name is taken for that of a file, whether it can be read or not: not "Dr.Smith"."""

OFFICE_KINDS: dict[Kind, tuple[str, str | None]] = {
    "docx": ("a Word document", "docx"),
    "pptx": ("a PowerPoint presentation", "pptx"),
    "xlsx": ("an Excel workbook", "openpyxl"),
    "epub": ("an EPUB book", None),
}
"""Name of each Office format, and the module of the extra `office` that reads it; None if none is needed."""

# First bytes of files that are not text, with the fix for each. `%PDF-` is a kind that we read.
_MAGIC = {
    b"PK\x03\x04": "is a ZIP archive or an Office file without its ending: name it .zip, .docx, .pptx, .xlsx or .epub",
    b"\x1f\x8b": "is compressed with gzip; unpack it first",
    b"BZh": "is compressed with bzip2; unpack it first",
    b"\xfd7zXZ\x00": "is compressed with xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it first",
    b"7z\xbc\xaf": "is a 7z archive; unpack it first",
    b"Rar!\x1a": "is a RAR archive; unpack it first",
    b"\x89PNG": "is a picture; run it through text recognition (OCR) first",
    b"\xff\xd8\xff": "is a picture; run it through text recognition (OCR) first",
    b"GIF8": "is a picture; run it through text recognition (OCR) first",
    b"\x7fELF": "is a program",
    b"SQLite format 3\x00": "is a database; export its text as jsonl or csv",
    b"\xd0\xcf\x11\xe0": "is an old Office file; save it as txt or pdf",
}


class BadPart(NamedTuple):
    """A part of a file that can't be used, or the whole file."""

    message: str
    """The problem and its fix, worded to follow the file's name."""
    line: int | None = None
    again: bool = False
    """Whether another attempt may succeed, because the file is not at fault; the result is then not cached."""


def kind_of(name: str, start: bytes) -> Kind | BadPart:
    """Detect the kind of a file by its first bytes, then by its name, then by a look at the text."""
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"%PDF-" in start[:1024]:
        return "pdf"
    suffix = re.search(r"\.[^.]*$", name.lower())
    by_suffix = KINDS.get(suffix[0]) if suffix else None
    if by_suffix in OFFICE_KINDS:
        is_zip = start.startswith(b"PK\x03\x04")
        return by_suffix if is_zip else BadPart(f"is not {OFFICE_KINDS[by_suffix][0]}, though its name says so")
    for magic, message in _MAGIC.items():
        if start.startswith(magic):
            return BadPart(message)
    if by_suffix:
        return by_suffix if by_suffix != "pdf" else BadPart("is not a PDF, though its name says so")
    return "html" if re.match(rb"<(?:!doctype html|html)\b", head[:20].lower()) else "txt"


TEXT_FIELDS = ("text", "content", "body", "evidence", "passage")
"""Fields of a JSONL row, or columns of a CSV, that may hold its text; the first that exists is used."""
MOST_COLUMNS = 10_000
"""A CSV file with more columns is not read: every row of it would be a text as long as a book."""
_DATE_FIELDS = ("published", "date")
_ABOUT_TEXT = ("id", "title", "url", *_DATE_FIELDS)
_ALSO_VALUES = ("content", "body", "evidence", "passage")
"""Columns of a CSV that often hold a value beside others instead: a body in space, the content of sugar, the level of
evidence. Theirs is the text of a row only if it ends like a sentence, or is longer than a value."""
_LONGEST_VALUE = 12  # words
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\Z")
_NOTE = 3
"""Fewest words of a note, which is alone in a row of a table."""
_SHOWN_BAD_ROWS = 20  # unusable parts of a file that are reported by name
_LONGEST_ID = 100  # characters of a row's own id


class TextRow(NamedTuple):
    """One text of a file: all of it, or a row."""

    text: str
    title: str | None = None
    url: str | None = None
    """Its own web address, if it states one."""
    place: str = ""
    """Position in the file: `#L12`, `#row-3` or `#` and the row's own id; empty for the whole file."""
    published: str | None = None
    flags: tuple[str, ...] = ()


def to_json(item: TextRow | BadPart) -> dict[str, TextRow | BadPart]:
    """Return an item in a form that can be written as JSON."""
    return {"entry" if isinstance(item, TextRow) else "bad": item}


def from_json(item: Mapping[str, list[Any]]) -> TextRow | BadPart:
    """Restore an item. Raises KeyError or TypeError for anything that `to_json` did not return."""
    if "entry" not in item:
        return BadPart(*item["bad"])
    row = TextRow(*item["entry"])
    return row._replace(flags=tuple(row.flags))


_OWN_REPORT = re.compile(rb'<meta name="generator" content="Factscope |^\s*\{"type": ?"report"')
_HEAD = 4_096  # bytes in which a report of our own shows itself


def parse(data: bytes, kind: Kind, seconds: float, characters: int) -> Iterator[TextRow | BadPart]:
    """Yield the texts of one file, and its unusable parts.

    `seconds` of processor time limit a PDF's pages; `characters` limit each text. Longer texts are cut off, flagged
    `truncated` and reported. Never raises on bad content.
    """
    if _OWN_REPORT.search(data[:_HEAD]):
        yield BadPart("is a report of Factscope: what a checker said is not evidence")
        return
    any_text = False
    try:
        for item in _rows(data, kind, seconds, characters):
            if isinstance(item, BadPart):
                yield item
                continue
            text, flags = clean(item.text)
            if not text.strip():
                continue
            if len(text) > characters:
                flags = (*flags, "truncated")
                location = item.place or "its text"
                yield BadPart(
                    f"is read in part: {location} is longer than {characters:,} characters; the rest is cut off"
                )
            any_text = True
            title = " ".join(clean(item.title).text.split())[:300] if item.title else None
            yield item._replace(text=text[:characters], title=title, flags=tuple(sorted({*item.flags, *flags})))
    except NotTextError as error:
        any_text = True
        yield BadPart(str(error))
    if not any_text:
        yield BadPart("contains no text")


def _rows(data: bytes, kind: Kind, seconds: float, characters: int) -> Iterator[TextRow | BadPart]:
    match kind:
        case "txt" | "md":
            yield _single_row(data, kind, characters)
        case "jsonl":
            yield from _jsonl(data)
        case "csv":
            # Spreadsheet programs use the old encoding of their country: only letters beyond ASCII show which.
            by_row = mostly_utf8(data, ascii_counts=False)
            text, flags = DecodedText(data.decode("utf-8-sig", "surrogateescape")) if by_row else decode(data)
            yield from flagged(_csv(text), flags)
        case "html":
            yield from _html(data)
        case "pdf":
            yield from _pdf(data, seconds, characters)
        case "docx" | "pptx" | "xlsx" | "epub":
            from factscope.evidence.office_text import read_office

            yield from read_office(data, kind)


def _html(data: bytes) -> Iterator[TextRow | BadPart]:
    from factscope.evidence.page.markup import MAX_TAGS
    from factscope.evidence.page.page import MAX_BYTES, MAX_CHARACTERS, read_html

    if len(data) > MAX_BYTES:
        raise NotTextError(f"is a page of more than {MAX_BYTES // 1_000_000} MB; split it")
    page, markup = read_html(data, None, "")
    if "truncated" in page.flags:
        yield BadPart(
            "is read in part: its tags are nested too deeply, or its text is longer than "
            f"{MAX_CHARACTERS:,} characters; what comes after that is left out. Save the page as plain text"
        )
    elif markup.large:
        yield BadPart(
            f"is read line by line, as it has more than {MAX_TAGS:,} tags: menus and comments may be in its text. "
            "Save the part that matters as a page of its own"
        )
    elif markup.n_unread:
        yield BadPart(
            f"is read without the {many(markup.n_unread, 'word')} in its sidebar; if they matter, save them as plain"
            " text"
        )
    yield TextRow(page.text, page.title, published=page.published, flags=page.file_flags)


def _pdf(data: bytes, seconds: float, characters: int) -> Iterator[TextRow | BadPart]:
    from factscope.evidence.page.page import flags_of_removed
    from factscope.evidence.page.pdf import read_pdf

    pdf = read_pdf(data, seconds, characters)
    if pdf.unread:
        yield BadPart(
            f"is read in part: {pdf.unread} of its {many(pdf.pages, 'page')} could not be read in time or"
            " at all; split it"
        )
    yield TextRow(pdf.text, pdf.title, flags=(*pdf.flags, *flags_of_removed(pdf.removed)))


_CODE = r"(?P<code>^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\2|\Z)|(?<!`)(`+)(?!`)[^\n]{1,500}?(?<!`)\3(?!`))"
_STRUCK = r"(?<![~\\])~~(?![~\s.,;:!?)])(?:[^~\n]|~(?!~)|\n(?!\s*\n)){1,2000}?(?<!\s)~~(?!~) ?"
_COMMENT = r"^ {0,3}<!--.*?(?:-->|\Z)|<!--(?:[^-]|-(?!->))*+(?:-->|(?P<unclosed>\Z))"
_CODE_OR_UNSEEN = re.compile(f"{_CODE}|{_COMMENT}|{_STRUCK}", re.MULTILINE | re.DOTALL)
"""Code in Markdown, which stays as it is, or comments or struck out text with the blank after it (GFM, section 6.5)."""
_CODE_OR_STRUCK = re.compile(f"{_CODE}|{_STRUCK}", re.MULTILINE | re.DOTALL)
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\r?\n(.{1,20000}?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
"""Fields before a text in Markdown, as site generators read them."""
_FIELD = r"^%s:[ \t]*[\"']?(\S.{0,300}?)[\"']?[ \t]*\r?$"
_HEADING = re.compile(r"\s*(?:#[ \t]+([^\n]{1,300})|(\S[^\n]{0,300})\n=+[ \t]*\r?(?:\n|\Z))")
"""The heading with which Markdown begins: with a mark before it, or underlined."""


def _seen(match: re.Match[str]) -> str:
    """Return what a reader sees of a match; a comment that is not closed in a line is text."""
    if match["unclosed"] is None:
        return match["code"] or ""
    return "<!--" + _CODE_OR_STRUCK.sub(lambda inner: inner["code"] or "", match[0].removeprefix("<!--"))


def _single_row(data: bytes, kind: Kind, characters: int) -> TextRow:
    # No encoding needs more than four bytes for a character: no need to decode what will be cut off.
    end = 4 * characters + 4
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        while end < len(data) and data[end] & 0xC0 == 0x80 and end > 4 * characters:
            end -= 1
    text, flags = decode(data[:end])
    if kind != "md":
        return TextRow(text, flags=flags)
    text = _CODE_OR_UNSEEN.sub(_seen, text)
    front = _FRONT_MATTER.match(text)
    fields = [re.search(_FIELD % name, front[1] if front else "", re.MULTILINE) for name in ("title", "date")]
    title, day = (field[1] if field else None for field in fields)
    if not title and (heading := _HEADING.match(text, front.end() if front else 0)):
        title = (heading[1] or heading[2]).rstrip(" #\r")
    return TextRow(text, title, published=_date(day), flags=flags)


def flagged(items: Iterable[TextRow | BadPart], flags: tuple[str, ...]) -> Iterator[TextRow | BadPart]:
    """Yield all rows, with these flags, but only the first few bad ones by name, and a count of the others."""
    bad = 0
    for item in items:
        bad += isinstance(item, BadPart)
        if isinstance(item, TextRow):
            yield item._replace(flags=flags)
        elif bad <= _SHOWN_BAD_ROWS:
            yield item
    if bad > _SHOWN_BAD_ROWS:
        yield BadPart(f"{many(bad - _SHOWN_BAD_ROWS, 'more row')} can't be used")


def _jsonl(data: bytes) -> Iterator[TextRow | BadPart]:
    flags: tuple[str, ...] = ()
    # JSON is UTF-8 by its standard (RFC 8259, section 8.1), so that ASCII speaks for it.
    if not mostly_utf8(data, ascii_counts=True):
        text, flags = decode(data)
        data = text.encode()
    lines = enumerate(map(bytes.strip, BytesIO(data)), 1)
    return flagged((_json_row(line, number) for number, line in lines if line), flags)


def _json_row(line: bytes, number: int) -> TextRow | BadPart:
    try:
        values = json_object(line)
    except ValueError as error:
        return BadPart(str(error), number)
    return _row(values, f"#L{number}") or BadPart(f"has no text in any of {', '.join(TEXT_FIELDS)}", number)


def _row(values: Mapping[str, Any], place: str) -> TextRow | None:
    """Return a row from its fields; `None` if none of them holds text."""
    texts = (text for name in TEXT_FIELDS if isinstance(text := values.get(name), str))
    text = next((text for text in texts if text.strip()), None)
    if text is None:
        return None
    own_id = str(values.get("id"))
    if isinstance(values.get("id"), str | int) and len(own_id) <= _LONGEST_ID and _is_plain(own_id):
        place = f"#{own_id}"
    return TextRow(
        text=text,
        title=_text(values.get("title")),
        url=web_url(values.get("url")),
        place=place,
        published=next((date for name in _DATE_FIELDS if (date := _date(values.get(name)))), None),
    )


def _csv(text: str) -> Iterator[TextRow | BadPart]:
    count, table = 0, 1
    for row in table_rows(text, TEXT_FIELDS):
        cells, line = row.record.cells, row.record.line
        if row.record.problem:
            yield BadPart(row.record.problem, line)
        if not row.names:
            check_width(cells)
        count, table = (count if row.table == table else 0) + bool(row.names and cells), row.table
        if row.names and not row.record.problem:
            place = f"#table-{table}-row-{count}" if table > 1 else f"#row-{count}"
            yield row_with_names(row.names, cells, place, row.title) or BadPart("has no text", line)


def check_width(names: list[str]) -> None:
    """Raise NotTextError for a table with too many columns."""
    if len(names) > MOST_COLUMNS:
        raise NotTextError(f"has {len(names):,} columns; at most {MOST_COLUMNS:,} are read; leave out the others")


def row_with_names(names: Sequence[str], cells: Sequence[str], place: str, title: str = "") -> TextRow | None:
    """Return the row of a table with its column names; None for one without text.

    A note below a table fills only the first of its columns.
    """
    values = {"title": title} | {name.lower(): cell for name, cell in zip(names, cells, strict=False)}
    if not _has_own_text({name.lower() for name in names}, values):
        words = [" ".join(cell.split()) for cell in cells]
        filled = [cell for cell in words if cell]
        is_note = len(names) >= FEWEST and len(filled) == 1 and len(cells[0].split()) >= _NOTE
        values["text"] = filled[0] if is_note else named_text(names, words)
    return _row(values, place)


def _has_own_text(names: set[str], values: dict[str, str]) -> bool:
    """Return whether the text of a row is in one of its columns, and its others are about that text."""
    column = next((field for field in TEXT_FIELDS if field in names), None)
    if column not in _ALSO_VALUES:
        return column is not None
    text = values.get(column, "").strip()
    others = any(cell.strip() for name, cell in values.items() if name not in (column, *_ABOUT_TEXT))
    return not (text and others) or len(text.split()) > _LONGEST_VALUE or _SENTENCE_END.search(text) is not None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _is_plain(name: str) -> bool:
    """Return whether a name can be used unchanged: it has no white space and nothing that `clean` changes."""
    return re.fullmatch(r"\S+", name) is not None and clean(name).text == name


def _date(value: object) -> str | None:
    """Return a date or time in ISO 8601, as stated."""
    pattern = r"\d{4}(?:-\d{2}(?:-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?)?)?"
    return value if isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) else None
