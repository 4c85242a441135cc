"""Reference files → entries by their keys: BibTeX, RIS, CSL-JSON. Unreadable entries are reported by line."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, takewhile
from typing import Any

from factscope.claims.citations.reference import Reference
from factscope.core import UsageError
from factscope.evidence.citations.latex_text import author_names, plain_latex, plain_prose
from factscope.evidence.decode import SURROGATE, NotTextError, decode
from factscope.evidence.file_list import EvidenceFile, EvidenceProblem

ENDINGS = (".bib", ".ris", ".json")
"""Files that are read as references."""
_EXPORT = "export the references again, in UTF-8, from the program that they are kept in"


def read_references(file: EvidenceFile, data: bytes) -> Iterator[Reference | EvidenceProblem]:
    """Yield the entries and the unusable parts of a reference file, in order.

    Raises UsageError for BibTeX and RIS when the extra `citations` is not installed.
    """
    name = file.name
    try:
        text = decode(data).text
    except NotTextError as error:
        yield EvidenceProblem(name, None, f"{str(error).partition(';')[0]}; {_EXPORT}")
        return
    try:
        match file.path.suffix.lower():
            case ".bib":
                yield from _bibtex(text, name)
            case ".ris":
                yield from _ris(text, name)
            case _:
                yield from _csl(text, name)
    except ImportError:
        raise UsageError(
            f"{name} needs a package that is not installed.", "pip install 'factscope[citations]', or give CSL-JSON."
        ) from None


def _bibtex(text: str, name: str) -> Iterator[Reference | EvidenceProblem]:
    import bibtexparser

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # unreadable parts are reported by line instead
    library = bibtexparser.parse_string(text)  # type: ignore[attr-defined]  # its package lists no names
    for block in library.failed_blocks:
        begins = " ".join(str(block.raw).split())[:60]
        line = None if block.start_line is None else block.start_line + 1
        reason = _line(block.error) or "its braces or quotation marks do not close"
        yield EvidenceProblem(name, line, f"the entry {begins!r} can't be read: {reason}; correct it")
    for entry in library.entries:
        source = {field.key.lower(): str(field.value) for field in entry.fields}
        statement = {key: plain_latex(value) for key, value in source.items()}
        authors = author_names(source.get("author") or source.get("editor") or "")
        title = plain_prose(source["title"]) if "title" in source else None
        year, url = statement.get("year") or statement.get("date"), statement.get("url")
        archive = statement.get("archiveprefix", statement.get("eprinttype", ""))
        yield Reference(
            key=entry.key,
            entry=_written([name for name, _ in authors], year, title, url),
            title=title,
            authors=tuple(filter(None, (name if is_whole else _family(name) for name, is_whole in authors))),
            year=(year or "")[:5].rstrip("-") or None,
            url=url,
            doi=_bare_doi(statement.get("doi")),
            arxiv=statement.get("eprint") if "arxiv" in archive.lower() else None,
            accessed=statement.get("urldate"),
            file=_file(statement.get("file")),
        )


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]


def _ris(text: str, name: str) -> Iterator[Reference | EvidenceProblem]:
    import rispy

    for number, block in _records(text):
        try:
            listed = rispy.loads(block)
        except (OSError, ValueError, KeyError, IndexError) as error:
            yield EvidenceProblem(name, number, f"the entry can't be read: {_line(error)}; correct it")
            continue
        if not listed:
            yield EvidenceProblem(
                name, number, "the entry can't be read: it lacks its first line, TY, or its last, ER; correct it"
            )
        for entry in listed:
            authors = [*entry.get("authors", ()), *entry.get("first_authors", ())]
            title = entry.get("title") or entry.get("primary_title")
            year = str(entry.get("year") or entry.get("publication_year") or "")[:4] or None
            url = next(iter(entry.get("urls") or ()), None) or entry.get("url")
            yield Reference(
                key=entry.get("id") or entry.get("label"),
                entry=_written(authors, year, title, url),
                title=title,
                authors=tuple(filter(None, map(_family, authors))),
                year=year,
                url=url,
                doi=_bare_doi(entry.get("doi")),
                accessed=(entry.get("access_date") or "").replace("/", "-")[:10] or None,
            )


def _records(text: str) -> Iterator[tuple[int, str]]:
    """Yield the records of a RIS file, each with the number of its first line."""
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if re.match(r"TY\s{0,2}-", line)]
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if first < (starts[0] if starts else len(lines)):
        yield first + 1, "\n".join(lines[first : starts[0] if starts else len(lines)])
    for start, end in pairwise([*starts, len(lines)]):
        block = "\n".join(lines[start:end]).strip()
        yield start + 1, (block + "\n" if re.search(r"^ER\s{0,2}-", block, re.MULTILINE) else "")


def _csl(text: str, name: str) -> Iterator[Reference | EvidenceProblem]:
    try:
        reply = json.loads(text)
    except ValueError as error:
        yield EvidenceProblem(name, getattr(error, "lineno", None), f"is not JSON: {error}; correct it")
        return
    except RecursionError:
        yield EvidenceProblem(name, None, f"is nested too deeply; {_EXPORT}")
        return
    items = reply.get("items", [reply]) if isinstance(reply, dict) else reply
    if not isinstance(items, list):
        yield EvidenceProblem(name, None, f"is not CSL-JSON, a list of entries; {_EXPORT}")
        return
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping) or not (_csl_text(item, "id") or _csl_text(item, "title")):
            yield EvidenceProblem(
                name, _line_of(text, number), f"item {number} is not an entry of CSL-JSON; it needs an id"
            )
            continue
        authors = item.get("author") or item.get("editor") or []
        if not isinstance(authors, list):
            message = f"the authors of item {number} are not a list of people; correct them"
            yield EvidenceProblem(name, _line_of(text, number), message)
            authors = []
        yield _csl_entry(item, [person for person in authors if isinstance(person, Mapping)])


def _csl_text(item: Mapping[str, Any], field: str) -> str | None:
    """Return a field as text that can be written to a file; None when it is empty, or neither text nor a number."""
    value = item.get(field)
    return SURROGATE.sub("\ufffd", str(value)) if value and isinstance(value, str | int | float) else None


def _csl_entry(item: Mapping[str, Any], people: list[Mapping[str, Any]]) -> Reference:
    authors = [_csl_text(person, "family") or _csl_text(person, "literal") or "" for person in people]
    issued, accessed = _csl_date(item.get("issued")), _csl_date(item.get("accessed"))
    title, url = _csl_text(item, "title"), _csl_text(item, "URL")
    return Reference(
        key=_csl_text(item, "id"),
        entry=_written(authors, issued and issued[:4], title, url),
        title=title,
        authors=tuple(filter(None, authors)),
        year=issued[:4] if issued else None,
        url=url,
        doi=_bare_doi(_csl_text(item, "DOI")),
        accessed=accessed if accessed and len(accessed) == len("2024-05-01") else None,
    )


def _csl_date(value: object) -> str | None:
    pieces = value.get("date-parts") if isinstance(value, Mapping) else None
    first = pieces[0] if isinstance(pieces, list) and pieces and isinstance(pieces[0], list) else []
    # A month without a usable year before it would be taken for the year.
    numbers = takewhile(lambda piece: isinstance(piece, str | int) and re.fullmatch(r"\d{1,4}", str(piece)), first)
    return "-".join(f"{int(number):02}" for number in numbers) or None


def _line_of(text: str, number: int) -> int | None:
    """Return the line on which item `number` begins, if each item begins on a line of its own."""
    starts = [match.start() for match in re.finditer(r"^\s{0,4}\{", text, re.MULTILINE)]
    return text.count("\n", 0, starts[number - 1]) + 1 if number <= len(starts) else None


def _family(author: str) -> str:
    return author.partition(",")[0].strip() if "," in author else author.rpartition(" ")[2].strip() or author


def _bare_doi(doi: str | None) -> str | None:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", doi.strip(), flags=re.IGNORECASE) if doi else None


def _file(value: str | None) -> str | None:
    """Return the first file of a field as JabRef and Zotero write it, `:folder/name.pdf:PDF`."""
    match = re.search(r"[^:;\s][^:;]*\.\w{2,5}", value) if value else None
    return match[0].strip() if match else None


def _written(authors: list[str], year: str | None, title: str | None, url: str | None) -> str:
    """Return an entry in one line, for a person."""
    people = ", ".join(filter(None, (author.strip() for author in authors)))
    pieces = (f"{people} ({year[:4]})".strip() if year else people, title, url)
    return ". ".join(piece.rstrip(".") for piece in pieces if piece)
