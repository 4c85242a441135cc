"""The citations of a text as a page shows them: the text marked by outcome, and the sources as a table."""

from __future__ import annotations

from typing import Literal

from factscope.core.records import Document, Record, Report, SourceState, Span
from factscope.report.citations.lines import ProblemLine, problem_lines, source_label
from factscope.scoring.citations import CitedPair, PairOutcome, ProblemKind, cited_pairs

MarkOutcome = Literal["supports", "partly", "contradicts", "does_not_say", "not_there", "excluded", "failed", "idle"]
"""The worst that a citation's source says of what it is cited for; `idle`: it stands for nothing that is checked."""
_WORST: tuple[PairOutcome, ...] = (
    "contradicts", "not_there", "does_not_say", "failed", "partly", "excluded", "supports"
)  # fmt: skip


class CitationMark(Record):
    """One citation in the text."""

    id: str
    """Its id, such as `k3`."""
    span: Span
    """Where it stands."""
    source_id: str
    """The source that it names."""
    outcome: MarkOutcome
    """Words of the source."""
    claim: str | None = None
    """The words that it stands for."""
    quote: str | None = None
    """Words of the source that carry the outcome."""
    reason: str | None = None
    """Why, in the judge's words, or why the source is not there."""


class CitationProblem(Record):
    """One thing that is wrong."""

    kind: ProblemKind
    """Its kind."""
    span: Span
    """Where in the text."""
    line: int
    """Its line, from 1."""
    column: int
    """Its column, from 1."""
    message: str
    """The problem, in one sentence."""
    about: str
    """The words that it is about."""
    serious: bool
    """Whether it makes the citation wrong, and does not only weaken it."""
    proposal: str | None = None
    """Another source that bears the claim out."""


class SourceRow(Record):
    """One source of the bibliography."""

    id: str
    """Its id, such as `b2`."""
    label: str
    """Its title."""
    url: str | None
    """Where it is."""
    state: SourceState
    """Its fate."""
    reason: str | None
    """Why it is not there."""
    used: int
    """How often it is cited."""
    supports: int
    """Claims that it supports."""
    judged: int
    """Claims that it was judged for."""
    problems: tuple[ProblemKind, ...]
    """Its problems, each kind once."""
    entry: str | None
    """Its entry, as it is written."""
    repaired: str | None = None
    """An entry that may take its place: of a source that supports what this one does not."""


class CitationView(Record):
    """The citations of a text, with all that a page shows of them."""

    marks: tuple[CitationMark, ...]
    """In reading order."""
    problems: tuple[CitationProblem, ...]
    """In reading order."""
    sources: tuple[SourceRow, ...]
    """In the order in which they are cited."""


def is_about_citations(report: Report) -> bool:
    """Whether a report is on the citations of a text."""
    evidence = report.method.get("evidence")
    return isinstance(evidence, dict) and evidence.get("source") == "cited"


def citation_view(report: Report) -> CitationView:
    """Make the view of a report on citations; empty for one on other things."""
    pairs, lines = cited_pairs(report), problem_lines(report)
    return CitationView(
        marks=tuple(_mark(report, number, pairs) for number in range(len(report.citations))),
        problems=tuple(_problem(line) for line in lines),
        sources=tuple(_row(report, source.id, pairs, lines) for source in report.sources),
    )


def _mark(report: Report, number: int, pairs: tuple[CitedPair, ...]) -> CitationMark:
    citation = report.citations[number]
    selected = [pair for pair in pairs if citation in pair.citations]
    worst = min(selected, key=lambda pair: _WORST.index(pair.outcome), default=None)
    source = next(source for source in report.sources if source.id == citation.source_id)
    blank: MarkOutcome = "idle" if source.state == "read" else "not_there"
    return CitationMark(
        id=citation.id,
        span=citation.span,
        source_id=citation.source_id,
        outcome=worst.outcome if worst else blank,
        claim=worst.claim.text if worst else None,
        quote=worst.quote if worst else None,
        reason=worst.reason if worst else source.reason,
    )


def _problem(line: ProblemLine) -> CitationProblem:
    return CitationProblem(
        kind=line.kind,
        span=line.span,
        line=line.line,
        column=line.column,
        message=line.message,
        about=line.about,
        serious=line.serious,
        proposal=line.proposal,
    )


def _row(report: Report, name: str, pairs: tuple[CitedPair, ...], lines: tuple[ProblemLine, ...]) -> SourceRow:
    source = next(source for source in report.sources if source.id == name)
    selected = [pair for pair in pairs if pair.source.id == name]
    failing = {pair.claim.id for pair in selected if pair.outcome != "supports"}
    label = source_label(source)
    document: Document | None = next(
        (document for document in report.documents if document.id == source.document_id), None
    )
    return SourceRow(
        id=name,
        label=label,
        url=source.url or (document.url if document else None),
        state=source.state,
        reason=source.reason,
        used=sum(citation.source_id == name for citation in report.citations),
        supports=sum(pair.outcome == "supports" for pair in selected),
        judged=sum(pair.outcome in ("supports", "partly", "contradicts", "does_not_say") for pair in selected),
        problems=tuple(dict.fromkeys(line.kind for line in lines if line.source == label)),
        entry=source.entry,
        repaired=next((repair.reference for repair in report.repairs if repair.unit_id in failing), None),
    )
