"""SARIF: what is found stands at its lines and columns, what failed is no clean run."""

from __future__ import annotations

import json

from factscope.core.records import Span
from factscope.report import render
from factscope.report.sarif import region
from tests.report.samples import rich

TEXT = "Erste Zeile.\r\n😀 The lens came in 1901.\n\nNext."


def test_lines_and_columns_count_code_points_from_one() -> None:
    start = TEXT.index("The lens")
    found = region(TEXT, Span(start=start, end=start + len("The lens came in 1901.")))
    assert found == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 25}
    assert region(TEXT, Span(start=0, end=5)) == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 6}
    assert region(TEXT, Span(start=0, end=len(TEXT)))["endLine"] == 4


def test_every_problem_is_a_result_at_its_words_and_every_failure_a_notification() -> None:
    report = rich()
    (run,) = json.loads(render(report, "sarif"))["runs"]
    lines = report.response.text.split("\n")
    problems = sum(report.counts[outcome] for outcome in ("contradicted", "undecided", "no_evidence"))
    assert len(run["results"]) == problems > 0
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        where = place["region"]
        assert place["artifactLocation"]["uri"] == report.response.id
        assert lines[where["startLine"] - 1][where["startColumn"] - 1 :].strip()
        assert result["level"] == ("error" if result["ruleId"] == "contradicted" else "warning")
    (invocation,) = run["invocations"]
    assert len(invocation["toolExecutionNotifications"]) == report.counts["failed"] > 0
    assert invocation["executionSuccessful"] is False
    assert len({result["partialFingerprints"]["claim/v1"] for result in run["results"]}) == problems
