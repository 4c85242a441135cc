"""Kinds of files that can be read, detected by first bytes and names, and the messages about others."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["txt", "md", "html", "pdf", "jsonl", "csv", "docx", "pptx", "xlsx", "epub"]

KINDS: dict[str, Kind] = {
    ".txt": "txt", ".text": "txt", ".rst": "txt", ".md": "md", ".markdown": "md",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv",
    ".docx": "docx", ".pptx": "pptx", ".xlsx": "xlsx", ".epub": "epub",
}  # fmt: skip
"""Kinds of readable files, by file extension."""

OFFICE_KINDS: dict[Kind, tuple[str, str | None]] = {
    "docx": ("a Word document", "docx"),
    "pptx": ("a PowerPoint presentation", "pptx"),
    "xlsx": ("an Excel workbook", "openpyxl"),
    "epub": ("an EPUB book", None),
}
"""Name of each Office format, and the module of the extra `office` that reads it; None if none is needed."""

# First bytes of files that are not text, with the fix for each. `%PDF-` is a kind that we read.
_MAGIC = (
    (
        b"PK\x03\x04",
        "is a ZIP archive or an Office file without its ending: name it .zip, .docx, .pptx, .xlsx or .epub",
    ),
    (b"\x1f\x8b", "is compressed with gzip; unpack it first"),
    (b"BZh", "is compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"),
    (b"7z\xbc\xaf", "is a 7z archive; unpack it first"),
    (b"Rar!\x1a", "is a RAR archive; unpack it first"),
    (b"\x89PNG", "is a picture; run it through text recognition (OCR) first"),
    (b"\xff\xd8\xff", "is a picture; run it through text recognition (OCR) first"),
    (b"GIF8", "is a picture; run it through text recognition (OCR) first"),
    (b"\x7fELF", "is a program"),
    (b"SQLite format 3\x00", "is a database; export its text as jsonl or csv"),
    (b"\xd0\xcf\x11\xe0", "is an old Office file; save it as txt or pdf"),
)


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
    for magic, message in _MAGIC:
        if start.startswith(magic):
            return BadPart(message)
    if by_suffix:
        return by_suffix if by_suffix != "pdf" else BadPart("is not a PDF, though its name says so")
    return "html" if re.match(rb"<(?:!doctype html|html)\b", head[:20].lower()) else "txt"
