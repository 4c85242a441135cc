"""Single claims with evidence: WiCE, FM2, SciFact, and one form for all.

    {"id": "…", "dataset": "…", "split": "test", "claim": "…", "evidence": "…", "label": "contradicted"}

The claim is the text that is checked, and the evidence is given with it. `label` is supported, contradicted or
not_enough; in sets with only right and wrong, a claim without enough support counts as wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_form, register_known
from factscope.benchmarks.datasets.io import ResponseRow, file_rows
from factscope.benchmarks.datasets.io.row import is_broken
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.core.errors import InputError
from factscope.core.records import Document, Gold, Sample, Span

_CORPUS = "corpus.jsonl"
_SCIFACT = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row. Raises UnusableSampleError."""
    more = values.get("context")
    about = more if isinstance(more, Mapping) else {}
    tags_found = {**cells.tags(values, "dataset", "split"), **cells.tags(about, topic=_word(about, "category"))}
    evidence = cells.document(cells.text(values, "evidence"), title=_word(about, "page"))
    name = cells.identity(values, where)
    yield claim_sample(name, cells.text(values, "claim"), (evidence,), values.get("label"), tags_found)


def wice(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of WiCE (Kamoi et al. 2023). Raises UnusableSampleError."""
    meta = values.get("meta")
    about = meta if isinstance(meta, Mapping) else {}
    sentences = cells.texts(values, "evidence")
    if not sentences:
        raise UnusableSampleError("has no evidence")
    evidence = cells.document("\n".join(sentences), title=_word(about, "claim_title"))
    tags_found = cells.tags(values, "label", dataset="wice", split=where.file)
    name = cells.identity(about, where)
    yield claim_sample(name, cells.text(values, "claim"), (evidence,), values.get("label"), tags_found)


def fm2(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of FM2 (Eisenschlos et al. 2021), with the evidence that its writer chose."""
    pieces = cells.items(values, "gold_evidence")
    texts = [cells.text(piece, "text") for piece in pieces if isinstance(piece, Mapping)]
    if not texts:
        raise UnusableSampleError("has no evidence")
    evidence = cells.document("\n".join(texts), title=cells.optional(values, "wikipedia_page"))
    tags_found = cells.tags(values, dataset="fm2", split=where.file, topic=cells.optional(values, "category"))
    name = cells.identity(values, where)
    yield claim_sample(name, cells.text(values, "text"), (evidence,), values.get("label"), tags_found)


def scifact(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the samples of a row of SciFact (Wadden et al. 2020): one for each abstract that is cited with a label.

    `abstracts` holds the cited documents of `corpus.jsonl` by their ids (the loader puts them there). A claim without
    a label is not a sample, and is counted.
    """
    name, claim = cells.identity(values, where), cells.text(values, "claim")
    evidence, abstracts = values.get("evidence"), values.get("abstracts", {})
    if not isinstance(evidence, Mapping) or not evidence:
        notes.add("claims without a label", name)
        return
    for cited in evidence:
        source = abstracts.get(str(cited))
        labels = {str(rationale.get("label")) for rationale in cells.objects(evidence, cited)}
        if source is None:
            notes.add("abstracts that corpus.jsonl does not have", f"{name}, {cited}")
        elif len(labels) != 1 or not labels <= set(_SCIFACT):
            raise UnusableSampleError(f"has other labels for document {cited} than one of {', '.join(_SCIFACT)}")
        else:
            abstract = cells.document(" ".join(cells.texts(source, "abstract")), title=cells.optional(source, "title"))
            tags_found = cells.tags(values, dataset="scifact", split=where.file)
            yield claim_sample(f"{name}-{cited}", claim, (abstract,), _SCIFACT[labels.pop()], tags_found)


def claim_sample(name: str, claim: str, context: tuple[Document, ...], label_cell: Any, tags: dict[str, str]) -> Sample:
    """Return a claim as a sample of its own, with its evidence. Raises UnusableSampleError for an unknown label."""
    factual, ours = cells.label(label_cell)
    span = Span(start=0, end=len(claim))
    rests = tuple(document.id for document in context)
    gold = Gold(id="g1", level="claim", span=span, text=claim, factual=factual, label=ours, references=rests)
    return Sample(id=name, context=cells.documents(context), response=claim, gold=(gold,), tags=tags)


def _word(values: Values, column: str) -> str | None:
    cell = values.get(column)
    return cell.strip()[:200] or None if isinstance(cell, str) and not is_broken(cell) else None


def _abstracts(path: Path) -> Values:
    """Read SciFact's abstracts from the file beside its claims. Raises InputError when it is not there."""
    corpus_path = path.with_name(_CORPUS)
    if not corpus_path.exists():
        raise InputError(f"SciFact's abstracts are not there: {corpus_path}.", f"Put {_CORPUS} beside the claims.")
    rows = (row.values for row in file_rows(corpus_path) if isinstance(row, ResponseRow))
    return {"abstracts": {str(values.get("doc_id")): values for values in rows}}


register_form(DatasetForm("claims", (("claim", "evidence", "label"),), read))
register_known("wice", DatasetForm("wice", (("claim", "evidence", "label", "meta"),), wice))
register_known("fm2", DatasetForm("fm2", (("text", "label", "gold_evidence"),), fm2))
register_known("scifact", DatasetForm("scifact", (("claim", "evidence", "cited_doc_ids"),), scifact, _abstracts))
