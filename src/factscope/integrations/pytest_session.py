"""The checkers that all tests of a pytest session share, their recordings, and the line at the end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscope.core.plurals import many

if TYPE_CHECKING:
    import pytest

    from factscope.integrations.assessment import Assessor
    from factscope.integrations.python.report import Report

FAILED_CHECKS = "checks that failed"
"""The key of their number among the counts of a session."""


class Assessors:
    """One checker for each set of choices in the session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._opened: dict[str, Assessor] = {}

    def of(self, choices: Mapping[str, Any]) -> Assessor:
        """Return the checker for these choices; options of the command line fill in missing ones."""
        from factscope.integrations.assessment import Assessor
        from factscope.integrations.python.checker import Checker

        by_name = {name: self._config.getoption(f"factscope_{name}") for name in ("method", "model")}
        by_name |= {name: value for name, value in choices.items() if value is not None}
        key = repr(sorted(by_name.items()))
        if key not in self._opened:
            settings = {"record": self._part(), "replay": self._config.getoption("factscope_replay")}
            self._opened[key] = Assessor(Checker(**by_name, settings=settings))
        return self._opened[key]

    def _part(self) -> str | None:
        """Return a separate file for the calls of each checker and process; `join_parts` merges them."""
        record = self._config.getoption("factscope_record")
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        return f"{record}.{worker}-{len(self._opened)}.part" if record else None

    def close(self) -> None:
        """Close all."""
        for assessor in self._opened.values():
            assessor.close()


def join_parts(record: Path) -> None:
    """Merge the recordings of all checkers and processes into one, with each call once."""
    paths = sorted(record.absolute().parent.glob(f"{escape(record.name)}.*.part"))
    lines = sorted({line for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line})
    record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for path in paths:
        path.unlink()


def counted(report: Report) -> dict[str, int]:
    """Count a report for the summary line at the end."""
    usage = report.record.usage
    counts = {outcome: n for outcome, n in report.counts.items() if n}
    return {"checks": 1, **counts, "model calls": sum(row.calls for row in usage if row.tokens_in is not None)}


class SessionSummary:
    """Counts the checks in the tests of the session; with xdist, the reports of all workers arrive here."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the checks of a test that ended."""
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == "factscope" and isinstance(value, dict):
                    self._counts.update(value)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write one line on all checks."""
        if counts := Counter(self._counts):
            checks, calls = counts.pop("checks", 0), counts.pop("model calls", 0)
            failed = counts.pop(FAILED_CHECKS, 0)
            words = [f"{n:,} {outcome.replace('_', ' ')}" for outcome, n in counts.items()]
            words += [many(failed, "failed check")] if failed else []
            line = f"factscope: {many(checks, 'check')}: {', '.join(words)}; {many(calls, 'model call')}"
            terminalreporter.write_line(line)
