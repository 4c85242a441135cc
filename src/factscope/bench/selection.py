"""Which template each judge does best with: responses that people labelled, judged with every template.

FACTS Grounding chooses so (section 4.1, Table 2). The same responses, the same judge and the same call settings; only
the template differs, so the choice is bootstrapped over responses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding import Examples, Given
from factscope.engine import Tools
from factscope.errors import InputError, UsageError
from factscope.methods.facts_grounding import TEMPLATES, with_judges
from factscope.run import Many
from factscope.scores.detection import Confusion
from factscope.scores.grounding import Choice, choose
from factscope.scores.intervals import RESAMPLES
from factscope.store import Store

from .facts_grounding import Answers, OnReport, Seats, run_grounding


class Selected(NamedTuple):
    """What came out for one judge."""

    judge: str
    choice: Choice
    run: Many


async def select_templates(
    judge: str,
    examples: Examples,
    given: Given,
    labels: Mapping[tuple[str, str], bool],
    tools: Tools,
    store: Store,
    on_report: OnReport,
    *,
    templates: Sequence[str] = tuple(TEMPLATES),
    prompts: Path | None = None,
    criterion: str = "macro_f1",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Selected:
    """Judge each labelled response with each template, and choose. `labels` say which answers are accurate.

    `tools` ask `judge` for every role. Raises UsageError for fewer than two templates, InputError when people found all
    responses alike, and what `run_many` raises.
    """
    if len(set(templates)) < 2:
        raise UsageError("There is nothing to choose from.", "Name two templates or more, or none for all of them.")
    keys = [key for key in given.texts if key in labels and given.texts[key].strip()]
    truth = np.array([labels[key] for key in keys], dtype=bool)
    if not len(truth) or truth.all() or not truth.any():
        raise InputError(
            f"Of {len(keys):,} labelled responses all are {'accurate' if len(keys) and truth.all() else 'inaccurate'}.",
            "To tell templates apart takes both kinds: the column `accurate` is true or false.",
        )
    method = with_judges(templates, prompts=prompts, eligibility=None)
    seats = Seats((judge,) * len(templates), tuple(templates))
    wanted = {name for _, name in keys}
    rows = tuple(row for row in examples.rows if row.id in wanted)
    answers = Answers(texts={key: given.texts[key].strip() for key in keys})
    outcome = await run_grounding(
        examples, rows, given.models, answers, seats, templates, method, tools, store, on_report
    )
    said = _by_template(outcome.verdicts.accurate, [row.id for row in rows], given.models, keys, templates)
    choice = choose(truth, said, criterion, resamples=resamples, seed=seed)
    return Selected(judge, choice, outcome.many)


def confusions(selected: Sequence[Selected]) -> dict[str, Confusion]:
    """How each judge did with the template chosen for it: what `--judge-errors` takes."""
    return {
        one.judge: next(tried.counts for tried in one.choice.tried if tried.template == one.choice.template)
        for one in selected
    }


def _by_template(
    accurate: NDArray[np.float64],
    names: Sequence[str],
    models: Sequence[str],
    keys: Sequence[tuple[str, str]],
    templates: Sequence[str],
) -> dict[str, NDArray[np.float64]]:
    row = {name: place for place, name in enumerate(names)}
    column = {model: place for place, model in enumerate(models)}
    values = np.array([accurate[row[name], column[model]] for model, name in keys])
    return {template: values[:, place] for place, template in enumerate(templates)}
