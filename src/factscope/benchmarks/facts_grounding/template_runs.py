"""Runs that choose a judge's template: responses that people labelled, judged with every template.

This is how FACTS Grounding chooses (section 4.1, Table 2). The same responses, the same judge and the same call
settings; only the template differs, so the choice is bootstrapped over responses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.examples import BenchmarkPlan, Examples, GivenAnswers
from factscope.benchmarks.facts_grounding.grounding_panel import GroundingPanel
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome, run_grounding
from factscope.benchmarks.facts_grounding.template_choice import TemplateChoice, choose
from factscope.benchmarks.generate import Answers
from factscope.core.errors import InputError, UsageError
from factscope.core.plurals import many
from factscope.core.records import Response
from factscope.engine.run import Runner, RunProgress
from factscope.judging.user_request import frame_of, whole_request
from factscope.methods.library.facts_grounding import ELIGIBILITY, TEMPLATES, rubrics_alone, with_judges
from factscope.scoring.detection import Confusion

Phase = Literal["grounding", "eligibility"]


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
