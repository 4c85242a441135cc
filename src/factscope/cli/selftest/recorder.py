"""A plug-in of pytest that writes one line of JSON for every test: its outcome, its time and how many cases it tried.

A test of many cases records their number in the property `cases`; one with generated examples counts these.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from factscope.cli.selftest.trial import RECORD


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Put the number of generated examples among the properties of a test that names no number itself."""
    report = yield
    examples = re.findall(r"(\d+) (?:passing|failing)\b", getattr(item, "hypothesis_statistics", ""))
    if report.when == "call" and examples and not any(name == "cases" for name, _ in report.user_properties):
        report.user_properties.append(("cases", sum(int(number) for number in examples)))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down how a test ended."""
    index = os.environ.get(RECORD)
    if index is None or (report.when != "call" and not report.failed and not report.skipped):
        return
    expected = hasattr(report, "wasxfail")  # an expected failure (xfail) is a failure here
    outcome = "passed" if report.passed else "failed" if report.failed or expected else "skipped"
    line = {
        "test": report.nodeid,
        "outcome": outcome,
        "seconds": report.duration,
        "cases": sum(int(str(number)) for name, number in report.user_properties if name == "cases") or 1,
        "why": "" if report.passed else str(report.longreprtext or report.longrepr).strip()[-500:],
    }
    with Path(index).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
