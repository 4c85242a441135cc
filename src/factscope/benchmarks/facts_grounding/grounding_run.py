"""FACTS Grounding end to end: candidates answer, the answers are judged, verdicts become arrays.

Answers and judges' replies are kept in the cache, and the records of each judged answer in the store. The same call
therefore resumes after any stop, and a candidate or a split added later costs only its own calls.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.examples import BenchmarkPlan
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.verdict_arrays import Floats, VerdictArrays
from factscope.benchmarks.generate import Answers, given_responses, response_id
from factscope.core.records import Report, Span, Usage
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
from factscope.llm.cost import Ledger


class GroundingOutcome(NamedTuple):
    """All results in the form that the scores need, with their plan."""

    plan: BenchmarkPlan
    panel: GroundingPanel
    verdicts: VerdictArrays
    refused: NDArray[np.bool_]
    """Responses that only refuse; shape (examples, models)."""
    many: RunProgress
    """Progress of the run."""
    unanswered: Floats
    """1 where the answer is missing, so that no judge was called, else 0; NaN where recorded verdicts do not say. Shape
    (examples, models)."""
    n_missing_answers: int
    """Pairs of candidate and example without an answer; of older files, as their totals state it."""
    n_empty: int
    """Empty answers, which are ineligible by rule."""
    usage: tuple[Usage, ...]
    sentences: SentenceCounts
    evidence_at: Mapping[str, float] = {}
    """By example, how far into its document the judges' excerpts are: the median, from 0 to 1."""
    created: str | None = None
    """When recorded verdicts were made, if their files state it; `None` for now."""


@dataclass
class SentenceCounts:
    """Judges' labels of single sentences."""

    n: int = 0
    unaligned: int = 0
    """Sentences that are not in the response."""
    quote_not_found: int = 0
    """With an excerpt that is not in the document."""
    quote_missing: int = 0
    """Without the excerpt that their label needs."""
    downgraded: int = 0
    """Sentences whose support did not survive the double check."""
    in_pieces: int = 0
    """Judgements of documents that were longer than the judge's window."""
    sparse: int = 0
    """Judgements, not sentences: accurate ones whose sentences make up less than half of the response."""


async def run_grounding(
    plan: BenchmarkPlan, answers: Answers, panel: GroundingPanel, runner: Runner
) -> GroundingOutcome:
    """Have the answers to the plan's rows judged.

    The run in the store covers all examples of the plan with this panel, for any candidates. Raises the errors of
    `run_many`.
    """
    rows, models = plan.rows, plan.models
    shape = (len(rows), len(models), len(panel.models))
    accurate, ineligible = np.full(shape, np.nan), np.full(shape, np.nan)
    empty = np.array([[answers.texts.get((model, row.id)) == "" for model in models] for row in rows], dtype=bool)
    accurate[empty], ineligible[empty] = 0.0, 1.0  # it does nothing: no judge need be asked
    cell_of = {response_id(row, model): (e, m) for e, row in enumerate(rows) for m, model in enumerate(models)}
    used = Ledger()
    sentences = SentenceCounts()
    positions: dict[str, list[float]] = defaultdict(list)

    def take_report(read: ReadReport, many: RunProgress) -> None:
        report = read()
        cell = cell_of[report.response.id]
        _take_verdicts(report, accurate[cell], ineligible[cell])
        _count(sentences, report)
        positions[rows[cell[0]].id] += excerpt_positions(report)
        used.include(*report.usage)

    title = f"facts-grounding {plan.examples.sha256}"
    many = await run_many(given_responses(plan, answers), panel.method, runner, title, take_report)
    splits = np.array([plan.examples.splits.index(row.split) for row in rows], dtype=np.int64)
    unfit = ineligible if panel.method.eligible else None
    least = panel.method.least_coverage
    verdicts = VerdictArrays(models, panel.names(), plan.examples.splits, splits, accurate, unfit, least, empty)
    refused = np.array([[(model, row.id) in answers.refused for model in models] for row in rows], dtype=bool)
    unanswered = np.array([[(model, row.id) not in answers.texts for model in models] for row in rows], dtype=float)
    usage, medians = used.usage(), {name: median(some) for name, some in positions.items() if some}
    return GroundingOutcome(
        plan,
        panel,
        verdicts,
        refused,
        many,
        unanswered,
        int(unanswered.sum()),
        int(empty.sum()),
        usage,
        sentences,
        medians,
    )


def _take_verdicts(report: Report, accurate: Floats, ineligible: Floats) -> None:
    """Put each judge's verdict on one answer at the judge's index."""
    for judgement in report.judgements:
        if judgement.label is not None:
            accurate[_number(judgement.id)] = float(judgement.label == "supported")
    for answer in report.eligibility:
        ineligible[_number(answer.id)] = float(not answer.eligible)


def excerpt_positions(report: Report) -> list[float]:
    """Return the position of each excerpt of a judge in its document, from 0 to 1."""
    lengths = {document.id: len(document.text or "") for document in report.response.context}
    passages = {passage.id: passage for passage in report.passages}
    positions = []
    for finding in report.findings:
        for quote in finding.quotes:
            passage = passages.get(quote.passage_id)
            if passage and lengths.get(passage.document_id):
                middle = passage.span.start + (quote.span.start + quote.span.end) / 2
                positions.append(min(middle / lengths[passage.document_id], 1.0))
    return positions


def _number(name: str) -> int:
    """Return the index of a judge from the id of its record, which ends in its number: `s1.c1.j2`, `r1.e2`."""
    return int(re.findall(r"\d+$", name)[0]) - 1


def _count(sentences: SentenceCounts, report: Report) -> None:
    sentences.n += len(report.findings)
    for finding in report.findings:
        sentences.unaligned += finding.span is None
        sentences.quote_not_found += "quote_not_found" in finding.flags
        sentences.quote_missing += "quote_missing" in finding.flags
        sentences.downgraded += "downgraded" in finding.flags
    listed = {finding.judgement_id for finding in report.findings}
    for judgement in report.judgements:
        sentences.in_pieces += "in_pieces" in judgement.flags
        if judgement.id in listed and judgement.label == "supported":
            spans = [each.span for each in report.findings if each.judgement_id == judgement.id and each.span]
            sentences.sparse += _covered(spans) < len(report.response.text) / 2


def _covered(spans: Sequence[Span]) -> int:
    """Return characters that lie in one of the spans or several."""
    total = end = 0
    for span in sorted(spans, key=lambda span: span.start):
        total += max(0, span.end - max(span.start, end))
        end = max(end, span.end)
    return total
