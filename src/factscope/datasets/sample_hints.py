"""Hints from a data set about its responses: where it splits them into segments, and their domains."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.core.records import Sample
from factscope.engine import SampleHints


def known(samples: Iterable[Sample]) -> dict[str, SampleHints]:
    """Collect the hints for each sample's response, by the sample's id, for `Tools.known`.

    Segments that have no place in the response can't be given; the loader has counted them.
    """
    found = {}
    for sample in samples:
        spans = sorted((one.span for one in sample.of("segment") if one.span), key=lambda span: span.start)
        found[sample.id] = SampleHints(tuple(spans), sample.tags.get("domain"))
    return found
