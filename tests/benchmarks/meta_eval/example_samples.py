"""Hand-made samples and answers."""

from __future__ import annotations

from collections.abc import Sequence

from factscope.core.records import Gold, Sample, Span

TEXT = "The bridge has four arches. It was opened in 1931. It is 300 metres long."
PLACES = (Span(start=0, end=27), Span(start=28, end=50), Span(start=51, end=73))


def sample(name: str, labels: Sequence[bool | None], *, text: str | None = TEXT, **tags: str) -> Sample:
    """Build a sample with labels for its first sentences."""
    gold = [
        Gold(id=f"g{i}", level="segment", span=place if text else None, factual=label)
        for i, (place, label) in enumerate(zip(PLACES, labels, strict=False), 1)
    ]
    return Sample(id=name, response=text, gold=tuple(gold), tags=tags)


def with_claims(name: str, labels: Sequence[bool | None]) -> Sample:
    """Build a sample with a labelled claim in each sentence, and labels of the sentences."""
    gold = [
        Gold(id=f"c{i}", level="claim", span=place, text=f"Claim {i}.", factual=label)
        for i, (place, label) in enumerate(zip(PLACES, labels, strict=False), 1)
    ]
    return Sample(id=name, response=TEXT, gold=(*sample(name, labels).gold, *gold), tags={})
