"""Problems with citations as SARIF 2.1.0, which code hosts and editors show beside the text."""

from __future__ import annotations

import json
from typing import Any

from factscope.core.records import Report
from factscope.report.citations.lines import KIND_WORDS, Line, place, problem_lines

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: Report) -> str:
    """One result a problem, with line and column; a report on other things has none."""
    lines = problem_lines(report)
    run = {
        "tool": {
            "driver": {
                "name": "Factscope",
                "version": report.factscope,
                "rules": [
                    {"id": kind, "shortDescription": {"text": words[0].upper() + words[1:]}}
                    for kind, words in KIND_WORDS.items()
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, line) for line in lines],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


def _result(report: Report, line: Line) -> dict[str, Any]:
    last, behind = place(report.response.text, line.span.end)
    region = {"startLine": line.line, "startColumn": line.column, "endLine": last, "endColumn": behind}
    location = {"artifactLocation": {"uri": report.response.url or report.response.id}, "region": region}
    said = f"{line.message} Instead: {line.proposal}" if line.proposal else line.message
    return {
        "ruleId": line.kind,
        "level": "error" if line.serious else "warning",
        "message": {"text": said},
        "locations": [{"physicalLocation": location}],
    }
