"""FACTS Grounding end to end: candidates answer, a panel of judges labels the answers, verdicts become arrays.

Answers and judges' replies are kept in the cache, and the records of each judged answer in the store. The same call
therefore resumes after any stop, and a candidate or a split added later costs only its own calls.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks import Answers, BenchmarkPlan, Example, ResultPart, given_responses, response_id
from factscope.benchmarks.facts_grounding.score_table import VerdictArrays
from factscope.core import Report, Span, Usage, UsageError
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
from factscope.llm.cost import Ledger
from factscope.methods import Method
from factscope.methods.library.facts_grounding import TEMPLATES, default_template, judge_role, with_judges


class GroundingPanel(NamedTuple):
    """Judges, in order, and the method that asks each with its template."""

    models: tuple[str, ...]
    templates: tuple[str, ...]
    method: Method
    windows: tuple[int, ...] = ()
    """Tokens that each takes in one call, 0 for any number; empty for any number by all."""

    @property
    def roles(self) -> dict[str, str]:
        """The model of each role of the method."""
        return {judge_role(number): model for number, model in enumerate(self.models, 1)}

    @property
    def judges(self) -> list[tuple[str, str]]:
        """Each judge's model with its template."""
        return list(zip(self.models, self.templates, strict=True))

    def names(self) -> tuple[str, ...]:
        """Return the judges' models, with the template where one model judges more than once."""
        short_names = [
            model if self.models.count(model) == 1 else f"{model} ({template})" for model, template in self.judges
        ]
        return tuple(
            name if short_names.count(name) == 1 else f"{name} #{short_names[:index].count(name) + 1}"
            for index, name in enumerate(short_names)
        )


def panel_of(
    judges: Sequence[str],
    *,
    prompts: Path | None = None,
    eligibility: str | None = "without_context",
    windows: Sequence[str] = (),
) -> GroundingPanel:
    """Return the panel of some judges, each `provider/model` or `template=provider/model`.

    By default a judge has the published template of its family. `windows` are tokens that fit into a call, for all
    judges or as `model=tokens` for one of them; `prompts` and `eligibility` are those of `with_judges`. Raises
    UsageError.
    """
    pairs = [judge.partition("=") if judge.partition("=")[0] in TEMPLATES else ("", "", judge) for judge in judges]
    models = tuple(model.strip() for _, _, model in pairs)
    templates = tuple(template or default_template(model) for template, _, model in pairs)
    sizes = _sizes(windows, models)
    method = with_judges(templates, prompts=prompts, eligibility=eligibility, windows=sizes)
    return GroundingPanel(models, templates, method, sizes)


def _sizes(windows: Sequence[str], models: Sequence[str]) -> tuple[int, ...]:
    """Return each judge's context window in tokens, 0 where none is stated. Raises UsageError."""
    sizes: dict[str, int] = {}
    for setting in windows:
        model, _, size = setting.rpartition("=")
        if not size.isdecimal() or int(size) < 1 or (model and model not in models):
            raise UsageError(
                f"--window {setting!r} is not a number of tokens, or not of a judge.",
                "Such as 32000 for all judges, or openai/gpt-4.1=128000 for one.",
            )
        sizes[model] = int(size)
    return tuple(sizes.get(model, sizes.get("", 0)) for model in models)


_Labels = tuple[tuple[bool | None, ...], tuple[bool | None, ...]]
"""Whether an answer is accurate, and whether it is ineligible, by each judge."""


class AnswerVerdicts(ResultPart):
    """The verdicts on one answer, in the order of the judges; `None` where one is missing."""

    id: str
    """The example's."""
    split: str
    model: str
    accurate: tuple[bool | None, ...]
    ineligible: tuple[bool | None, ...] | None
    """`None` without phase B."""
    refused: bool = False
    """Whether the answer only refuses."""
    empty: bool = False
    """Whether it is empty, hence ineligible by rule."""
    unanswered: bool | None = None
    """Whether it is missing, so that no judge was called; `None` in older files, which give only the total."""


def arrays_of(
    plan: BenchmarkPlan, panel: GroundingPanel, entries: Sequence[AnswerVerdicts], judges: tuple[str, ...] = ()
) -> VerdictArrays:
    """Return the verdicts on all answers of a plan as arrays; their order is by example and then by model."""
    names, splits, rows = judges or panel.names(), plan.examples.splits, plan.rows
    unfit = [entry.ineligible for entry in entries]
    shape = (len(rows), len(plan.models))
    return VerdictArrays(
        plan.models,
        names,
        splits,
        np.array([splits.index(row.split) for row in rows], dtype=np.int64),
        np.array([entry.accurate for entry in entries], dtype=np.float64).reshape(*shape, len(names)),
        None if None in unfit else np.array(unfit, dtype=np.float64).reshape(*shape, len(names)),
        panel.method.least_coverage,
        np.array([entry.empty for entry in entries], dtype=bool).reshape(shape),
    )


class GroundingOutcome(NamedTuple):
    """All results in the form that the scores need, with their plan."""

    plan: BenchmarkPlan
    panel: GroundingPanel
    entries: tuple[AnswerVerdicts, ...]
    """One for each example and model, in this order."""
    verdicts: VerdictArrays
    """The same as arrays."""
    many: RunProgress
    """Progress of the run."""
    n_missing_answers: int
    """Pairs of candidate and example without an answer; of older files, as their totals state it."""
    usage: tuple[Usage, ...]
    sentences: SentenceCounts
    evidence_at: Mapping[str, float] = {}
    """By example, how far into its document the judges' excerpts are: the median, from 0 to 1."""
    created: str | None = None
    """When recorded verdicts were made, if their files state it; `None` for now."""

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Responses that only refuse; shape (examples, models)."""
        return np.array([entry.refused for entry in self.entries], dtype=bool).reshape(len(self.plan.rows), -1)

    @property
    def n_empty(self) -> int:
        """Empty answers."""
        return sum(entry.empty for entry in self.entries)


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
    keys = {response_id(row, model): (model, row) for row in plan.rows for model in plan.models}
    labels: dict[str, _Labels] = {}
    used = Ledger()
    sentences = SentenceCounts()
    positions: dict[str, list[float]] = defaultdict(list)

    def take_report(read: ReadReport, many: RunProgress) -> None:
        report = read()
        labels[report.response.id] = _labels(report, len(panel.models))
        _count(sentences, report)
        positions[keys[report.response.id][1].id] += excerpt_positions(report)
        used.include(*report.usage)

    title = f"facts-grounding {plan.examples.sha256}"
    many = await run_many(given_responses(plan, answers), panel.method, runner, title, take_report)
    entries = tuple(_entry(*key, answers, labels.get(name), panel) for name, key in keys.items())
    n_missing = sum(entry.unanswered is True for entry in entries)
    usage, medians = used.usage(), {name: median(some) for name, some in positions.items() if some}
    arrays = arrays_of(plan, panel, entries)
    return GroundingOutcome(plan, panel, entries, arrays, many, n_missing, usage, sentences, medians)


def _labels(report: Report, n_judges: int) -> _Labels:
    """Return whether an answer is accurate, and whether it is ineligible, by each judge."""
    accurate = {_number(each.id): each.label == "supported" for each in report.judgements if each.label is not None}
    ineligible = {_number(each.id): not each.eligible for each in report.eligibility}
    return tuple(map(accurate.get, range(n_judges))), tuple(map(ineligible.get, range(n_judges)))


def _entry(model: str, row: Example, answers: Answers, labels: _Labels | None, panel: GroundingPanel) -> AnswerVerdicts:
    """Return the verdicts on an answer; an empty one does nothing, so no judge need be asked."""
    text, n = answers.texts.get((model, row.id)), len(panel.models)
    accurate, ineligible = ((False,) * n, (True,) * n) if text == "" else labels or ((None,) * n, (None,) * n)
    return AnswerVerdicts(
        id=row.id,
        split=row.split,
        model=model,
        accurate=accurate,
        ineligible=ineligible if panel.method.eligible else None,
        refused=(model, row.id) in answers.refused,
        empty=text == "",
        unanswered=text is None,
    )


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
