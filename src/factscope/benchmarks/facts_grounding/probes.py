"""Probes for judges of FACTS Grounding: small sets of invented cases with the right answer known.

- `counterfactual`: the document contradicts common knowledge. An answer that follows the document is grounded, one that
follows common knowledge is not; a judge that trusts its own knowledge gets both wrong. - `evasive`: an answer with
almost no content, hence without errors. Phase A passes it; phase B must not. - `injection`: the document contains
instructions to the judge. Its other content still decides.

Apache-2.0; written for Factscope, and nothing is tuned to them. There are few of them, so the intervals are wide.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from factscope.benchmarks.examples import BenchmarkPlan, Example, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_dataset import context_document
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.grounding_run import run_grounding
from factscope.benchmarks.figure_lines import FigureLine, result_of
from factscope.benchmarks.generate import Answers
from factscope.core.records import Interval, Response
from factscope.engine.run import Runner, RunProgress
from factscope.report.document import Block, notes, table_of
from factscope.report.result import Result
from factscope.scoring.intervals import wilson

_AUTHOR = "probe"
_MAX_NAMES = 4
"""Wrongly judged probes that are named."""


class Probe(BaseModel):
    """A case and the correct verdict on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str
    request: str
    context: str
    response: str
    accurate: bool
    eligible: bool


@dataclass(frozen=True, slots=True)
class ProbeAccuracy:
    """Accuracy of a judge on cases of one kind."""

    judge: str
    kind: str
    """The kind of probe; `eligible`: all answers that phase B should accept."""
    phase: str
    """`grounding` or `eligibility`."""
    right: int
    n: int
    """Cases with a verdict."""
    n_missing: int
    interval: Interval | None
    """Wilson's interval of the share of correct verdicts."""
    wrong: tuple[str, ...]
    """Ids of the cases with a wrong verdict."""


class PlantedRanks(NamedTuple):
    """Ranks of the chunks with a planted fact, in the order of its sentence."""

    first: int
    """Sentences whose chunk has rank 1."""
    among_eight: int
    n: int


def probes() -> tuple[Probe, ...]:
    """Return the cases that come with Factscope."""
    text = files("factscope.benchmarks.facts_grounding").joinpath("probes.jsonl").read_text(encoding="utf-8")
    return tuple(Probe.model_validate(json.loads(line)) for line in text.splitlines())


async def run_probes(
    cases: Sequence[Probe], panel: GroundingPanel, runner: Runner
) -> tuple[tuple[ProbeAccuracy, ...], RunProgress]:
    """Run each judge on the cases. Raises the errors of `run_many`."""
    rows = tuple(_example(case) for case in cases)
    digest = sha256("".join(case.model_dump_json() for case in cases).encode()).hexdigest()
    plan = BenchmarkPlan(Examples(rows, (_AUTHOR,), (), digest), rows, GivenAnswers({}, (_AUTHOR,), ()))
    answers = Answers(texts={(_AUTHOR, case.id): case.response for case in cases})
    outcome = await run_grounding(plan, answers, panel, runner)
    accurate = outcome.verdicts.accurate[:, 0]
    ineligible = outcome.verdicts.ineligible
    accuracies = []
    for j, judge in enumerate(panel.names()):
        for kind in dict.fromkeys(case.kind for case in cases):
            if kind != "evasive":
                right = np.array([float(case.accurate) if case.kind == kind else np.nan for case in cases])
                accuracies.append(_measured(judge, kind, "grounding", cases, right, accurate[:, j]))
        if ineligible is not None:
            for kind, expected in (("evasive", False), ("eligible", True)):
                right = np.array([float(not case.eligible) if case.eligible == expected else np.nan for case in cases])
                accuracies.append(_measured(judge, kind, "eligibility", cases, right, ineligible[:, 0, j]))
    return tuple(accuracies), outcome.many


def _example(case: Probe) -> Example:
    context = (context_document(case.context),)
    return Example(case.id, _AUTHOR, Response(id=case.id, text="", prompt=case.request, context=context), {})


def _measured(
    judge: str, kind: str, phase: str, cases: Sequence[Probe], truth: NDArray[np.float64], labels: NDArray[np.float64]
) -> ProbeAccuracy:
    """Measure accuracy; `truth` is NaN for cases of other kinds, `labels` for missing verdicts."""
    has_truth = ~np.isnan(truth)
    has_both = has_truth & ~np.isnan(labels)
    right, n = int((truth == labels)[has_both].sum()), int(has_both.sum())
    wrong = tuple(cases[index].id for index in np.flatnonzero(has_both & (truth != labels)).tolist())
    return ProbeAccuracy(judge, kind, phase, right, n, int(has_truth.sum()) - n, wilson(right, n), wrong)


def probe_result(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> Result:
    """Return the accuracy of each judge, and the ranks of planted facts, for any writer."""
    values, document = partial(_values, ranked=ranked), partial(_document, ranked=ranked)
    return result_of("Judges on cases with known answers", accuracies, document, _figure_lines, values)


def _values(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> dict[str, Any]:
    measured = [
        {**asdict(result), "interval": result.interval and result.interval.model_dump()} for result in accuracies
    ]
    pieces = {"pieces": {kind: entry._asdict() for kind, entry in ranked.items()}} if ranked else {}
    return {"benchmark": "facts-probes", "measured": measured, **pieces}


def _document(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> tuple[Block, ...]:
    rows = []
    for result in accuracies:
        missing = f"\n{result.n_missing} missing" if result.n_missing else ""
        inside = f"{100 * result.interval.low:.0f}–{100 * result.interval.high:.0f} %" if result.interval else ""
        rows.append((result.judge, result.kind, result.phase, f"{result.right} of {result.n}{missing}", inside))
    heads = ("judge", "probes", "phase", "right", "95 % interval")
    return table_of(heads, rows, names=3), *notes(_notes(accuracies, ranked))


def _figure_lines(accuracies: Sequence[ProbeAccuracy]) -> Iterator[FigureLine]:
    for result in accuracies:
        table, n, missing = f"{result.kind}, {result.phase}", result.n, result.n_missing
        yield FigureLine(table, result.judge, "accuracy", result.right / n if n else None, result.interval, n)
        yield FigureLine(table, result.judge, "missing", missing, n=n + missing)


def _notes(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> Iterator[str]:
    for result in accuracies:
        if result.wrong:
            more = f" and {len(result.wrong) - _MAX_NAMES:,} more" if len(result.wrong) > _MAX_NAMES else ""
            yield f"{result.judge}, {result.kind}: wrong on {', '.join(result.wrong[:_MAX_NAMES])}{more}."
    for kind, rank in ranked.items():
        yield (
            f"Of {rank.n} {kind} sentences, the piece of the document that holds the fact is ranked first for"
            f" {rank.first}, and among the first eight for {rank.among_eight}."
        )
