"""Single claims with evidence: WiCE, FM2, SciFact, one form for all, and labelled citations of two formats.

    {"id": "…", "dataset": "…", "split": "test", "claim": "…", "evidence": "…", "label": "contradicted"}

The claim is the text that is checked, and the evidence is given with it. `label` is supported, contradicted or
not_enough; in sets with only right and wrong, a claim without enough support counts as wrong. Labelled citations say
whether a source supports the text that cites it; their formats are those of AttributionBench and ALCE:

    {"id": "…", "question": "…", "claim": "…", "references": ["…"], "attribution_label": "not attributable"}

    {"id": "…", "question": "…", "output": "… [1][2]. …", "docs": [{"title": "…", "text": "…"}],
     "sentences": [{"text": "… [1][2].", "supported": true, "citations": {"1": "full", "2": "none"}}]}

In the first of these, the claim is judged against all its references together. In the second, each sentence is judged
twice: against all sources that it cites (tag `measure` is `recall`), and against each source alone (`precision`). A
citation is full, partial or none; only full support counts as supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_form, register_known
from factscope.benchmarks.datasets.io import ResponseRow, file_rows, is_broken
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.core import Document, Gold, InputError, Sample, Span

_CORPUS = "corpus.jsonl"
_SCIFACT = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
_ATTRIBUTION = {"attributable": "supported", "not attributable": "not_supported"}
_SUPPORT = {"full": "supported", "partial": "partially_supported", "none": "not_enough"}
_MARK = re.compile(r"\s*\[(\d{1,3})\]")


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


def attribution(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of AttributionBench (Li et al. 2024). Raises UnusableSampleError."""
    references = cells.texts(values, "references")
    if not references:
        raise UnusableSampleError("has no references")
    word = cells.text(values, "attribution_label").strip().casefold().replace("_", " ")
    if word not in _ATTRIBUTION:
        raise UnusableSampleError(f"the label {word[:40]!r} is not among {', '.join(_ATTRIBUTION)}")
    evidence = tuple(cells.document(words) for words in references)
    named = cells.tags(values, "src_dataset", dataset="attribution")
    yield claim_sample(cells.identity(values, where), cells.text(values, "claim"), evidence, _ATTRIBUTION[word], named)


def citations(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the samples of a row as ALCE (Gao et al. 2023) has it, with people's labels. Raises UnusableSampleError."""
    name = cells.identity(values, where)
    docs = [
        cells.document(cells.text(item, "text"), url=cells.optional(item, "url"), title=cells.optional(item, "title"))
        for item in cells.items(values, "docs")
        if isinstance(item, Mapping)
    ]
    for number, sentence in enumerate(cells.items(values, "sentences"), 1):
        if not isinstance(sentence, Mapping):
            raise UnusableSampleError(f"sentence {number} is not an object")
        yield from _of_sentence(f"{name}-{number}", sentence, docs, notes)


def _of_sentence(name: str, sentence: Values, docs: Sequence[Document], notes: Notes) -> Iterator[Sample]:
    words = cells.text(sentence, "text")
    claim = " ".join(_MARK.sub("", words).split())
    numbers = list(dict.fromkeys(int(number) for number in _MARK.findall(words)))
    if not numbers:
        notes.add("sentences that cite nothing", name)
        return
    if any(not 1 <= number <= len(docs) for number in numbers):
        raise UnusableSampleError(f"sentence {name} cites a document that is not among its {len(docs)}")
    if isinstance(supported := sentence.get("supported"), bool):
        cited = tuple(docs[number - 1] for number in numbers)
        recall = cells.tags({}, dataset="citations", measure="recall")
        yield claim_sample(f"{name}-all", claim, cited, "supported" if supported else "not_supported", recall)
    given = sentence.get("citations")
    for number, word in given.items() if isinstance(given, Mapping) else ():
        if str(word) not in _SUPPORT or not str(number).isdigit() or int(number) not in numbers:
            raise UnusableSampleError(f"sentence {name} labels {number!r} {word!r}, not full, partial or none")
        precision = cells.tags({}, dataset="citations", measure="precision")
        yield claim_sample(f"{name}-{number}", claim, (docs[int(number) - 1],), _SUPPORT[str(word)], precision)


register_form(DatasetForm("claims", (("claim", "evidence", "label"),), read))
register_known("wice", DatasetForm("wice", (("claim", "evidence", "label", "meta"),), wice))
register_known("fm2", DatasetForm("fm2", (("text", "label", "gold_evidence"),), fm2))
register_known("scifact", DatasetForm("scifact", (("claim", "evidence", "cited_doc_ids"),), scifact, _abstracts))
register_form(DatasetForm("attribution", (("claim", "references", "attribution_label"),), attribution))
register_form(DatasetForm("citations", (("output", "docs", "sentences"),), citations))
