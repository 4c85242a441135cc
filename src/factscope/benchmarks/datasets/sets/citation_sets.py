"""Labelled citations in the formats of AttributionBench and ALCE: whether a source supports the text that cites it.

    {"id": "…", "question": "…", "claim": "…", "references": ["…"], "attribution_label": "not attributable"}

    {"id": "…", "question": "…", "output": "… [1][2]. …", "docs": [{"title": "…", "text": "…"}],
     "sentences": [{"text": "… [1][2].", "supported": true, "citations": {"1": "full", "2": "none"}}]}

In the first form, the claim is judged against all its references together. In the second, each sentence is judged
twice: against all sources that it cites (tag `measure` is `recall`), and against each source alone (`precision`). A
citation is full, partial or none; only full support counts as supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_form
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.benchmarks.datasets.sets.claim_sets import claim_sample
from factscope.core.records import Document, Sample

_ATTRIBUTION = {"attributable": "supported", "not attributable": "not_supported"}
_SUPPORT = {"full": "supported", "partial": "partially_supported", "none": "not_enough"}
_MARK = re.compile(r"\s*\[(\d{1,3})\]")


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


register_form(DatasetForm("attribution", (("claim", "references", "attribution_label"),), attribution))
register_form(DatasetForm("citations", (("output", "docs", "sentences"),), citations))
