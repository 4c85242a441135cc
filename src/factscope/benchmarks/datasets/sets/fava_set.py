"""FavaBench: passages with tags around their errors (Mishra et al. 2024), labelled sentence by sentence.

    {"prompt": "…", "output": "He is American. He sings.", "model": "chatgpt",
     "annotated": "He is <entity><delete>American</delete><mark>Argentine</mark></entity>. He sings."}

A sentence is wrong if an error of any kind overlaps it (Facts&Evidence, section 4; the sentences are ours). The text
without corrections must be that of `output`.
"""

from __future__ import annotations

from collections.abc import Iterator

from factscope.benchmarks.datasets import labelled_cells as cells
from factscope.benchmarks.datasets.catalogue import register_known
from factscope.benchmarks.datasets.error_tags import TaggedError, read_tags, wrong_sentences
from factscope.benchmarks.datasets.labelled_rows import DatasetForm, Notes, RowLocation, UnusableSampleError, Values
from factscope.claims.text.segments import sentences
from factscope.core.records import Gold, Sample

OTHER_TEXT = "annotated texts that without their tags are not the output"


def read(values: Values, where: RowLocation, notes: Notes) -> Iterator[Sample]:
    """Yield the sample of a row of FavaBench. Raises UnusableSampleError."""
    name = cells.identity(values, where)
    tagged = read_tags(cells.text(values, "annotated"))
    for repair in tagged.repairs:
        notes.add(f"tags mended: {repair}", name)
    if tagged.text.split() != cells.text(values, "output").split():
        notes.add(OTHER_TEXT, name)
    spans = sentences(tagged.text)
    if not spans:
        raise UnusableSampleError("has no sentence outside of its corrections")
    gold = [
        Gold(id=f"g{number}", level="segment", span=span, factual=not errors, **_gold_fields(errors))
        for number, (span, errors) in enumerate(zip(spans, wrong_sentences(spans, tagged.errors), strict=True), 1)
    ]
    complete = Gold(id="response", level="response", factual=not tagged.errors)
    described = cells.tags(values, "model", "subject", "dataset")
    yield cells.sample_of(values, name, tagged.text, (*gold, complete), described)


def _gold_fields(errors: list[TaggedError]) -> dict[str, str | None]:
    """Return the human labels of a sentence: the first error's kind, and all corrections."""
    corrections = [f"{error.kind}: {error.correction}" for error in errors if error.correction]
    return {"error_type": errors[0].kind if errors else None, "comment": "; ".join(corrections) or None}


register_known("favabench", DatasetForm("fava", (("output", "annotated"),), read))
