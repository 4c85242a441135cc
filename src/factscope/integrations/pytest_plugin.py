"""A pytest plugin: the fixture `factual` checks an answer, and a test that gets a wrong one fails with the evidence.

    def test_answer(factual):
        factual(my_app("When was the lens fitted?"), contexts=["In 1858 a Fresnel lens was fitted."])

The marker `factscope(…)` gives a test, class or module its own method, model, evidence or bounds. The options
`--factscope-record FILE` and `--factscope-replay FILE` write down the calls of models, and answer them without any.
Convention: the entry-point group `pytest11` (pytest documentation, "Writing plugins").
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from factscope.core import UsageError, many

if TYPE_CHECKING:
    from factscope.integrations.assessment import Assessor
    from factscope.integrations.python.arguments import Contexts, Evidence
    from factscope.integrations.python.report import Report

_CHOICES = ("min_score", "min_coverage", "method", "model", "evidence", "search", "verifier")
"""Options of a marker."""
_EXAMPLE = "Such as @pytest.mark.factscope(min_score=0.9)."
NOT_ASSESSED, FAILED_CHECK = "unassessed answer", "failed check"
"""Keys of their numbers among the counts of a session, whose other keys are outcomes of claims."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("factscope", "factscope: answers checked against evidence")
    group.addoption("--factscope-method", metavar="NAME", help="Method by name, or a TOML file.")
    group.addoption("--factscope-model", metavar="PROVIDER/MODEL", help="Language model for all roles.")
    group.addoption("--factscope-record", metavar="FILE", help="Record the calls of models that the tests make.")
    group.addoption("--factscope-replay", metavar="FILE", help="Answer calls of models from a recording; make none.")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known. Raises UsageError for options that contradict each other."""
    options = "min_score=…, min_coverage=…, method=…, model=…, evidence=…"
    line = f"factscope({options}): how the fixture `factual` checks in this test."
    config.addinivalue_line("markers", line)
    config.pluginmanager.register(SessionSummary(), "factscope-summary")
    if config.getoption("factscope_record") and config.getoption("factscope_replay"):
        raise pytest.UsageError("--factscope-record and --factscope-replay exclude each other.")


@pytest.fixture(scope="session")
def factscope_assessors(pytestconfig: pytest.Config) -> Iterator[Assessors]:
    """Open the checkers of the session, each once."""
    opened = Assessors(pytestconfig)
    yield opened
    opened.close()


@pytest.fixture
def factual(request: pytest.FixtureRequest, factscope_assessors: Assessors) -> FactualAssertion:
    """Check answers: `factual(answer, contexts=[…])` fails the test when the evidence does not support the answer."""
    return FactualAssertion(request.node, factscope_assessors)


class FactualAssertion:
    """The value of the fixture: call it with an answer."""

    def __init__(self, node: pytest.Item, assessors: Assessors) -> None:
        self._node, self._assessors = node, assessors

    def __call__(
        self,
        answer: str,
        *,
        contexts: Contexts | None = None,
        evidence: Evidence | None = None,
        question: str | None = None,
        min_score: float | None = None,
        min_coverage: float | None = None,
        method: str | None = None,
        model: str | None = None,
    ) -> Report:
        """Check an answer and return the report.

        Missing arguments are taken from the marker, then from the command line.

        Skips the test when there is nothing to assess. Raises AssertionError when the score is below `min_score`
        (default 0.8) or the coverage below `min_coverage` (default 1.0), CheckFailedError when the check failed,
        UsageError for a wrong call.
        """
        __tracebackhide__ = True
        from factscope.integrations import assessment
        from factscope.integrations.python.arguments import must_be_share

        bounds = {"min_score": min_score, "min_coverage": min_coverage}
        arguments = {**bounds, "evidence": evidence, "method": method, "model": model}
        selected = _marked(self._node) | {name: value for name, value in arguments.items() if value is not None}
        least = selected.pop("min_score", assessment.MIN_SCORE), selected.pop("min_coverage", assessment.MIN_COVERAGE)
        for name, value in zip(bounds, least, strict=True):
            must_be_share(value, name)
        try:
            report = self._assessors.of(selected).assess(answer, contexts, question)
        except assessment.NotAssessedError as error:
            if error.report is None or error.report.coverage >= least[1]:
                self._count({NOT_ASSESSED: 1})
                pytest.skip(str(error))
            report = error.report
        except assessment.CheckFailedError:
            self._count({FAILED_CHECK: 1})
            raise
        self._count(counted(report))
        passed, explanation = assessment.assessed(report, *least)
        if not passed:
            raise AssertionError(explanation)
        return report

    def _count(self, counts: dict[str, int]) -> None:
        """Leave counts for the line at the end; xdist carries them from its workers."""
        self._node.user_properties.append(("factscope", counts))


def _marked(node: pytest.Item) -> dict[str, Any]:
    """Return the options of a test's markers, the closest last. Raises UsageError for what they do not take."""
    selected: dict[str, Any] = {}
    for mark in reversed(list(node.iter_markers("factscope"))):
        if mark.args:
            raise UsageError(f"The marker factscope takes its options by name, not {mark.args[0]!r:.40}.", _EXAMPLE)
        selected |= mark.kwargs
    if unknown := sorted(set(selected) - {*_CHOICES}):
        raise UsageError(
            f"The marker factscope does not take {', '.join(unknown)}.", f"It takes {', '.join(_CHOICES)}."
        )
    return selected


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Make one recording of those of all checkers and workers."""
    record = session.config.getoption("factscope_record")
    if record and not hasattr(session.config, "workerinput"):
        join_parts(Path(record))


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
            settings = {"record": self._part_file(), "replay": self._config.getoption("factscope_replay")}
            self._opened[key] = Assessor(Checker(**by_name, settings=settings))
        return self._opened[key]

    def _part_file(self) -> str | None:
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
            others = [many(n, name) for name in (NOT_ASSESSED, FAILED_CHECK) if (n := counts.pop(name, 0))]
            claims = ", ".join(f"{n:,} {outcome.replace('_', ' ')}" for outcome, n in counts.items())
            head = many(checks, "check") + (f" of {many(counts.total(), 'claim')}: {claims}" if claims else "")
            words = [head, *others, many(calls, "model call")]
            terminalreporter.write_line(f"factscope: {'; '.join(words)}")
