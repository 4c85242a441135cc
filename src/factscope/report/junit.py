"""The report as JUnit XML, for tools that show test results: each claim is a test case.

A contradicted claim is a failure, a supported one passes, and one that failed or is in a language that no judge reads
is an error. All others are skipped, with their outcome as the type and the reason as the message. So are undecided
claims and those without evidence: they are neither passed nor failed, and viewers list skipped tests separately with
their message. A build fails when a claim is contradicted or could not be judged, or a row of the data could not be
checked. In a report on citations, each problem and each other citation is a test case. A citation passes only if its
source supports a claim that cites it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from markupsafe import Markup

from factscope.claims.citations.cited_claims import cited_by
from factscope.core import Citation, Report
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.citations.lines import KIND_WORDS, line_and_column, message_of, problem_lines
from factscope.report.evidence_cards import source_address
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.templates import Pages
from factscope.report.view import ReportView, SegmentView, UnitView
from factscope.scoring.citations import CitationFault, CitedPair, cited_pairs, unjudged_citations
from factscope.scoring.counts import is_not_read

_LONGEST_NAME = 200  # characters of a test's name
_NO_CHARACTER = re.compile("[\ufffe\uffff]")
"""Characters that `one_line` keeps but XML 1.0 does not allow."""

Kind = Literal["passed", "failure", "error", "skipped"]


class JunitCase(NamedTuple):
    """One test case."""

    name: str
    classname: str
    kind: Kind
    type: str
    """The outcome, or `not_judged`."""
    message: str = ""
    """Reason, on one line."""
    lines: Sequence[str] = ()
    """Other details."""
    unit: UnitView | None = None
    """The unit whose evidence it shows."""


class JunitSuite(NamedTuple):
    """The test cases of a response, or of the rows that were left out."""

    name: str
    cases: Sequence[JunitCase]
    properties: Mapping[str, str] = {}
    notes: Sequence[str] = ()
    """Warnings, and failures that belong to no unit."""


def many_to_junit(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield one test suite per response, with a case per claim, and one with an error for each row left out.

    They are valid by the schema `junit-10` of the Jenkins xUnit plug-in.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="factscope">\n'
    for suite in _suites(reports, over_all.left_out):
        yield f"  {_PAGES.fill('junit.xml', suite=suite)}"
    yield "</testsuites>\n"


def _suites(reports: Reports, left_out: Sequence[str]) -> Iterator[JunitSuite]:
    for report in reports():
        view = view_of(report)
        notes = [*report.warnings, *(failure.message for failure in view.failures)]
        yield JunitSuite(report.response.id, _cases(view), _properties(report), notes)
    if left_out:  # an error each, so that no build passes for want of them
        name = "rows left out"
        rows = [JunitCase(wording.clip(row, _LONGEST_NAME), name, "error", "left_out", row) for row in left_out]
        yield JunitSuite(name, rows)


def _properties(report: Report) -> dict[str, str]:
    properties = {"factscope": report.factscope, "method": wording.method_title(report)}
    for score in report.scores:
        coverage = "none" if score.coverage is None else wording.percent(score.coverage)
        properties |= {score.name: wording.score_words(score).value, f"{score.name} coverage": coverage}
    return properties | ({"note": note} if (note := wording.small_verifier(report)) else {})


def _cases(view: ReportView) -> tuple[JunitCase, ...]:
    """Return a case for every unit, and one for every failure that belongs to no unit.

    In a report on citations, they are the cases of the citations, and of the units that are errors and cite nothing.
    """
    name, units = view.report.response.id, view.units
    # The failure that kept a response from being split has a case too, so that it does not pass.
    unsplit = [] if units else [JunitCase(name, name, "error", "failed", each.message) for each in view.failures]
    if wording.is_about_citations(view.report):
        pairs = cited_pairs(view.report)
        citations = view.report.citations
        cited = {unit.id for unit in units if unit.claim and any(cited_by(unit.claim, citations))}
        cited |= {citation.segment_id for citation in citations if citation.segment_id}
        others = (_case(name, unit) for unit in units if unit.id not in cited)
        cases = [*_of_citations(view.report, pairs), *(case for case in others if case.kind == "error")]
    else:
        cases = [_case(name, unit) for unit in units]
    return (*cases, *_of_segments(name, view.parts), *unsplit)


def _case(response: str, unit: UnitView) -> JunitCase:
    outcome = unit.verdict.outcome
    not_read = unit.claim is not None and is_not_read(unit.claim)
    kinds: dict[str, Kind] = {"supported": "passed", "contradicted": "failure", "failed": "error"}
    reason = (wording.why(unit.verdict) if outcome == "failed" else unit.why) or MARKS[outcome].meaning
    against = next((card.quote for card in unit.side("against") if card.quote), None)
    message = f"{reason}: “{wording.clip(against, 300)}”" if against and outcome == "contradicted" else reason
    return JunitCase(
        name=f"{unit.id}: {wording.excerpt(unit.text, _LONGEST_NAME)}",
        classname=f"{response}.{unit.segment.id}",
        kind="error" if not_read else kinds.get(outcome, "skipped"),
        type="not_judged" if not_read else outcome,
        message=message,
        unit=unit,
    )


def _of_citations(report: Report, pairs: Sequence[CitedPair]) -> Iterator[JunitCase]:
    """Yield a case for each problem, and for each citation without one or that was not judged."""
    name, lines, unjudged = report.response.id, problem_lines(report), unjudged_citations(report, pairs)
    for line in lines:
        title = f"{line.line}:{line.column} {KIND_WORDS[line.kind]}: {wording.clip(line.about, _LONGEST_NAME)}"
        lines_below = [f"instead: {line.proposal}"] if line.proposal else []
        kind: Kind = "error" if line.kind == "not_judged" else "failure" if line.serious else "skipped"
        yield JunitCase(title, name, kind, line.kind, line.message, lines_below)
    wrong = {(line.span, line.source_id) for line in lines}
    unjudged_keys = {(line.span, line.source_id) for line in lines if line.kind == "not_judged"}
    for citation in report.citations:
        row, column = line_and_column(report.response.text, citation.span.start)
        title, key = f"{row}:{column} {wording.one_line(citation.text)}", (citation.span, citation.source_id)
        if citation.id in unjudged and key not in unjudged_keys:
            yield JunitCase(title, name, "error", "not_judged", unjudged[citation.id])
        elif key not in wrong:
            yield _citation_case(title, name, citation, pairs)


def _citation_case(title: str, response: str, citation: Citation, pairs: Sequence[CitedPair]) -> JunitCase:
    """Return the case of a citation without a problem of its own; it is skipped unless its source supports a claim.

    Its source may be of no use where another one supports the claim, and a source that is cited twice for a claim, or
    was not fetched, is a problem only at the first place.
    """
    selected = [pair for pair in pairs if citation in pair.citations]
    if any(pair.outcome == "supports" for pair in selected):
        return JunitCase(title, response, "passed", "supports")
    for pair in selected:
        kind = pair.outcome
        if kind in ("contradicts", "not_there", "does_not_say", "unclear", "partly"):
            fault = CitationFault(kind, citation.span, pair.source, pair.claim, pair=pair, detail=pair.reason)
            return JunitCase(title, response, "skipped", kind, message_of(fault))
    if selected:
        return JunitCase(title, response, "skipped", "excluded", "its source was ruled out by a person")
    return JunitCase(title, response, "skipped", "no_claim", "no claim that can be checked cites it")


def _of_segments(response: str, views: Iterable[SegmentView]) -> Iterator[JunitCase]:
    """Yield failures of segments that have claims nevertheless."""
    for view in views:
        if messages := [failure.message for failure in view.failures]:
            name = f"{view.segment.id}: {wording.excerpt(view.segment.text, _LONGEST_NAME)}"
            yield JunitCase(name, f"{response}.{view.segment.id}", "error", "failed", messages[0], messages)


def _one_line(value: object) -> object:
    text = isinstance(value, str) and not isinstance(value, Markup)
    return _NO_CHARACTER.sub("\ufffd", wording.one_line(str(value))) if text else value


_PAGES = Pages("factscope.report", (), (source_address,), finalize=_one_line, sources=source_notes)
