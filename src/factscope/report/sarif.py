"""The report as SARIF 2.1.0 (OASIS standard): for tools that show findings beside lines, such as pull requests.

A contradicted claim is an error, one that the evidence leaves open a warning; supported ones are not findings. A
failure, a claim in a language that no judge reads, or a row that was left out, is a notification, and marks the run as
unsuccessful, so that nobody takes missing findings for a clean text. The id of the response is the path of the file, as
`factscope review` gives it. Columns count code points from 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from factscope.core import Outcome, Report, Span, UsageError, __version__
from factscope.report.build_view import view_of
from factscope.report.citations.lines import KIND_WORDS, CitationProblem, line_and_column, problem_lines
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.view import ReportView, UnitView
from factscope.report.wording import excerpt, small_verifier
from factscope.scoring.counts import is_not_read

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: dict[Outcome, str] = {"contradicted": "error", "undecided": "warning", "no_evidence": "warning"}
_LONGEST = 500  # characters of a text in a message


def many_to_sarif(reports: Reports, over_all: OverAll) -> Iterator[str]:
    """Yield one log with one run over all responses; rows that were left out are notifications."""
    results: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = [
        {"level": "error", "message": {"text": excerpt(row, _LONGEST)}} for row in over_all.left_out
    ]
    version = __version__
    properties: dict[str, str] = {}
    for report in reports():
        version = report.factscope
        view = view_of(report)
        results += [_result(report, unit) for unit in view.units if unit.verdict.outcome in _LEVELS]
        results += [_citation_result(report, line) for line in _citation_lines(report)]
        notes += _notifications(view)
        if note := small_verifier(report):
            properties["note"] = note
    run = {
        "tool": {"driver": {"name": "Factscope", "version": version, "rules": _rules()}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not notes, "toolExecutionNotifications": notes}],
        "results": results,
        "properties": properties,
    }
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def region(text: str, span: Span) -> dict[str, int]:
    """Return the position of a span: lines and columns from 1, the end column after the last character."""
    start_line, start_column = line_and_column(text, span.start)
    end_line, end_column = line_and_column(text, span.end)
    return {"startLine": start_line, "startColumn": start_column, "endLine": end_line, "endColumn": end_column}


def _rules() -> list[dict[str, Any]]:
    """Return the outcomes that are results, and the kinds of problems with citations."""
    kinds = [
        {"id": kind, "shortDescription": {"text": words[0].upper() + words[1:]}} for kind, words in KIND_WORDS.items()
    ]
    return [*map(_rule, _LEVELS), *kinds]


def _citation_lines(report: Report) -> tuple[CitationProblem, ...]:
    """Return the problems with citations; none in a report whose method is of another version and can't be read."""
    try:
        return problem_lines(report)
    except UsageError:
        return ()


def _citation_result(report: Report, line: CitationProblem) -> dict[str, Any]:
    message = f"{line.message} Instead: {line.proposal}" if line.proposal else line.message
    fingerprint = sha256(f"{report.response.id}\0{line.kind}\0{line.message}".encode()).hexdigest()
    return {
        "ruleId": line.kind,
        **_located(report, "error" if line.serious else "warning", message, line.span),
        "partialFingerprints": {"citation/v1": fingerprint},
    }


def _located(report: Report, level: str, message: str, span: Span) -> dict[str, Any]:
    """Return a message with its level and its place in the text."""
    location = {"artifactLocation": {"uri": quote(report.response.id)}, "region": region(report.response.text, span)}
    return {"level": level, "message": {"text": message}, "locations": [{"physicalLocation": location}]}


def _rule(outcome: Outcome) -> dict[str, Any]:
    mark = MARKS[outcome]
    return {
        "id": outcome,
        "shortDescription": {"text": mark.word},
        "fullDescription": {"text": mark.meaning},
        "defaultConfiguration": {"level": _LEVELS[outcome]},
    }


def _result(report: Report, unit: UnitView) -> dict[str, Any]:
    displayed = unit.quoted
    evidence = f" Evidence: “{excerpt(displayed.quote or '', _LONGEST)}” ({displayed.source})." if displayed else ""
    message = f"{MARKS[unit.verdict.outcome].word}: {excerpt(unit.text, _LONGEST)}{evidence}"
    return {
        "ruleId": unit.verdict.outcome,
        **_located(report, _LEVELS[unit.verdict.outcome], message, _span(unit)),
        "partialFingerprints": {"claim/v1": sha256(f"{report.response.id}\0{unit.text}".encode()).hexdigest()},
    }


def _notifications(view: ReportView) -> Iterator[dict[str, Any]]:
    """Yield a notification for all that was not checked: units, parts of segments, and the response as a whole.

    A source that could not be read is not among them: the claims were judged by the others.
    """
    for segment_view in view.parts:
        for unit in segment_view.units:
            if unit.verdict.outcome == "failed" or (unit.claim and is_not_read(unit.claim)):
                reason = next((failure.message for failure in unit.failures), unit.why or "no reason was given")
                yield _notification(view.report, f"{unit.id} could not be checked", reason, _span(unit))
        segment = segment_view.segment
        for failure in segment_view.failures:
            if failure.about is None:
                subject = f"A part of {segment.id} could not be checked"
                yield _notification(view.report, subject, failure.message, segment.span)
    full_text = Span(start=0, end=len(view.report.response.text))
    for failure in view.failures:
        if failure.about is None and failure.stage != "evidence":
            yield _notification(view.report, "The text could not be checked in full", failure.message, full_text)


def _notification(report: Report, subject: str, reason: str, span: Span) -> dict[str, Any]:
    return _located(report, "error", f"{subject}: {excerpt(reason, _LONGEST)}", span)


def _span(unit: UnitView) -> Span:
    return (unit.claim.span if unit.claim else None) or unit.segment.span
