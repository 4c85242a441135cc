"""The citations of a text as cells of a table of its claims."""

from __future__ import annotations

from collections.abc import Mapping

from factscope.core.records import Report
from factscope.report.citations.lines import KIND_WORDS, line_and_column, message_of, source_label
from factscope.scoring.citations.citation_problems import CitationFault, citation_problems
from factscope.scoring.citations.pairs import cited_pairs


def citation_cells(report: Report) -> Mapping[str, tuple[str | None, str | None]]:
    """Return the sources that are cited for each unit with their outcomes, and its problems, by the id of the unit."""
    cited: dict[str, list[str]] = {}
    for pair in cited_pairs(report):
        cited.setdefault(pair.claim.id, []).append(f"{source_label(pair.source)}: {pair.outcome}")
    wrong: dict[str, list[str]] = {}
    for fault in citation_problems(report):
        line, column = line_and_column(report.response.text, fault.span.start)
        words = f"{line}:{column} {KIND_WORDS[fault.kind]}: {message_of(fault)}"
        wrong.setdefault(_unit_of(report, fault), []).append(words)
    names = dict.fromkeys([*cited, *wrong])
    return {name: ("; ".join(cited.get(name, ())) or None, " ".join(wrong.get(name, ())) or None) for name in names}


def _unit_of(report: Report, fault: CitationFault) -> str:
    """Return the claim of a problem, otherwise the first unit of the segment that contains or precedes it."""
    if fault.claim:
        return fault.claim.id
    before = [segment for segment in report.segments if segment.span.start <= fault.span.start]
    segment = before[-1] if before else next(iter(report.segments), None)
    if segment is None:
        return ""
    return next((claim.id for claim in report.claims if claim.segment_id == segment.id), segment.id)
