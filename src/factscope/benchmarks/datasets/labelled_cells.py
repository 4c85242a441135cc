"""Cells of labelled data: their texts, lists, labels and documents, and the places of segments in a response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Any

from factscope.benchmarks.datasets.io.row import is_broken, plain_id
from factscope.benchmarks.datasets.labelled_rows import RowLocation, UnusableSampleError, Values
from factscope.core import Document, Gold, Label, Sample, Span
from factscope.evidence.decode import clean

_YES = ("true", "1", "1.0", "yes", "accurate", "factual")
_NO = ("false", "0", "0.0", "no", "inaccurate", "not factual")
_LONGEST_ID = 200  # characters; the rest of a longer id is cut off
_WORD = re.compile(r"\w+|[^\w\s]")

LABELS: dict[str, tuple[bool | None, Label | None]] = {
    **dict.fromkeys(("true", "correct", "factual", "supported", "supports", "support"), (True, "supported")),
    **dict.fromkeys(("false", "incorrect", "not_supported", "partially_supported"), (False, "not_supported")),
    **dict.fromkeys(("contradicted", "contradict", "refutes"), (False, "contradicted")),
    **dict.fromkeys(("not_enough", "not_enough_evidence"), (False, "not_enough_evidence")),
    "irrelevant": (None, "irrelevant"),
    **dict.fromkeys(("unknown", "none"), (None, None)),
}
"""Words for labels: whether they call the unit correct, and our label. In sets with only right and wrong, such as FELM
and FavaBench, a claim without enough support counts as wrong."""


def text(values: Values, column: str) -> str:
    """Return the text in a column. Raises UnusableSampleError when there is none."""
    cell_text = optional(values, column)
    if cell_text is None:
        raise UnusableSampleError(f"column {column!r} contains no text")
    return cell_text


def optional(values: Values, column: str) -> str | None:
    """Return the text in a column; None when it is missing, blank, or not a number.

    Raises UnusableSampleError for anything else.
    """
    cell = values.get(column)
    if cell is None or cell != cell:  # NaN is not equal to itself
        return None
    if isinstance(cell, bool | list | dict):
        raise UnusableSampleError(f"column {column!r} contains no text")
    if is_broken(words := str(cell)):
        raise UnusableSampleError(f"column {column!r} contains half a character, which is not text")
    return words if words.strip() else None


def yes_or_no(cell: object) -> bool | None:
    """Return the value of a cell; true or false may also be text, as in a table; None when it says neither."""
    word = str(cell).strip().casefold()
    return True if word in _YES else False if word in _NO else None


def items(values: Values, column: str) -> list[Any]:
    """Return the list in a column; empty when it is missing, null or blank text.

    Raises UnusableSampleError for anything else.
    """
    cell = values.get(column)
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return []
    if not isinstance(cell, list | tuple):
        raise UnusableSampleError(f"column {column!r} contains no list")
    return list(cell)


def texts(values: Values, column: str) -> list[str]:
    """Return the texts in a list, without blank ones and other values. Raises UnusableSampleError for another cell."""
    return [item for item in items(values, column) if isinstance(item, str) and item.strip()]


def object_of(cell: Any, column: str) -> Values:
    """Return an entry of a column that must be an object. Raises UnusableSampleError for anything else."""
    if not isinstance(cell, Mapping):
        raise UnusableSampleError(f"an entry of column {column!r} is not an object")
    return cell


def objects(values: Values, column: str) -> list[Values]:
    """Return the objects in the list in a column. Raises UnusableSampleError for another cell or entry."""
    return [object_of(entry, column) for entry in items(values, column)]


def is_blank(cell: object) -> bool:
    """Return whether a cell is empty; tables hold NaN, which is not equal to itself, where there is nothing."""
    return cell is None or cell != cell or not str(cell).strip()


def label(cell: object) -> tuple[bool | None, Label | None]:
    """Parse a label; a blank cell is unknown. Raises UnusableSampleError for one that is not among `LABELS`."""
    if is_blank(cell):
        return None, None
    if isinstance(cell, list | tuple):
        raise UnusableSampleError("a label is a list; write one word, such as what most of several people say")
    word = str(cell).strip().casefold().replace(" ", "_").replace("-", "_")
    if word not in LABELS:
        raise UnusableSampleError(f"the label {str(cell)[:40]!r} is not among {', '.join(LABELS)}")
    return LABELS[word]


def identity(values: Values, where: RowLocation, column: str = "id") -> str:
    """Return the name of a sample: that of its row, or the file's name and the row's number.

    It is never that of a segment.
    """
    return sample_id(optional(values, column) or "") or f"{where.file}-{where.number}"


def sample_id(name: str) -> str:
    """Return the id of the sample that a file names so; empty for a name without letters."""
    return plain_id(name)[:_LONGEST_ID]


def document(content: str | None, url: str | None = None, title: str | None = None) -> Document:
    """Return a document of a sample; two that differ in text or address have different ids.

    Raises UnusableSampleError for half a character.
    """
    if is_broken(content or "") or is_broken(url or ""):
        raise UnusableSampleError("a document contains half a character, which is not text")
    words = clean(content).text if content else None
    digest = sha256((words or "").encode()).hexdigest()
    key = sha256(f"{url or ''}\n{digest}".encode()).hexdigest() if url else digest
    return Document(id=f"d-{key[:16]}", text=words, url=url, title=title, sha256=digest)


def documents(documents: Iterable[Document]) -> tuple[Document, ...]:
    """Return documents, each once."""
    return tuple({document.id: document for document in documents}.values())


def tags(values: Values, *columns: str, **tags_given: str | None) -> dict[str, str]:
    """Return the tags of a sample: those in its columns and in `tags_given`."""
    tags_found = {**{column: optional(values, column) for column in columns}, **tags_given}
    return {name: word.strip() for name, word in tags_found.items() if word}


def sample_of(
    values: Values,
    name: str,
    response: str | None,
    gold: Iterable[Gold],
    tags: Mapping[str, str],
    context: tuple[Document, ...] = (),
) -> Sample:
    """Return the sample of a row, its prompt that of the row."""
    prompt = optional(values, "prompt")
    return Sample(id=name, prompt=prompt, context=context, response=response, gold=tuple(gold), tags=tags)


def locate_parts(texts: Sequence[str], full_text: str) -> list[Span | None] | None:
    """Locate the parts of a text; None unless together they cover all of it except white space.

    Spans exclude white space around a part.
    """
    black = [at for at, character in enumerate(full_text) if not character.isspace()]
    letters = "".join(full_text[at] for at in black)
    spans: list[Span | None] = []
    at = 0
    for text_part in texts:
        individual = "".join(text_part.split())
        if not letters.startswith(individual, at):
            return None
        spans.append(Span(start=black[at], end=black[at + len(individual) - 1] + 1) if individual else None)
        at += len(individual)
    return spans if at == len(letters) else None


def factual(cell: object, parts: Iterable[Gold]) -> bool | None:
    """Read a label, or without one label the whole from its parts: wrong if one is, right if all others are.

    It is unknown if nothing is known of a part. Raises UnusableSampleError for a word that is not among `LABELS`.
    """
    if not is_blank(cell):
        return label(cell)[0]
    defined = [part.factual for part in parts if part.factual is not None]
    return all(defined) if defined else None


def find(full_text: Sequence[str], complete: str) -> Iterator[Span | None]:
    """Locate each part of a text as well as possible, in their order and without overlap.

    Words and marks are matched in order; a part of which less than half is found has no place.
    """
    matches = list(_WORD.finditer(complete))
    individual = [_WORD.findall(piece) for piece in full_text]
    words = [word for declaration in individual for word in declaration]
    at: dict[int, int] = {}
    matcher = SequenceMatcher(None, words, [word[0] for word in matches], autojunk=False)
    for block in matcher.get_matching_blocks():
        at.update((block.a + step, block.b + step) for step in range(block.size))
    behind = 0
    for declaration in individual:
        results = [at[index] for index in range(behind, behind + len(declaration)) if index in at]
        behind += len(declaration)
        nearby = bool(declaration) and 2 * len(results) >= len(declaration)
        yield Span(start=matches[results[0]].start(), end=matches[results[-1]].end()) if nearby else None
