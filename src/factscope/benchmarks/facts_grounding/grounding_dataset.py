"""FACTS Grounding (Jacovi et al. 2025): requests with the document that their answer must rest on.

The public file has 860 rows: `system_instruction`, `user_request`, `context_document`, `full_prompt`, and the kind of
row (`domain`, `type`, `high_level_type`). Your own rows may have a simpler form:

    {"id": "r7", "system": "Use the document only.", "request": "When was it built?", "context": "…"}

Candidates are sent `full_prompt`, or without one the instruction, the document and the request, in this order. Texts
are kept verbatim, since a judge may be asked whether certain words are in a document.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from factscope.benchmarks import Example, Examples, digest, examples_of, first_text, needed_text, source_files
from factscope.benchmarks.datasets import UNUSABLE, Notes, RowLocation, UnusableSampleError, identity, optional
from factscope.benchmarks.datasets.io import ResponseRow, SourceFile, as_dataset
from factscope.benchmarks.datasets.labelled_rows import Values
from factscope.core import Document, Response, UsageError
from factscope.judging.user_request import frame_of

PUBLIC = "google/FACTS-grounding-public"
OPEN = "open"
"""The default split."""
_SYSTEM = ("system_instruction", "system")
_REQUEST = ("user_request", "request", "prompt")
_CONTEXT = ("context_document", "context", "document")
_TAGS = ("domain", "type", "high_level_type")


def read_examples(sources: Sequence[str], *, cache: Path, environment: Mapping[str, str] = os.environ) -> Examples:
    """Return the examples of some sources: files or data sets of the hub, optionally after a split, as in `blind=FILE`.

    Raises UsageError for a source that is not there or two of one split, and InputError when one holds no example.
    """
    notes = Notes()
    pairs = [_split(source) for source in sources]
    splits = tuple(split for split, _ in pairs)
    if twice := next((split for split in splits if splits.count(split) > 1), None):
        raise UsageError(
            f"Two sources are of the split {twice!r}.", "Name the split of each, such as blind=private.csv."
        )

    def files_of(split: str, source: str) -> Iterator[SourceFile]:
        examples_file = as_dataset(f"{source}:examples.csv") if source == PUBLIC else None
        for file in source_files(source, cache, environment, examples_file):
            yield file._replace(split=split)

    starts: dict[Path, int] = {}
    n_rows: Counter[str] = Counter()

    def read_example(file: SourceFile, row: ResponseRow) -> Example:
        """Read a row; one without an id is named by its split, whose files are numbered on."""
        split = file.split or OPEN
        number = starts.setdefault(file.path, n_rows[split]) + row.number
        n_rows[split] = max(number, n_rows[split])
        return _example(row.values, RowLocation(split, number))

    sources_read = ((source, files_of(split, source)) for split, source in pairs)
    rows = examples_of(sources_read, read_example, notes, "example", "Each needs a request and a document.")
    return Examples(rows, splits, notes.lines(), digest(rows), notes.count(UNUSABLE))


def _split(source: str) -> tuple[str, str]:
    split, equals, remainder = source.partition("=")
    if equals and split.isidentifier() and remainder:
        return split, remainder
    return OPEN, source


def context_document(text: str) -> Document:
    """Return the document of an example."""
    hashed = sha256(text.encode()).hexdigest()
    return Document(id=f"d-{hashed[:16]}", text=text, title="context document", sha256=hashed)


def _example(values: Values, where: RowLocation) -> Example:
    """Return the example of a row; the name of its split takes the place of the file's. Raises UnusableSampleError."""
    request, context = needed_text(values, _REQUEST), needed_text(values, _CONTEXT)
    system = first_text(values, _SYSTEM)
    full_prompt = optional(values, "full_prompt")
    if full_prompt is not None:
        system = frame_of(full_prompt, request, context)
        if system is None:
            raise UnusableSampleError("its full_prompt holds marks such as {{context}} outside of request and document")
    name = identity(values, where)
    document = context_document(context)
    response = Response(id=name, text="", prompt=request, context=(document,), system=system)
    tags = {tag: word for tag in _TAGS if (word := optional(values, tag))}
    return Example(name, where.file, response, tags)
