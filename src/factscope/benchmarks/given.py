"""What a data set says of its responses besides their texts: where it cuts them, and of which domain they are."""

from __future__ import annotations

from collections.abc import Iterable

from factscope.engine import Known
from factscope.records import Sample


def known(samples: Iterable[Sample]) -> dict[str, Known]:
    """What is known of each sample's response, by the sample's id, for `Tools.known`.

    Segments are given only where all of them have a place: a method that is shown some of them would judge another
    text.
    """
    found = {}
    for sample in samples:
        spans = [one.span for one in sample.of("segment")]
        placed = tuple(sorted((span for span in spans if span), key=lambda span: span.start))
        found[sample.id] = Known(placed if len(placed) == len(spans) else (), sample.tags.get("domain"))
    return found
