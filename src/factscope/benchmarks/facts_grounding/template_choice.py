"""Choice of a judge's template, by human-labelled responses (FACTS Grounding, section 4.1, Tables 2 and 4).

The same responses are judged with every template, by the same judge and with the same call settings; only the template
differs, so the choice is bootstrapped over responses. The positive class is the subject of the table: accurate
responses in Table 2, ineligible ones in Table 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks import Answers, BenchmarkPlan, Examples, FigureLine, GivenAnswers, lines_of, result_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, GroundingPanel, run_grounding
from factscope.benchmarks.facts_grounding.score_table import Floats
from factscope.benchmarks.facts_grounding.template_metrics import COLUMNS, CRITERIA, criterion_of, metrics
from factscope.core import InputError, Response, UsageError, many
from factscope.engine.run import Runner, RunProgress
from factscope.judging.user_request import frame_of, whole_request
from factscope.methods import LEAST_COVERAGE
from factscope.methods.library.facts_grounding import ELIGIBILITY, rubrics_alone, with_judges
from factscope.report.document import Block, Paragraph, Result, percent_cell, table_of
from factscope.scoring.detection import Confusion
from factscope.scoring.intervals import RESAMPLES, draws

Phase = Literal["grounding", "eligibility"]


@dataclass(frozen=True, slots=True)
class TemplateScore:
    """Score of a judge with one template."""

    template: str
    counts: Confusion
    metrics: dict[str, float | None]
    """The columns of the tables by name, from 0 to 1; `None` where undefined."""
    n_missing: int
    """Labelled responses without a verdict of the judge."""
    chosen_share: float
    """Share of the resamples in which this template is the best, of those in which all have a score; how certain the
    choice is."""


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """The best template of one judge."""

    template: str
    criterion: str
    tried: tuple[TemplateScore, ...]


def choose(
    truth: NDArray[np.bool_],
    labels_by_template: Mapping[str, Floats],
    criterion: str = "macro_f1",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> TemplateChoice:
    """Choose the template with the highest `criterion`, and estimate by resampling how certain that choice is.

    `truth`, shape (responses,), says which are positive; `labels_by_template` holds the judge's labels by template: 1
    for positive, 0 for negative, NaN without a verdict. Of equal ones the first is taken; a template with verdicts on
    less than `LEAST_COVERAGE` of the responses is never chosen. Raises UsageError for an unknown criterion, and
    InputError when the verdicts are too few for any choice.
    """
    if criterion not in CRITERIA:
        raise UsageError(f"Unknown criterion {criterion!r}.", f"Choose from: {', '.join(CRITERIA)}.")
    cells = np.stack([_cells(truth, values) for values in labels_by_template.values()], axis=1)
    counts = cells.sum(axis=0)
    enough = cells.sum(axis=2).mean(axis=0) >= LEAST_COVERAGE
    scores = np.where(enough, criterion_of(counts, criterion), np.nan)
    if np.isnan(scores).all():
        answered = int(cells.sum(axis=2).max(axis=1).sum())
        raise InputError(
            f"No template can be chosen by {criterion}: of {many(len(truth), 'answer')} {answered:,} have a verdict.",
            "Failed calls are tried again when the same command is run again.",
        )
    flat = cells.reshape(len(truth), -1)
    sampled = np.concatenate([drawn.T @ flat for drawn in draws(len(truth), resamples, seed)])
    best = criterion_of(sampled.reshape(-1, len(labels_by_template), 4), criterion)
    best = np.where(np.isnan(scores), -np.inf, best)
    # In a resample of one class, a template without errors has no F1, and one with errors has 0 and would win.
    best = best[~np.isnan(best).any(axis=1)]
    first = best == best.max(axis=1, keepdims=True)
    shares = (first / first.sum(axis=1, keepdims=True)).sum(axis=0) / max(len(best), 1)  # those that tie share one
    tried = []
    for index, (template, values) in enumerate(labels_by_template.items()):
        confusion = Confusion(*(int(count) for count in counts[index]))
        missing = int(np.isnan(values).sum())
        tried.append(TemplateScore(template, confusion, metrics(confusion), missing, float(shares[index])))
    return TemplateChoice(list(labels_by_template)[int(np.nanargmax(scores))], criterion, tuple(tried))


def _cells(truth: NDArray[np.bool_], values: Floats) -> Floats:
    """Assign each response to a cell of the confusion matrix, shape (responses, 4): tp, fp, fn, tn."""
    yes, no = values == 1, values == 0
    return np.stack([truth & yes, ~truth & yes, truth & no, ~truth & no], axis=-1).astype(np.float64)


class TemplateSelection(NamedTuple):
    """Selected template of one judge."""

    judge: str
    choice: TemplateChoice
    run: RunProgress


async def select_template(
    judge: str,
    phase: Phase,
    examples: Examples,
    given: GivenAnswers,
    runner: Runner,
    *,
    criterion: str,
    sampling: Mapping[str, int],
    templates: Sequence[str],
    prompts: Path | None,
) -> TemplateSelection:
    """Judge each labelled response with each template, and choose: of phase A (Table 2), or of phase B (Table 4).

    Phase A has these `templates`, and phase B two. The labels say which answers are accurate, or eligible, but the
    positive class of phase B is *ineligible*. The runner's tools ask `judge` for every role. Raises UsageError for
    fewer than two templates, InputError when people found all responses alike or the verdicts are too few, and the
    errors of `run_many`.
    """
    grounding, rows = phase == "grounding", examples.rows
    labels = given.accurate if grounding else given.eligible
    if grounding and len(set(templates)) < 2:
        raise UsageError("There is nothing to choose from.", "Name two templates or more, or none for all of them.")
    keys = _both_kinds(given.texts, labels, "accurate" if grounding else "eligible")
    if grounding:
        method = with_judges(templates, prompts=prompts, eligibility=None)
    else:
        templates, method = tuple(ELIGIBILITY), rubrics_alone(prompts=prompts)
        rows = tuple(row._replace(request=_without_context(row.request)) for row in rows)
    needed = {name for _, name in keys}
    plan = BenchmarkPlan(examples, tuple(row for row in rows if row.id in needed), given)
    answers = Answers(texts={key: given.texts[key].strip() for key in keys})
    panel = GroundingPanel((judge,) * len(templates), tuple(templates), method)
    outcome = await run_grounding(plan, answers, panel, runner)
    verdicts = outcome.verdicts.accurate if grounding else outcome.verdicts.ineligible
    if verdicts is None:
        raise InputError("No template has a verdict on eligibility.")
    truth = np.array([labels[key] == grounding for key in keys], dtype=bool)
    try:
        choice = choose(truth, _by_template(outcome, verdicts, keys), criterion, **sampling)
    except InputError as error:
        raise InputError(f"{judge}: {error.message}", error.hint) from None
    return TemplateSelection(judge, choice, outcome.many)


def _both_kinds(
    texts: Mapping[tuple[str, str], str], labels: Mapping[tuple[str, str], bool], column: str
) -> list[tuple[str, str]]:
    """Return the labelled answers that hold words. Raises InputError when all have the same label, or none has one."""
    keys = [key for key, text in texts.items() if key in labels and text.strip()]
    if len({labels[key] for key in keys}) < 2:
        note = ", all the same" if keys else ""
        raise InputError(
            f"{many(len(keys), 'answer has', 'answers have')} a label in the column {column!r}{note}.",
            f"To tell templates apart takes both kinds: {column} is true or false.",
        )
    return keys


def _without_context(response: Response) -> Response:
    """Return a request whose documents are a part of its text, so that only phase B has something to judge."""
    request = whole_request(response)
    return response.model_copy(update={"context": (), "system": frame_of(request, "", "") or response.system})


def confusions(selected: Sequence[TemplateSelection]) -> dict[str, Confusion]:
    """Return each judge's confusion matrix with its chosen template, as `--judge-errors` takes it."""
    return {
        item.judge: next(tried.counts for tried in item.choice.tried if tried.template == item.choice.template)
        for item in selected
    }


def _by_template(
    outcome: GroundingOutcome, labels: NDArray[np.float64], keys: Sequence[tuple[str, str]]
) -> dict[str, NDArray[np.float64]]:
    row = {example.id: index for index, example in enumerate(outcome.plan.rows)}
    column = {model: index for index, model in enumerate(outcome.verdicts.models)}
    values = np.array([labels[row[name], column[model]] for model, name in keys])
    return {template: values[:, index] for index, template in enumerate(outcome.panel.templates)}


def template_result(selections: Sequence[TemplateSelection], phase: Phase) -> Result:
    """Return the selections for any writer."""
    values, document = partial(_values, phase=phase), partial(_document, phase=phase)
    return result_of("Templates of judges", selections, document, _figure_lines, values)


def _values(selections: Sequence[TemplateSelection], phase: Phase) -> dict[str, Any]:
    judges = [
        {
            "judge": each.judge,
            "run": each.run.run,
            "template": each.choice.template,
            "criterion": each.choice.criterion,
            "tried": [{**asdict(tried), "counts": tried.counts._asdict()} for tried in each.choice.tried],
        }
        for each in selections
    ]
    values: dict[str, Any] = {"benchmark": "facts-templates", "phase": phase, "judges": judges}
    if phase == "grounding":
        values["judge_errors"] = {judge: counts._asdict() for judge, counts in confusions(selections).items()}
    return values


def _document(selections: Sequence[TemplateSelection], phase: Phase) -> tuple[Block, ...]:
    rows = []
    for result in selections:
        for tried in result.choice.tried:
            cells = (percent_cell(tried.metrics[name]) for name in COLUMNS)
            mark = "▸ " if tried.template == result.choice.template else "  "
            more = (f"{100 * tried.chosen_share:.0f} %", str(tried.n_missing))
            rows.append((result.judge, f"{mark}{tried.template}", *cells, *more))
    heads = ("judge", "template", *(name.replace("_", " ") for name in COLUMNS), "chosen in", "missing")
    positive = "accurate" if phase == "grounding" else "ineligible"
    caption = f"Positive class: {positive}. ▸ chosen; chosen in: share of resamples of the answers."
    return table_of(heads, rows, names=2), Paragraph(caption)


def _figure_lines(selections: Sequence[TemplateSelection]) -> Iterator[FigureLine]:
    for result in selections:
        for tried in result.choice.tried:
            n = sum(tried.counts)
            chosen = {"chosen": int(tried.template == result.choice.template), "chosen_share": tried.chosen_share}
            yield from lines_of(tried.template, result.judge, tried.metrics, n=n)
            yield from lines_of(tried.template, result.judge, chosen)
            yield FigureLine(tried.template, result.judge, "missing", tried.n_missing, n=n + tried.n_missing)
