"""Problems of a text's citations, one problem each, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from factscope.claims.citations import cited_by
from factscope.core.ids import id_key
from factscope.core.records import CitedSource, Claim, Quotation, Report, Span
from factscope.scoring.citations.pairs import CitedPair, cited_pairs

ProblemKind = Literal[
    "contradicts",
    "does_not_say",
    "partly",
    "not_there",
    "altered_quote",
    "absent_quote",
    "uncited",
    "circular",
    "changed",
    "unused",
    "not_needed",
    "not_judged",
]
"""Kinds of problems; `unused`: listed, and never cited; `not_needed`: cited, and others support all that it is cited
for; `not_judged`: judging failed."""
SERIOUS: frozenset[ProblemKind] = frozenset(
    ("contradicts", "does_not_say", "not_there", "altered_quote", "absent_quote", "circular")
)
"""Problems that make a citation wrong; the others weaken it."""


_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand|million|billion|half|twice|per cent)s?\b",
    re.IGNORECASE,
)


class Problem(NamedTuple):
    """One thing that is wrong."""

    kind: ProblemKind
    span: Span
    """Where in the text: the citation, the quotation, the claim or the entry."""
    source: CitedSource | None
    claim: Claim | None = None
    quotation: Quotation | None = None
    pair: CitedPair | None = None
    detail: str | None = None
    """Why, in words of the records."""


def citation_problems(report: Report) -> tuple[Problem, ...]:
    """All problems with the citations of a text, in reading order."""
    pairs = cited_pairs(report)
    found = [*_of_pairs(pairs), *_of_sources(report, pairs), *_of_quotations(report), *_uncited(report)]
    return tuple(sorted(found, key=lambda one: (one.span.start, one.span.end, one.kind)))


def needs_source(report: Report, claim: Claim) -> bool:
    """Whether a claim is one that a reader would want a source for: it is checked, and names a figure, a name, a quote.

    Our own rule. A general remark ("The town is old.") needs none, nor does a text without any citation.
    """
    if claim.skipped is not None or not report.citations:
        return False
    text = claim.text
    first, _, rest = text.partition(" ")
    if re.search(r"\d|[“\"«„]", text) or _NUMBER_WORD.search(rest):
        return True
    return bool(re.search(r"\b[^\W\d_a-zß-öø-ÿ][\w'’-]+", rest)) and bool(first)


def _of_pairs(pairs: Sequence[CitedPair]) -> Iterator[Problem]:
    """Where a source does not bear out what it is cited for, and no other one does."""
    supported = {pair.claim.id for pair in pairs if pair.outcome == "supports"}
    for pair in pairs:
        at = pair.citations[0].span
        if pair.outcome == "failed":
            yield Problem("not_judged", at, pair.source, pair.claim, pair=pair, detail=pair.reason)
        elif pair.outcome == "contradicts" or (
            pair.outcome in ("does_not_say", "partly") and pair.claim.id not in supported
        ):
            yield Problem(pair.outcome, at, pair.source, pair.claim, pair=pair, detail=pair.reason)


def _of_sources(report: Report, pairs: Sequence[CitedPair]) -> Iterator[Problem]:
    """Yield the problems of a source itself: reported at each citation when it is not there, else once."""
    for source in report.sources:
        places = [one for one in report.citations if one.source_id == source.id]
        if not places:
            yield Problem("unused", source.span or Span(start=0, end=0), source)
            continue
        if source.state != "read":
            yield from (Problem("not_there", one.span, source, detail=source.reason) for one in places)
            continue
        if source.circular:
            yield Problem("circular", places[0].span, source, detail=source.circular)
        if source.changed:
            detail = f"it was changed on {source.changed}, after {source.accessed}, when it was read"
            yield Problem("changed", places[0].span, source, detail=detail)
        mine = [pair for pair in pairs if pair.source.id == source.id]
        others = {p.claim.id for p in pairs if p.outcome == "supports" and p.source.id != source.id}
        if mine and all(pair.outcome in ("does_not_say", "partly") and pair.claim.id in others for pair in mine):
            yield Problem("not_needed", places[0].span, source)


def _of_quotations(report: Report) -> Iterator[Problem]:
    sources = {source.id: source for source in report.sources}
    for one in report.quotations:
        source = sources.get(one.source_id or next(iter(one.source_ids), ""))
        if one.outcome == "altered":
            yield Problem("altered_quote", one.span, source, quotation=one)
        elif one.outcome == "absent":
            yield Problem("absent_quote", one.span, source, quotation=one)


def _uncited(report: Report) -> Iterator[Problem]:
    for claim in sorted(report.claims, key=lambda one: id_key(one.id)):
        if needs_source(report, claim) and not any(cited_by(claim, report.citations)) and claim.span:
            yield Problem("uncited", claim.span, None, claim)
