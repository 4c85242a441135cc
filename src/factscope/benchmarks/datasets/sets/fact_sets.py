"""Responses with sentences and the facts of each: Factcheck-Bench, FActScore's biographies, and one form for all.

    {"id": "…", "dataset": "…", "model": "…", "prompt": "…", "response": "…",
     "sentences": [{"text": "…", "label": "supported",
                    "facts": [{"text": "…", "label": "not_supported", "human_evidence": "…"}]}]}

In that form `label` may be missing: a sentence is wrong if a fact of it is. `human_evidence`, the annotator's evidence,
is the evidence that comes with the response. Factcheck-Bench (Wang et al. 2024) and FActScore (Min et al. 2023) have
the same values in other layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_form, register_known
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.claims.text.align import align
from factscope.core import Document, Gold, Sample, many

NO_RESPONSE = "no response"
NO_PLACE = "facts that could not be found in the response"
LOST_SENTENCE = "sentences that could not be found in the response"
_FACTSCORE = {"S": "supported", "NS": "not_supported", "IR": "irrelevant"}


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row. Raises UnusableSampleError."""
    name, response = cells.identity(values, where), cells.optional(values, "response")
    if response is None:
        notes.add(NO_RESPONSE, name)
    gold: list[Gold] = []
    context: list[Document] = []
    for number, sentence in enumerate(cells.objects(values, "sentences"), 1):
        gold += _sentence(sentence, number, response or "", name, notes)
        context += [document for fact in cells.objects(sentence, "facts") for document in _evidence(fact)]
    gold.append(Gold(id="response", level="response", factual=cells.factual(values.get("label"), gold)))
    abstained = "yes" if values.get("abstained") else None
    described = cells.tags(values, "model", "dataset", "domain", "topic", abstained=abstained)
    yield cells.sample_of(values, name, response, gold, described, cells.documents(context))


def factcheck_bench(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of Factcheck-Bench as released. Raises UnusableSampleError."""
    sentences = values.get("sentences")
    if not isinstance(sentences, Mapping):
        raise UnusableSampleError("column 'sentences' contains no object")
    facts_read = []
    for entry in sentences.values():
        sentence = cells.object_of(entry, "sentences")
        claims, labels = cells.items(sentence, "claims"), cells.items(sentence, "claims_factuality_label")
        if len(claims) != len(labels):
            counts = f"{many(len(claims), 'claim')} and {many(len(labels), 'label')}"
            raise UnusableSampleError(f"has {counts} in a sentence")
        facts = [{"text": claim, "label": label_cell} for claim, label_cell in zip(claims, labels, strict=True)]
        label = sentence.get("sentence_factuality_label")
        facts_read.append({"text": sentence.get("text"), "label": label, "facts": facts})
    fields = {"label": values.get("response_factuality"), "dataset": "factcheck_bench"}
    yield from read({**values, **fields, "sentences": facts_read}, where, notes)


def factscore(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of one of FActScore's labelled biographies; one that abstains has no sentences.

    Raises UnusableSampleError.

    The model that wrote it is the name of the file.
    """
    sentences_read = []
    for sentence in cells.objects(values, "annotations"):
        facts = [_of_factscore(fact) for fact in cells.objects(sentence, "human-atomic-facts")]
        sentences_read.append({"text": sentence.get("text"), "facts": facts})
    fields = {"prompt": values.get("input"), "response": values.get("output"), "model": where.file}
    fields |= {"id": values.get("id"), "topic": values.get("topic")}
    yield from read({**fields, "sentences": sentences_read, "abstained": not sentences_read}, where, notes)


def _of_factscore(fact: Values) -> dict[str, Any]:
    word = str(fact.get("label"))
    if word not in _FACTSCORE:
        raise UnusableSampleError(f"the label {word[:40]!r} is not among {', '.join(_FACTSCORE)}")
    return {"text": fact.get("text"), "label": _FACTSCORE[word]}


def _sentence(sentence: Values, number: int, response: str, name: str, notes: Notes) -> Iterable[Gold]:
    """Yield the labels of a sentence: its own where the response has it, and those of its facts."""
    words = cells.optional(sentence, "text")
    home = align(words, response)[0] if words else None
    facts = []
    for index, fact in enumerate(cells.objects(sentence, "facts"), 1):
        factual, ours = cells.label(fact.get("label"))
        claim = cells.text(fact, "text")
        # In its sentence, or else that sentence as a whole; without one anywhere.
        span = (align(claim, response, home)[0] or home) if home else align(claim, response)[0]
        if span is None:
            notes.add(NO_PLACE, f"{name}, sentence {number}")
        key = f"g{number}.{index}"
        rests = tuple(document.id for document in _evidence(fact))
        facts.append(Gold(id=key, level="claim", span=span, text=claim, factual=factual, label=ours, references=rests))
    if home:
        verdict = cells.factual(sentence.get("label"), facts)
        yield Gold(id=f"g{number}", level="segment", span=home, factual=verdict)
    elif words:
        notes.add(LOST_SENTENCE, f"{name}, sentence {number}")
    yield from facts


def _evidence(fact: Values) -> tuple[Document, ...]:
    """Return the annotator's evidence; none where nothing is noted, or that there is none."""
    words = cells.optional(fact, "human_evidence")
    return (cells.document(words),) if words and words.strip().casefold() not in ("na", "n/a", "none") else ()


_CHECKED_COLUMNS = ("response", "sentences", "response_factuality")

register_form(DatasetForm("facts", (("response", "sentences"),), read))
register_known("factcheck-bench", DatasetForm("factcheck-bench", (_CHECKED_COLUMNS,), factcheck_bench))
register_known("factscore", DatasetForm("factscore", (("output", "annotations"),), factscore))
