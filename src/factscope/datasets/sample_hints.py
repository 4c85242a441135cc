"""Details of responses from their data set: its segments, and their domains."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.core.records import Sample, SampleHints


def sample_hints(samples: Iterable[Sample]) -> dict[str, SampleHints]:
    """Collect the details of each sample's response, by the sample's id, for `Tools.hints`.

    Segments without a position in the response are left out; the loader has counted them.
    """
    results = {}
    for sample in samples:
        spans = sorted(
            (segment_gold.span for segment_gold in sample.of("segment") if segment_gold.span),
            key=lambda span: span.start,
        )
        results[sample.id] = SampleHints(tuple(spans), sample.tags.get("domain"))
    return results
