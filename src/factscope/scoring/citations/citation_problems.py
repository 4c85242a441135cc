"""Problems of a text's citations, one problem each, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from factscope.claims.citations.cited_claims import cited_by
from factscope.core import id_key
from factscope.core.records import CitedSource, Claim, Quotation, Report, Span
from factscope.scoring.citations.pairs import CitedPair, cited_pairs

ProblemKind = Literal[
    "contradicts", "does_not_say", "unclear", "partly", "not_there", "not_fetched", "altered_quote", "absent_quote",
    "uncited", "circular", "changed", "unused", "not_needed", "not_judged",
]  # fmt: skip
"""Kinds of problems; `unclear`: the verifier could not tell whether the source says it; `not_fetched`: nothing is known
of the source, since fetching was off; `unused`: listed, and never cited; `not_needed`: cited, but other sources already
support everything that it is cited for; `not_judged`: judging failed."""
SERIOUS: frozenset[ProblemKind] = frozenset(
    ("contradicts", "does_not_say", "not_there", "altered_quote", "absent_quote", "circular")
)
"""Problems that make a citation wrong; the others weaken it."""


_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand|million|billion|half|twice|per cent)s?\b",
    re.IGNORECASE,
)


class CitationFault(NamedTuple):
    """One problem."""

    kind: ProblemKind
    span: Span
    """Position in the text: the citation, the quotation, the claim or the entry."""
    source: CitedSource | None
    claim: Claim | None = None
    quotation: Quotation | None = None
    pair: CitedPair | None = None
    detail: str | None = None
    """Reason, in words of the records."""


def citation_problems(report: Report) -> tuple[CitationFault, ...]:
    """Return all problems with the citations of a text, in reading order."""
    pairs = cited_pairs(report)
    results = [*_of_pairs(pairs), *_of_sources(report, pairs), *_of_quotations(report), *_uncited(report)]
    return tuple(sorted(results, key=lambda item: (item.span.start, item.span.end, item.kind)))


def needs_source(report: Report, claim: Claim) -> bool:
    """Return whether a reader would expect a source for a claim.

    It needs one if it is checked and contains a figure, a name or a quote (our own rule). A general remark ("The town
    is old.") needs none, nor does a text without any citation.
    """
    if claim.skipped is not None or not report.citations or _is_quoted(report, claim):
        return False
    text = claim.text.strip()
    remainder = text.partition(" ")[2]
    if re.search(r"\d|[“\"«„]", text) or _NUMBER_WORD.search(remainder):
        return True
    return bool(re.search(r"\b[^\W\d_a-zß-öø-ÿ][\w'’-]+", remainder))


def _is_quoted(report: Report, claim: Claim) -> bool:
    """Return whether a claim is in a quotation that cites: whether it is verbatim is checked there instead."""
    return claim.span is not None and any(
        item.span.start <= claim.span.start and claim.span.end <= item.span.end for item in report.quotations
    )


def _of_pairs(pairs: Sequence[CitedPair]) -> Iterator[CitationFault]:
    """Yield the citations whose source does not support the claim, where no other source does either."""
    supported = {pair.claim.id for pair in pairs if pair.outcome == "supports"}
    for pair in pairs:
        at = pair.citations[0].span
        if pair.outcome == "failed":
            yield CitationFault("not_judged", at, pair.source, pair.claim, pair=pair, detail=pair.reason)
        elif pair.outcome == "contradicts" or (
            pair.outcome in ("does_not_say", "unclear", "partly") and pair.claim.id not in supported
        ):
            yield CitationFault(pair.outcome, at, pair.source, pair.claim, pair=pair, detail=pair.reason)


def _of_sources(report: Report, pairs: Sequence[CitedPair]) -> Iterator[CitationFault]:
    """Yield the problems of a source itself: at each citation when it could not be read, otherwise once."""
    for source in report.sources:
        positions = [citation for citation in report.citations if citation.source_id == source.id]
        if not positions:
            yield CitationFault("unused", source.span or Span(start=0, end=0), source)
            continue
        if source.state == "not_fetched":
            yield CitationFault("not_fetched", positions[0].span, source, detail=source.reason)
            continue
        if source.state != "read":
            yield from (CitationFault("not_there", item.span, source, detail=source.reason) for item in positions)
            continue
        if source.circular:
            yield CitationFault("circular", positions[0].span, source, detail=source.circular)
        if source.changed:
            detail = f"it was changed on {source.changed}, after {source.accessed}, when it was read"
            yield CitationFault("changed", positions[0].span, source, detail=detail)
        selected = [pair for pair in pairs if pair.source.id == source.id]
        others = {p.claim.id for p in pairs if p.outcome == "supports" and p.source.id != source.id}
        if selected and all(
            pair.outcome in ("does_not_say", "unclear", "partly") and pair.claim.id in others for pair in selected
        ):
            yield CitationFault("not_needed", positions[0].span, source)


def _of_quotations(report: Report) -> Iterator[CitationFault]:
    sources = {source.id: source for source in report.sources}
    kinds: dict[str, ProblemKind] = {"altered": "altered_quote", "absent": "absent_quote"}
    for quotation in report.quotations:
        if kind := kinds.get(quotation.outcome):
            source = sources.get(quotation.source_id or next(iter(quotation.source_ids), ""))
            yield CitationFault(kind, quotation.span, source, quotation=quotation)


def _uncited(report: Report) -> Iterator[CitationFault]:
    for claim in sorted(report.claims, key=lambda item: id_key(item.id)):
        if needs_source(report, claim) and not any(cited_by(claim, report.citations)) and claim.span:
            yield CitationFault("uncited", claim.span, None, claim)
