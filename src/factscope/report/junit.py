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
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from factscope.claims.citations.cited_claims import cited_by
from factscope.core.records import Citation, Report
from factscope.report import source_notes, wording
from factscope.report.build_view import view_of
from factscope.report.citations.lines import KIND_WORDS, line_and_column, message_of, problem_lines
from factscope.report.evidence_cards import source_address
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.view import ReportView, SegmentView, UnitView
from factscope.scoring.citations.citation_problems import CitationFault
from factscope.scoring.citations.pairs import CitedPair, cited_pairs, unjudged_citations
from factscope.scoring.counts import is_not_read

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="factscope">\n'
_TAIL = "</testsuites>\n"
_LONGEST_NAME = 200  # characters of a test's name
_NO_CHARACTER = re.compile("[\ufffe\uffff]")
"""Characters that `inert` keeps but XML 1.0 does not allow."""

Kind = Literal["passed", "failure", "error", "skipped"]


class JunitCase(NamedTuple):
    """One test case."""

    name: str
    classname: str
    kind: Kind
    type: str
    """The outcome, or `not_judged`."""
    message: str
    """Reason, on one line."""
    text: str
    """The evidence and all other details, on several lines."""


def many_to_junit(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield one test suite per response, with a case per claim, and one with an error for each row left out.

    They are valid by the schema `junit-10` of the Jenkins xUnit plug-in.
    """
    yield _HEAD
    for report in reports():
        yield _suite(report)
    if over_all.left_out:
        yield _suite_of_rows(over_all.left_out)
    yield _TAIL


def _cases(view: ReportView) -> tuple[JunitCase, ...]:
    """Return a case for every unit, and one for every failure that belongs to no unit.

    In a report on citations, they are the cases of the citations, and of the units that are errors and cite nothing.
    """
    name, units = view.report.response.id, view.units
    # The failure that kept a response from being split has a case too, so that it does not pass.
    unsplit = [] if units else [JunitCase(name, name, "error", "failed", each.message, "") for each in view.failures]
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


def _suite(report: Report) -> str:
    view = view_of(report)
    properties = {"factscope": report.factscope, "method": wording.method_title(report)}
    for score in report.scores:
        coverage = "none" if score.coverage is None else wording.percent(score.coverage)
        properties |= {score.name: wording.score_words(score).value, f"{score.name} coverage": coverage}
    if note := wording.small_verifier(report):
        properties["note"] = note
    lines = [f"      <property{_attributes({'name': k, 'value': v})}/>" for k, v in properties.items()]
    cases = _cases(view)
    lines = ["    <properties>", *lines, "    </properties>", *map(_element, cases)]
    if notes := [*report.warnings, *(failure.message for failure in view.failures)]:
        lines.append(f"    <system-err>{_text(chr(10).join(map(wording.one_line, notes)))}</system-err>")
    return _in_suite(report.response.id, cases, lines)


def _suite_of_rows(left_out: Sequence[str]) -> str:
    """Return the suite of the rows that could not be checked, so that no build passes for want of them."""
    name = "rows left out"
    cases = [JunitCase(wording.clip(row, _LONGEST_NAME), name, "error", "left_out", row, "") for row in left_out]
    return _in_suite(name, cases, map(_element, cases))


def _in_suite(name: str, cases: Sequence[JunitCase], lines: Iterable[str]) -> str:
    n = Counter(case.kind for case in cases)
    numbers = {"tests": len(cases), "failures": n["failure"], "errors": n["error"], "skipped": n["skipped"]}
    attributes = {"name": name, **{key: str(number) for key, number in numbers.items()}}
    return "\n".join([f"  <testsuite{_attributes(attributes)}>", *lines, "  </testsuite>"]) + "\n"


def _element(case: JunitCase) -> str:
    opening = f"    <testcase{_attributes({'name': case.name, 'classname': case.classname})}"
    if case.kind == "passed":
        return f"{opening}><system-out>{_text(case.text)}</system-out></testcase>" if case.text else f"{opening}/>"
    about = _attributes({"type": case.type, "message": case.message})
    return f"{opening}><{case.kind}{about}>{_text(case.text)}</{case.kind}></testcase>"


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
        text="\n".join(_lines(unit)),
    )


def _of_citations(report: Report, pairs: Sequence[CitedPair]) -> Iterator[JunitCase]:
    """Yield a case for each problem, and for each citation without one or that was not judged."""
    name, lines, unjudged = report.response.id, problem_lines(report), unjudged_citations(report, pairs)
    for line in lines:
        title = f"{line.line}:{line.column} {KIND_WORDS[line.kind]}: {wording.clip(line.about, _LONGEST_NAME)}"
        text = f"instead: {line.proposal}" if line.proposal else ""
        kind: Kind = "error" if line.kind == "not_judged" else "failure" if line.serious else "skipped"
        yield JunitCase(title, name, kind, line.kind, line.message, text)
    wrong = {(line.span, line.source_id) for line in lines}
    unjudged_keys = {(line.span, line.source_id) for line in lines if line.kind == "not_judged"}
    for citation in report.citations:
        row, column = line_and_column(report.response.text, citation.span.start)
        title, key = f"{row}:{column} {wording.one_line(citation.text)}", (citation.span, citation.source_id)
        if citation.id in unjudged and key not in unjudged_keys:
            yield JunitCase(title, name, "error", "not_judged", unjudged[citation.id], "")
        elif key not in wrong:
            yield _citation_case(title, name, citation, pairs)


def _citation_case(title: str, response: str, citation: Citation, pairs: Sequence[CitedPair]) -> JunitCase:
    """Return the case of a citation without a problem of its own; it is skipped unless its source supports a claim.

    Its source may be of no use where another one supports the claim, and a source that is cited twice for a claim, or
    was not fetched, is a problem only at the first place.
    """
    selected = [pair for pair in pairs if citation in pair.citations]
    if any(pair.outcome == "supports" for pair in selected):
        return JunitCase(title, response, "passed", "supports", "", "")
    for pair in selected:
        kind = pair.outcome
        if kind in ("contradicts", "not_there", "does_not_say", "unclear", "partly"):
            fault = CitationFault(kind, citation.span, pair.source, pair.claim, pair=pair, detail=pair.reason)
            return JunitCase(title, response, "skipped", kind, message_of(fault), "")
    if selected:
        return JunitCase(title, response, "skipped", "excluded", "its source was ruled out by a person", "")
    return JunitCase(title, response, "skipped", "no_claim", "no claim that can be checked cites it", "")


def _of_segments(response: str, views: Iterable[SegmentView]) -> Iterator[JunitCase]:
    """Yield failures of segments that have claims nevertheless."""
    for view in views:
        if messages := [failure.message for failure in view.failures]:
            name = f"{view.segment.id}: {wording.excerpt(view.segment.text, _LONGEST_NAME)}"
            text = "\n".join(map(wording.one_line, messages))
            yield JunitCase(name, f"{response}.{view.segment.id}", "error", "failed", messages[0], text)


def _lines(unit: UnitView) -> Iterator[str]:
    """Yield the claim's evidence, one piece a line."""
    if unit.differs:
        yield f"sentence: {wording.one_line(unit.segment.text)}"
    for risk in unit.risks:
        yield wording.one_line(wording.rests_on(risk.id, risk.text, unit.verdict.outcome))
    for judge in unit.panel:
        yield wording.one_line(f"{judge.judge}: {MARKS[judge.outcome].word}")
    if unit.correction:
        yield f"what is wrong: {wording.ERROR_WORDS[unit.correction.error]}"
        yield wording.one_line(f"should say: {unit.correction.text}") if unit.correction.text else wording.UNCORRECTED
    for card in unit.best or unit.quotes("aside"):
        address = source_address(card.document) if card.document else None
        quote_text = f"“{card.quote}”" if card.quote else "no quote"
        void = wording.VOID if card.void else None
        orders = source_notes.orders(card.passage) if card.passage else None
        about = "".join(
            f"; {note}" for note in (source_notes.ruled_out(card) or void, source_notes.copies(card), orders) if note
        )
        yield wording.one_line(f"{card.says}: {quote_text} — {', '.join(filter(None, (card.source, address)))}{about}")
    for failure in unit.failures:
        yield wording.one_line(f"failed in {failure.stage} ({failure.boundary}): {failure.message}")
    for failure in unit.unread:
        yield wording.one_line(f"{source_notes.UNREADABLE}: {source_notes.unread_line(failure)}")
    for card in unit.side("failed"):
        yield wording.one_line(f"could not be judged: {card.failure}")
    if unit.ended:
        yield wording.one_line(f"the search ended: {unit.ended}")


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(_allowed(wording.one_line(value)))}" for name, value in values.items())


def _text(value: str) -> str:
    return escape(_allowed(wording.inert(value)))


def _allowed(value: str) -> str:
    return _NO_CHARACTER.sub("\ufffd", value)
