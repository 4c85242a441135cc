"""FELM: responses in segments, each labelled right or wrong, in five domains (Chen et al. 2023).

    {"index": "0", "domain": "wk", "source": "quora", "prompt": "…", "response": "…", "segmented_response": ["…", "…"],
     "labels": [true, false], "comment": ["", "It was 1931."], "type": [null, "knowledge_error"],
     "ref": ["https://…"], "ref_contents": ["…"]}

As released: 847 responses in 4,426 segments (the paper counts 4,425), of which four are empty text; two responses are
NaN, `type` is empty text throughout one domain, `ref_contents` is text where there are no references, 293 wrong
segments have no type, and the segments of a tenth of the responses do not make them up: calculator marks, a written-out
line break or a forgotten "Copy code" were taken out of them. What people labelled, and what the paper's evaluators were
shown, are the segments: such a response is read as its segments in lines. A response is wrong if any segment is.
References belong to a response, not to a segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_known
from factscope.benchmarks.datasets.io.row import is_broken
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.core import Document, Gold, Sample, Span, many

DOMAINS = ("wk", "science", "math", "reasoning", "writing_rec")
NO_RESPONSE = "responses of no text"
NOT_THE_WHOLE = "responses that their segments do not make up"
EMPTY = "segments of empty text"
NO_TYPE = "wrong segments without a type of error"


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of FELM. Raises UnusableSampleError."""
    name = cells.identity(values, where, "index")
    segments, labels = cells.items(values, "segmented_response"), cells.items(values, "labels")
    if not segments or not all(isinstance(segment, str) for segment in segments):
        raise UnusableSampleError("has no list of segments")
    if any(map(is_broken, segments)):
        raise UnusableSampleError("has a segment with half a character, which is not text")
    if len(segments) != len(labels):
        raise UnusableSampleError(f"has {many(len(segments), 'segment')} and {many(len(labels), 'label')}")
    if not all(isinstance(label, bool) for label in labels):
        raise UnusableSampleError("has a label that is neither true nor false")
    response, spans = _placed(segments, cells.optional(values, "response"), name, notes)
    kinds, comments = (_parallel_column(values, column, len(labels), name, notes) for column in ("type", "comment"))
    for wrong, kind in zip(labels, kinds, strict=True):
        if not wrong and kind is None:
            notes.add(NO_TYPE, name)
    context = tuple(_references(values))
    gold = []
    for number, (span, right, kind, comment) in enumerate(zip(spans, labels, kinds, comments, strict=True), 1):
        fields = {"error_type": None if right else kind, "comment": comment}
        gold.append(Gold(id=f"g{number}", level="segment", span=span, factual=right, **fields))
    references = tuple(document.id for document in context)
    gold.append(Gold(id="response", level="response", factual=all(labels), references=references))
    domain = where.file if where.file in DOMAINS else None
    described = cells.tags(values, "source", domain=cells.optional(values, "domain") or domain)
    yield cells.sample_of(values, name, response, gold, described, context)


def _placed(segments: Sequence[str], response: str | None, name: str, notes: Notes) -> tuple[str | None, list[Span]]:
    """Return the labelled text, and the positions of its segments; an empty one is at the end of the one before."""
    text, spans = response or "", cells.locate_parts(segments, response) if response else None
    if spans is None:
        notes.add(f"{NOT_THE_WHOLE if response else NO_RESPONSE}, read as their segments in lines", name)
        text = "\n".join(segments)
        spans = cells.locate_parts(segments, text) or []
    placed, at = [], 0
    for number, span in enumerate(spans, 1):
        if span is None:
            notes.add(EMPTY, f"{name}, segment {number}")
        placed.append(span or Span(start=at, end=at))
        at = placed[-1].end
    return (text if text.strip() else None), placed


def _parallel_column(values: Values, column: str, count: int, name: str, notes: Notes) -> list[str | None]:
    """Return a column with an entry for each segment.

    If the number of entries differs, they can't be assigned, and none is used.
    """
    entries = cells.items(values, column)
    if entries and len(entries) != count:
        notes.add(f"another number of entries in {column!r} than of segments", name)
    if len(entries) != count:
        return [None] * count
    return [(entry.strip() or None) if isinstance(entry, str) and not is_broken(entry) else None for entry in entries]


def _references(values: Values) -> Sequence[Document]:
    """Return the references, each with the text taken from it, if any."""
    links = [url.strip() for url in cells.texts(values, "ref")]
    text = values.get("ref_contents")
    contents = text if isinstance(text, list) else [text]
    texts = [content if isinstance(content, str) and content.strip() else None for content in contents]
    if len(texts) == len(links):
        return cells.documents(cells.document(content, url) for url, content in zip(links, texts, strict=True))
    addresses = [cells.document(None, url) for url in links]
    return cells.documents([*addresses, *(cells.document(text) for text in texts if text)])


register_known("felm", DatasetForm("felm", (("response", "segmented_response", "labels"),), read))
