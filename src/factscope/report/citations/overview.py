"""The citations of a text as a page shows them: the text marked by outcome, and the sources as a table."""

from __future__ import annotations

from typing import Literal

from factscope.core import Citation, CitedSource, Quotation, QuotationOutcome, Record, Report, Score, SourceState, Span
from factscope.methods.cited_method import MEASURES
from factscope.report.citations.lines import CitationProblem, differences, headline, problem_lines, source_label
from factscope.scoring.citations import JUDGED, CitedPair, PairOutcome, ProblemKind, cited_pairs

MarkOutcome = Literal[
    "supports", "partly", "contradicts", "does_not_say", "unclear", "not_there", "excluded", "failed", "no_claim"
]
"""Worst outcome of a citation over the claims that it belongs to; `no_claim`: none of these is checked."""
_WORST: tuple[PairOutcome, ...] = (
    "contradicts", "not_there", "does_not_say", "failed", "unclear", "partly", "excluded", "supports"
)  # fmt: skip


class CitationMark(Record):
    """One citation in the text."""

    id: str
    """Its id, such as `k3`."""
    span: Span
    """Position in the text."""
    source_id: str
    """The source that it names."""
    outcome: MarkOutcome
    """Whether the source supports the claims that cite it."""
    claim: str | None = None
    """The words that it supports."""
    quote: str | None = None
    """Words of the source that the outcome rests on."""
    reason: str | None = None
    """Reason in the judge's words, or why the source could not be read."""
    passage: str | None = None
    """Words of the source around the quote; without a quote, the passage closest to the claim."""
    quote_span: Span | None = None
    """Position of the quote in `passage`."""


class QuotationMark(Record):
    """One quotation in the text."""

    id: str
    """Its id, such as `q1`."""
    span: Span
    """Position of its words, without the quotation marks."""
    text: str
    """Its words."""
    source_id: str | None
    """The source that contains the words, or the one with the most similar words."""
    outcome: QuotationOutcome
    """Whether the words are in the source."""
    found: str | None
    """The words of the source."""
    difference: str | None
    """How they were altered, in a sentence."""


class SourceRow(Record):
    """One source of the bibliography."""

    id: str
    """Its id, such as `b2`."""
    label: str
    """Its title."""
    url: str | None
    """Its address."""
    state: SourceState
    """Its state."""
    reason: str | None
    """Why it could not be read."""
    used: int
    """Number of citations of it."""
    supports: int
    """Claims that it supports."""
    judged: int
    """Claims that it was judged for."""
    problems: tuple[ProblemKind, ...]
    """Its problems, each kind once."""
    entry: str | None
    """Its entry, as it is written."""
    repaired: str | None = None
    """An entry that could replace it, of a source that supports the claims that this one does not."""


class CitationView(Record):
    """The citations of a text, ready to be shown on a page."""

    headline: str
    """Number of citations, sources and problems, in a sentence."""
    scores: tuple[Score, ...]
    """The scores of the citations."""
    marks: tuple[CitationMark, ...]
    """In reading order."""
    quotations: tuple[QuotationMark, ...]
    """In reading order."""
    problems: tuple[CitationProblem, ...]
    """In reading order."""
    sources: tuple[SourceRow, ...]
    """In the order in which they are cited."""


def citation_view(report: Report) -> CitationView:
    """Make the view of a report on citations; empty for one on other things."""
    pairs, lines = cited_pairs(report), problem_lines(report)
    return CitationView(
        headline=headline(report, lines),
        scores=tuple(score for score in report.scores if score.name in MEASURES),
        quotations=tuple(_quotation(item) for item in report.quotations),
        marks=tuple(_mark(report, citation, pairs) for citation in report.citations),
        problems=lines,
        sources=tuple(_row(report, source, pairs, lines) for source in report.sources),
    )


def _mark(report: Report, citation: Citation, pairs: tuple[CitedPair, ...]) -> CitationMark:
    selected = [pair for pair in pairs if citation in pair.citations]
    worst = min(selected, key=lambda pair: _WORST.index(pair.outcome), default=None)
    source = next(source for source in report.sources if source.id == citation.source_id)
    blank: MarkOutcome = "no_claim" if source.state == "read" else "not_there"
    passage, quote_span = _around(report, source, worst)
    return CitationMark(
        id=citation.id,
        span=citation.span,
        source_id=citation.source_id,
        outcome=worst.outcome if worst else blank,
        claim=worst.claim.text if worst else None,
        quote=worst.quote if worst else None,
        reason=worst.reason if worst else source.reason,
        passage=passage,
        quote_span=quote_span,
    )


def _around(report: Report, source: CitedSource, pair: CitedPair | None) -> tuple[str | None, Span | None]:
    """Return the passage of a source that holds the quote for a claim, and the place of the quote in it.

    Without one, return the passage closest to the claim.
    """
    if pair is None:
        return None, None
    passages = [p for p in report.passages if p.claim_id == pair.claim.id and p.document_id == source.document_id]
    quote = pair.quote_span
    for passage in passages:
        if quote and passage.span.start <= quote.start <= quote.end <= passage.span.end:
            at = passage.span.start
            return passage.text, Span(start=quote.start - at, end=quote.end - at)
    return next((passage.text for passage in passages), None), None


def _quotation(item: Quotation) -> QuotationMark:
    return QuotationMark(
        id=item.id,
        span=item.span,
        text=item.text,
        source_id=item.source_id or next(iter(item.source_ids), None),
        outcome=item.outcome,
        found=item.found,
        difference=differences(item) if item.outcome == "altered" else None,
    )


def _row(
    report: Report, source: CitedSource, pairs: tuple[CitedPair, ...], lines: tuple[CitationProblem, ...]
) -> SourceRow:
    name = source.id
    selected = [pair for pair in pairs if pair.source.id == name]
    failing = {pair.claim.id for pair in selected if pair.outcome != "supports"}
    document = next((document for document in report.documents if document.id == source.document_id), None)
    return SourceRow(
        id=name,
        label=source_label(source),
        url=source.url or (document.url if document else None),
        state=source.state,
        reason=source.reason,
        used=sum(citation.source_id == name for citation in report.citations),
        supports=sum(pair.outcome == "supports" for pair in selected),
        judged=sum(pair.outcome in JUDGED for pair in selected),
        problems=tuple(dict.fromkeys(line.kind for line in lines if line.source_id == name)),
        entry=source.entry,
        repaired=next((repair.reference for repair in report.repairs if repair.unit_id in failing), None),
    )
