"""Single claims with evidence: WiCE, FM2, SciFact, and one form for all.

    {"id": "…", "dataset": "…", "split": "test", "claim": "…", "evidence": "…", "label": "contradicted"}

The claim is the text that is checked, and the evidence is given with it. `label` is supported, contradicted or
not_enough; in sets with only right and wrong, a claim without enough support counts as wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from factscope.core.errors import InputError
from factscope.core.records import Document, Gold, Sample, Span
from factscope.datasets.catalogue import register_form, register_known
from factscope.datasets.io import ResponseRow, file_rows
from factscope.datasets.labelled_rows import (
    DatasetForm,
    Notes,
    RowLocation,
    UnusableSampleError,
    Values,
    document,
    documents,
    identity,
    items,
    label,
    optional,
    text,
)
from factscope.datasets.labelled_rows import tags as tags_of

_CORPUS = "corpus.jsonl"
_SCIFACT = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row. Raises UnusableError."""
    more = values.get("context")
    about = more if isinstance(more, Mapping) else {}
    tags_found = {**tags_of(values, "dataset", "split"), **tags_of(about, topic=_word(about, "category"))}
    evidence = document(text(values, "evidence"), title=_word(about, "page"))
    yield claim_sample(identity(values, where), text(values, "claim"), (evidence,), values.get("label"), tags_found)


def wice(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of WiCE (Kamoi et al. 2023). Raises UnusableError."""
    meta = values.get("meta")
    about = meta if isinstance(meta, Mapping) else {}
    sentences = [
        text_item for text_item in items(values, "evidence") if isinstance(text_item, str) and text_item.strip()
    ]
    if not sentences:
        raise UnusableSampleError("has no evidence")
    evidence = document("\n".join(sentences), title=_word(about, "claim_title"))
    tags_found = tags_of(values, "label", dataset="wice", split=where.file)
    yield claim_sample(identity(about, where), text(values, "claim"), (evidence,), values.get("label"), tags_found)


def fm2(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of FM2 (Eisenschlos et al. 2021), with the evidence that its writer chose."""
    texts = [text(gold_item, "text") for gold_item in items(values, "gold_evidence") if isinstance(gold_item, Mapping)]
    if not texts:
        raise UnusableSampleError("has no evidence")
    evidence = document("\n".join(texts), title=optional(values, "wikipedia_page"))
    tags_found = tags_of(values, dataset="fm2", split=where.file, topic=optional(values, "category"))
    yield claim_sample(identity(values, where), text(values, "text"), (evidence,), values.get("label"), tags_found)


def scifact(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the samples of a row of SciFact (Wadden et al. 2020): one for each abstract that is cited with a label.

    `abstracts` holds the cited documents of `corpus.jsonl` by their ids (the loader puts them there). A claim without
    a label is not a sample, and is counted.
    """
    name, claim = identity(values, where), text(values, "claim")
    evidence, abstracts = values.get("evidence"), values.get("abstracts", {})
    if not isinstance(evidence, Mapping) or not evidence:
        notes.add("claims without a label", name)
        return
    for cited, rationales in evidence.items():
        source = abstracts.get(str(cited))
        labels = {rationale.get("label") for rationale in rationales}
        if source is None:
            notes.add("abstracts that corpus.jsonl does not have", f"{name}, {cited}")
        elif len(labels) != 1 or not labels <= set(_SCIFACT):
            raise UnusableSampleError(f"has other labels for document {cited} than one of {', '.join(_SCIFACT)}")
        else:
            abstract = document(" ".join(items(source, "abstract")), title=optional(source, "title"))
            tags_found = tags_of(values, dataset="scifact", split=where.file)
            yield claim_sample(f"{name}-{cited}", claim, (abstract,), _SCIFACT[labels.pop()], tags_found)


def claim_sample(name: str, claim: str, context: tuple[Document, ...], label_cell: Any, tags: dict[str, str]) -> Sample:
    """Return a claim as a sample of its own, with its evidence. Raises UnusableError for an unknown label."""
    factual, ours = label(label_cell)
    span = Span(start=0, end=len(claim))
    rests = tuple(document.id for document in context)
    gold = Gold(id="g1", level="claim", span=span, text=claim, factual=factual, label=ours, references=rests)
    return Sample(id=name, context=documents(context), response=claim, gold=(gold,), tags=tags)


def _word(values: Values, column: str) -> str | None:
    cell = values.get(column)
    return cell.strip()[:200] or None if isinstance(cell, str) else None


def _abstracts(path: Path) -> Values:
    """Read SciFact's abstracts from the file beside its claims. Raises InputError when it is not there."""
    corpus_path = path.with_name(_CORPUS)
    if not corpus_path.exists():
        raise InputError(f"SciFact's abstracts are not there: {corpus_path}.", f"Put {_CORPUS} beside the claims.")
    return {
        "abstracts": {
            str(r.values.get("doc_id")): r.values for r in file_rows(corpus_path) if isinstance(r, ResponseRow)
        }
    }


FORM = register_form(DatasetForm("claims", (("claim", "evidence", "label"),), read))
WICE = DatasetForm("wice", (("claim", "evidence", "label", "meta"),), wice)
FM2 = DatasetForm("fm2", (("text", "label", "gold_evidence"),), fm2)
SCIFACT = DatasetForm("scifact", (("claim", "evidence", "cited_doc_ids"),), scifact, _abstracts)

register_known("wice", WICE)
register_known("fm2", FM2)
register_known("scifact", SCIFACT)
