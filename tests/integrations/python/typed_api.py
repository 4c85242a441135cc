"""The types that callers see, verified by the type checker alone: nothing here is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_type

import factscope as fs
from factscope.core import Outcome
from factscope.core.records import Score


@dataclass
class Retrieved:
    """A document as a library returns it."""

    page_content: str


def one_text(answer: str, contexts: list[str], retrieved: list[Retrieved]) -> None:
    """Check the types of a report and its values."""
    report = fs.check(answer, contexts=contexts, question="When?")
    assert_type(report, fs.Report)
    assert_type(report.score, float | None)
    assert_type(report.coverage, float)
    assert_type(report.passed(0.8), bool)
    assert_type(report.counts, dict[str, int])
    for claim in report.problems:
        assert_type(claim, fs.Claim)
        assert_type(claim.verdict, Outcome)
        assert_type(claim.quote, str | None)
    fs.check(answer, evidence=["docs/", {"text": "…"}])
    fs.check(answer, contexts=[{"text": "…", "id": "a"}, "…"])
    fs.check(answer, contexts=retrieved, evidence=retrieved)
    fs.check(answer, evidnce="docs/")  # type: ignore[call-arg]


async def without_blocking(answer: str) -> None:
    """Check the types of the async version and the stream."""
    assert_type(await fs.acheck(answer, evidence="docs/"), fs.Report)
    async for event in fs.stream(answer, evidence="docs/"):
        assert_type(event.type == "verdict", bool)
    async with fs.Checker(evidence="docs/") as checker:
        assert_type(await checker.acheck(answer), fs.Report)


def many(rows: list[dict[str, object]]) -> None:
    """Check the types of a run and its values."""
    with fs.Checker(method="builtin", max_cost=1.0) as checker:
        run = checker.run(rows, text="answer", contexts="contexts", id="id", store="runs.db")
    assert_type(run, fs.Run)
    assert_type(run.score, float | None)
    assert_type(run.by("model"), dict[str, Score])
    assert_type(run.reports[0], fs.Report)


def measured(checker: fs.Checker) -> None:
    """Check the types of checkers, models and bare pairs."""

    def mine(prompt: str | None, units: Sequence[str]) -> list[bool]:
        return [False for _ in units]

    assert_type(fs.evaluate([checker, mine], dataset="felm", level="segment"), fs.Evaluation)
    assert_type(fs.benchmark("factbench", models=["a/b"], judges=["c/d"], limit=1), fs.BenchmarkResult)
    assert_type(fs.verify([("claim", "passage")]), list[fs.Verification])
