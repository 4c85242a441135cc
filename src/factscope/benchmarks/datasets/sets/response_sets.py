"""Responses that are labelled as a whole or part by part: HaluEval, one form for all, and the plain form.

The plain form is for your own labels, one object per line; only `response` is required:

    {"id": "a1", "prompt": "…", "response": "Paris is in France. It has 90 million people.", "label": "incorrect",
     "segments": [{"text": "Paris is in France.", "label": "correct"},
                  {"text": "It has 90 million people.", "label": "incorrect", "error_type": "number"}],
     "claims": [{"text": "Paris has 90 million people.", "label": false}],
     "references": [{"url": "https://…", "text": "…"}], "domain": "wk", "model": "…", "topic": "…", "tier": "…"}

A segment may have `start` and `end`, offsets in characters, in place of `text`. Labels are words of
`labelled_cells.LABELS`, true or false; null where people could not tell. A response without a label is wrong if a
segment is. Segments need not cover the response: text outside them has no label. Only if the response has a label
itself, texts of errors that do not make it up are read as a comment on that label, and counted. `references`, also
called `context`, `contexts`, `retrieved_contexts` or `retrieval_context`, are objects or texts, one or a list of them;
`prompt` may be called `question` or `user_input`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_form, register_known
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.claims.text.align import align
from factscope.core import Document, Gold, Sample, Span
from factscope.evidence.text_documents import TEXT_KEYS

NOT_FOUND = "segments that could not be found in the response"
NOT_THE_WHOLE = "segments that do not make up the response"
AS_COMMENT = "segments, none labelled right, that do not make up a labelled response: read as a comment on its label"
_CONTEXTS = ("references", "context", "contexts", "retrieved_contexts", "retrieval_context")
_TASKS = {
    "answer": ("question", "knowledge"),
    "response": ("dialogue_history", "knowledge"),
    "summary": ("", "document"),
}
"""HaluEval's tasks: the ending of their two text columns, and the columns of request and evidence."""


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of the plain form. Raises UnusableSampleError."""
    name, response = cells.identity(values, where), cells.text(values, "response")
    pieces = cells.objects(values, "segments")
    labels = [cells.label(piece.get("label")) for piece in pieces]
    # Beside a label of the whole, a list of nothing but errors explains that label and says nothing of the rest;
    # without one it is all that people labelled.
    labelled_whole = not cells.is_blank(values.get("label"))
    errors_only = bool(pieces) and not any(factual for factual, _ in labels)
    marks = labelled_whole and errors_only and _spans(pieces, response) is None
    gold: list[Gold] = []
    if marks:
        notes.add(AS_COMMENT, name)
    else:
        gold += _segments(pieces, labels, response, name, notes)
    for number, item in enumerate(cells.objects(values, "claims"), 1):
        factual, ours = cells.label(item.get("label"))
        claim = cells.text(item, "text")
        span = align(claim, response)[0]
        gold.append(Gold(id=f"c{number}", level="claim", span=span, text=claim, factual=factual, label=ours))
    comment = "; ".join(cells.text(piece, "text") for piece in pieces) if marks else cells.optional(values, "comment")
    complete = cells.factual(values.get("label"), gold)
    gold.append(Gold(id="response", level="response", factual=complete, comment=comment))
    described = cells.tags(values, "domain", "model", "topic", "tier", "dataset", "source")
    questions = (cell for column in ("question", "user_input") if isinstance(cell := values.get(column), str))
    request = {"prompt": values.get("prompt") or next(questions, None)}
    yield cells.sample_of(request, name, response, gold, described, _references(values))


def halueval(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the samples of a row of HaluEval (Li et al. 2023).

    A response, or an answer that is right and one that is not.
    """
    if "chatgpt_response" in values:
        label = values.get("hallucination", values.get("hallucination_label"))
        word = {"yes": "incorrect", "no": "correct"}.get(str(label).strip().casefold())
        if word is None:
            raise UnusableSampleError(f"the label {str(label)[:40]!r} is neither yes nor no")
        comment = "; ".join(str(entry) for entry in cells.items(values, "hallucination_spans")) or None
        results = {"id": values.get("ID"), "prompt": values.get("user_query"), "response": values["chatgpt_response"]}
        yield from read({**results, "label": word, "comment": comment, "domain": "general"}, where, notes)
        return
    task = next((task for task in _TASKS if f"right_{task}" in values), None)
    if task is None:
        raise UnusableSampleError("is of none of HaluEval's tasks")
    prompt, knowledge = (values.get(column) for column in _TASKS[task])
    name = cells.identity(values, where, "ID")
    for kind, word in (("right", "correct"), ("hallucinated", "incorrect")):
        results = {"id": f"{name}-{kind}", "prompt": prompt, "response": values.get(f"{kind}_{task}"), "label": word}
        yield from read({**results, "references": [{"text": knowledge}], "domain": where.file}, where, notes)


def _segments(
    rows: Sequence[Values], labels: Sequence[tuple[bool | None, Any]], response: str, name: str, notes: Notes
) -> Iterator[Gold]:
    spans = _spans(rows, response)
    if spans is None:
        notes.add(NOT_THE_WHOLE, name)
        spans = list(cells.find([cells.text(piece, "text") for piece in rows], response))
    for number, (item, span, (factual, ours)) in enumerate(zip(rows, spans, labels, strict=True), 1):
        if span is None:
            notes.add(NOT_FOUND, f"{name}, segment {number}")
        yield Gold(
            id=f"g{number}",
            level="segment",
            span=span,
            text=cells.optional(item, "text") if span is None else None,
            factual=factual,
            label=ours,
            error_type=None if factual else cells.optional(item, "error_type"),
            comment=cells.optional(item, "comment"),
        )


def _spans(rows: Sequence[Values], response: str) -> Sequence[Span | None] | None:
    """Locate segments: by their offsets, else by their texts if these make up the response."""
    if all("start" in piece for piece in rows):
        return [_stated_span(piece, response) for piece in rows]
    return cells.locate_parts([cells.text(piece, "text") for piece in rows], response)


def _stated_span(item: Values, response: str) -> Span:
    start, end = item.get("start"), item.get("end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= len(response)):
        place = f"from {start!r} to {end!r} is not in a response of {len(response)} characters"
        raise UnusableSampleError(f"a segment {place}")
    return Span(start=start, end=end)


def _references(values: Values) -> tuple[Document, ...]:
    """Return the references, or the context: a text, an object with a text or url, or a list of these."""
    column = next((name for name in _CONTEXTS if values.get(name) and not cells.is_blank(values[name])), "context")
    cell = values.get(column)
    results = []
    for item in cell if isinstance(cell, list | tuple) else [] if cells.is_blank(cell) else [cell]:
        if cells.is_blank(item):
            continue
        pieces = {"text": item} if isinstance(item, str) else cells.object_of(item, column)
        url = cells.optional(pieces, "url")
        content = next((text for key in TEXT_KEYS if (text := cells.optional(pieces, key))), None)
        if url or content:
            results.append(cells.document(content, url, cells.optional(pieces, "title")))
    return cells.documents(results)


_PAIRS = tuple((f"right_{task}", f"hallucinated_{task}") for task in _TASKS)

register_form(DatasetForm("plain", (("response",),), read))
register_known("halueval", DatasetForm("halueval", (("chatgpt_response",), *_PAIRS), halueval))
