"""Runs that choose a judge's template: responses that people labelled, judged with every template.

This is how FACTS Grounding chooses (section 4.1, Table 2). The same responses, the same judge and the same call
settings; only the template differs, so the choice is bootstrapped over responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.examples import BenchmarkPlan, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, run_grounding
from factscope.benchmarks.facts_grounding.template_choice import TemplateChoice, choose
from factscope.benchmarks.figure_lines import FigureLine, result_of
from factscope.benchmarks.generate import Answers
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many
from factscope.core.records import Response
from factscope.engine.run import Runner, RunProgress
from factscope.judging.user_request import frame_of, whole_request
from factscope.methods.library.facts_grounding import ELIGIBILITY, TEMPLATES, rubrics_alone, with_judges
from factscope.report.document import Block, Paragraph, table_of
from factscope.report.number_cells import percent_cell
from factscope.report.result import Result
from factscope.scoring.detection import Confusion

Phase = Literal["grounding", "eligibility"]
_COLUMNS = ("macro_f1", "accuracy", "fpr", "fnr", "f1_pos", "f1_neg", "balanced_accuracy")


class TemplateSelection(NamedTuple):
    """Selected template of one judge."""

    judge: str
    choice: TemplateChoice
    run: RunProgress


class SelectionRule(NamedTuple):
    """How a template is chosen."""

    criterion: str
    resamples: int
    seed: int


async def select_template(
    judge: str,
    phase: Phase,
    examples: Examples,
    given: GivenAnswers,
    rule: SelectionRule,
    runner: Runner,
    *,
    templates: Sequence[str] = tuple(TEMPLATES),
    prompts: Path | None = None,
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
        raise InputError("Nothing was said of eligibility.")
    truth = np.array([labels[key] == grounding for key in keys], dtype=bool)
    try:
        choice = choose(truth, _by_template(outcome, verdicts, keys), **rule._asdict())
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
            cells = (percent_cell(getattr(tried.metrics, name)) for name in _COLUMNS)
            mark = "▸ " if tried.template == result.choice.template else "  "
            more = (f"{100 * tried.chosen_share:.0f} %", str(tried.n_missing))
            rows.append((result.judge, f"{mark}{tried.template}", *cells, *more))
    heads = ("judge", "template", *(name.replace("_", " ") for name in _COLUMNS), "chosen in", "missing")
    positive = "accurate" if phase == "grounding" else "ineligible"
    caption = f"Positive class: {positive}. ▸ chosen; chosen in: share of resamples of the answers."
    return table_of(heads, rows, names=2), Paragraph(caption)


def _figure_lines(selections: Sequence[TemplateSelection]) -> Iterator[FigureLine]:
    for result in selections:
        for tried in result.choice.tried:
            n = sum(tried.counts)
            for name in _COLUMNS:
                yield FigureLine(tried.template, result.judge, name, getattr(tried.metrics, name), n=n)
            yield FigureLine(tried.template, result.judge, "chosen", int(tried.template == result.choice.template))
            yield FigureLine(tried.template, result.judge, "chosen_share", tried.chosen_share)
            yield FigureLine(tried.template, result.judge, "missing", tried.n_missing, n=n + tried.n_missing)
