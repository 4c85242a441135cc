"""Details of responses from their data set: its segments, and their domains."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.core.records import Sample, SampleHints


def sample_hints(samples: Iterable[Sample]) -> dict[str, SampleHints]:
    """Collect the details of each sample's response, by the sample's id, for `Tools.hints`.

    Segments without a position in the response are left out; the loader has counted them.
    """
    hints = {}
    for sample in samples:
        spans = sorted((gold.span for gold in sample.of("segment") if gold.span), key=lambda span: span.start)
        hints[sample.id] = SampleHints(tuple(spans), sample.tags.get("domain"))
    return hints
