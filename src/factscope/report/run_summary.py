"""Many reports: one line for each, the scores over all of them, and the contradicted claims of the first ones.

`reports` opens the reports again at each call. They are read twice, since the head needs totals; only one report at a
time is in memory, plus the shown parts of `MOST_DETAILS` responses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.cells import cell_len

from factscope.core import Outcome, Report, plurals
from factscope.report import wording
from factscope.report.build_view import view_of
from factscope.report.renderers import OverAll, Reports
from factscope.report.states import MARKS
from factscope.report.view import UnitView
from factscope.scoring.counts import count_response, count_units

MOST_DETAILS = 100
"""Responses whose contradicted claims are shown."""
MOST_CLAIMS = 10
"""Contradicted claims shown for one response."""
MOST_WARNINGS = 20  # warnings listed
MOST_LEFT_OUT = 10  # of them rows that were left out

COUNTED: tuple[Outcome, ...] = ("supported", "contradicted", "undecided", "no_evidence", "failed")
"""Outcomes with a column."""


class ResponseLine(NamedTuple):
    """One response."""

    number: int
    """From 1, in the order of the reports."""
    id: str
    outcome: Outcome
    """That of its verdict; `failed` when it ended without one."""
    counts: tuple[int, ...]
    """Of the outcomes in `COUNTED`."""
    scores: tuple[str, ...]
    """Scores by the names of the total; empty where a report has none of that name."""
    coverage: str
    """A percentage, or empty when there was nothing to judge."""
    failures: int
    """Failures of a stage; an unreadable source is not one."""
    detailed: bool
    """Whether its contradicted claims are shown."""


class Details(NamedTuple):
    """Contradicted claims of one response."""

    line: ResponseLine
    units: tuple[UnitView, ...]
    more: int
    """Contradicted claims that are not shown."""


@dataclass
class RunTotal:
    """Totals for the head."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """Responses by where they ended."""
    n_contradicted: int = 0
    """Number of responses with a contradicted claim."""
    n_judged: int = 0
    """Number of responses with a claim that has a verdict on its truth."""
    n_failures: int = 0
    n_unread: int = 0
    """Sources that could not be fetched or read, counted once for each claim that they were found for."""
    score_names: tuple[str, ...] = ()
    """Names of the scores that reports have, in the order of their appearance."""
    methods: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """Each once, at most `MOST_WARNINGS`."""
    longest_id: int = 0
    """Columns of the longest id of a response in a terminal."""

    def add(self, report: Report) -> None:
        """Count a report too."""
        self.outcomes[_outcome(report)] += 1
        self.n_contradicted += report.counts.get("contradicted", 0) > 0
        self.n_judged += count_units(report).judged > 0
        self.n_failures += _failures(report)
        self.n_unread += sum(failure.about is not None for failure in report.failures)
        self.score_names = _each_once(*self.score_names, *(score.name for score in report.scores))
        self.methods = _each_once(*self.methods, wording.method_title(report))
        self.warnings = _each_once(*self.warnings, *report.warnings)[:MOST_WARNINGS]
        self.longest_id = max(self.longest_id, cell_len(wording.one_line(report.response.id)))

    @property
    def n(self) -> int:
        """Number of responses."""
        return self.outcomes.total()

    @property
    def headline(self) -> str:
        """State the result in one sentence."""
        if not self.n:
            return "There are no responses."
        responses = plurals.many(self.n, "response")
        if not self.n_judged:
            return f"Nothing could be checked in {responses}."
        if self.n_contradicted:
            return f"The evidence contradicts something in {self.n_contradicted:,} of {responses}."
        return f"The evidence contradicts nothing in {responses}."

    @property
    def troubles(self) -> str:
        """Such as `2 failures · 7 sources could not be read`."""
        unreadable = [f"{plurals.many(self.n_unread, 'source')} could not be read"] if self.n_unread else []
        return " · ".join([plurals.many(self.n_failures, "failure"), *unreadable])

    @property
    def ended(self) -> str:
        """Return text such as `12 contradicted, 3 failed, 85 supported`: responses by their most serious outcome."""
        ranked = sorted(self.outcomes, key=list(MARKS).index)
        return ", ".join(f"{self.outcomes[outcome]:,} {MARKS[outcome].word}" for outcome in ranked)


def total_of(reports: Reports, left_out: Sequence[str] = ()) -> RunTotal:
    """Return the totals, in one pass; the rows that were left out are its first warnings."""
    total = RunTotal(warnings=_each_once(*_left_out_rows(left_out)))
    for report in reports():
        total.add(report)
    return total


def template_values(reports: Reports, over_all: OverAll) -> dict[str, object]:
    """Return the values of a template about many reports: the head, the scores, a line each, and the details.

    The template draws the lines one by one, so the details are complete when it reaches them.
    """
    total = total_of(reports, over_all.left_out)
    details: list[Details] = []
    return {
        "total": total,
        "scores": [wording.score_words(score) for score in over_all.scores],
        "counted": COUNTED,
        "lines": lines(reports, total, details),
        "details": details,
    }


def _left_out_rows(left_out: Sequence[str]) -> Iterator[str]:
    """Yield a warning with the number of rows that were left out, one for each of the first, and how many follow."""
    if left_out:
        rows, them = plurals.many(len(left_out), "row"), "it" if len(left_out) == 1 else "them"
        yield f"{rows} of the data could not be checked, and no score counts {them}."
    yield from left_out[:MOST_LEFT_OUT]
    if (more := len(left_out) - MOST_LEFT_OUT) > 0:
        yield f"{plurals.many(more, 'more row')}: JSON and JSON Lines name them all."


def lines(reports: Reports, total: RunTotal, details: list[Details] | None = None) -> Iterator[ResponseLine]:
    """Yield a line per report; the contradicted claims of the first ones are added to `details`."""
    for number, report in enumerate(reports(), 1):
        values = {score.name: wording.score_words(score).value for score in report.scores}
        coverage = count_response(report).coverage
        detailed = details is not None and report.counts.get("contradicted", 0) > 0 and len(details) < MOST_DETAILS
        line = ResponseLine(
            number=number,
            id=report.response.id,
            outcome=_outcome(report),
            counts=tuple(report.counts.get(outcome, 0) for outcome in COUNTED),
            scores=tuple(values.get(name, "") for name in total.score_names),
            coverage="" if coverage is None else wording.percent(coverage),
            failures=_failures(report),
            detailed=detailed,
        )
        if details is not None and detailed:
            details.append(_details(report, line))
        yield line


def _details(report: Report, line: ResponseLine) -> Details:
    units = [unit for unit in view_of(report).units if unit.verdict.outcome == "contradicted"]
    return Details(line, tuple(units[:MOST_CLAIMS]), max(0, len(units) - MOST_CLAIMS))


def _failures(report: Report) -> int:
    """Count the steps that failed, and the units that failed without a record of it, as after an unreadable reply."""
    recorded = {failure.unit_id for failure in report.failures}
    failed = {verdict.unit_id for verdict in report.verdicts if verdict.outcome == "failed"}
    n_steps = sum(failure.about is None for failure in report.failures)
    return n_steps + len(failed.intersection(report.unit_ids()) - recorded)


def _outcome(report: Report) -> Outcome:
    return next((verdict.outcome for verdict in report.verdicts if verdict.level == "response"), "failed")


def _each_once(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
