"""SARIF: findings at their lines and columns, and failures that are not a clean run."""

from __future__ import annotations

import json

from factscope.core import NOT_READ
from factscope.core.records import Failure, Span
from factscope.report import region, render
from tests.report.samples import rich
from tests.scoring.cited_reports import C, cited, rolled_up

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


def test_anything_unchecked_is_a_notification_and_not_a_clean_run() -> None:
    claim = C("The bridge was opened in 1931.", {"b1": "supported"})
    down = Failure(unit_id="r1", stage="segment", boundary="model", message="The model is down.")
    german = C("Sie ist lang.", {"b1": None}, f"{NOT_READ}: it is in German")
    page = down.model_copy(update={"unit_id": "s1.c1", "stage": "evidence", "about": "https://press.example"})
    for report, expected in (
        (cited([claim]), []),
        (cited([claim], failures=(page,)), []),
        (
            cited([claim], segments=(), claims=(), failures=(down,)),
            ["The text could not be checked in full: The model"],
        ),
        (
            cited([claim], failures=(down.model_copy(update={"unit_id": "s1", "stage": "claims"}),)),
            ["A part of s1 could not be checked: The model is down."],
        ),
        (cited([claim], [german]), [f"s2.c1 could not be checked: {NOT_READ}: it is in German"]),
    ):
        (run,) = json.loads(render(rolled_up(report), "sarif"))["runs"]
        (invocation,) = run["invocations"]
        told = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
        assert len(told) == len(expected), told
        assert all(text.startswith(words) for text, words in zip(told, expected, strict=True)), told
        assert invocation["executionSuccessful"] is (not expected)
