"""The outcome of a benchmark → its summary as values for JSON, and the names that tables show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic_core import to_jsonable_python

from factscope.benchmarks.examples import Example
from factscope.benchmarks.facts_grounding.breakdowns import by_parts, tags_of
from factscope.benchmarks.facts_grounding.grounding_run import GroundingOutcome
from factscope.benchmarks.facts_grounding.panel_study import ChangedTemplate, adaptive, without_judges
from factscope.benchmarks.facts_grounding.run_scores import GroundingSummary, summarise
from factscope.core.model_family import family
from factscope.core.version import __version__, made_at
from factscope.scoring.detection import Confusion
from factscope.scoring.intervals import RESAMPLES


def summary_of(
    outcome: GroundingOutcome,
    errors: Mapping[str, Confusion] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> GroundingSummary:
    """Summarise the verdicts, with scores corrected for the judges whose `errors` are known, by their models.

    Families are recognised by the names of models.
    """
    verdicts, judges = outcome.verdicts, outcome.panel.models
    known = errors or {}
    return summarise(
        verdicts,
        judge_models=judges,
        families={name: family(name) for name in (*verdicts.models, *judges)},
        refused=outcome.refused,
        errors={name: known[model] for name, model in zip(verdicts.judges, judges, strict=True) if model in known},
        resamples=resamples,
        seed=seed,
    )


def as_json(
    summary: GroundingSummary,
    outcome: GroundingOutcome,
    changed: Sequence[ChangedTemplate] = (),
    *,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """Return the summary with its settings and provenance, and every verdict, so that others can recompute it.

    `changed` are the same table with another template of a judge.
    """
    plan, panel = outcome.plan, outcome.panel
    tags = tags_of(plan.rows, outcome.evidence_at)
    ids = [row.id for row in plan.rows]
    values: dict[str, Any] = {
        "benchmark": "facts-grounding",
        "factscope": __version__,
        "made": outcome.created or made_at(),
        "run": outcome.many.run,
        "examples": {"sha256": plan.examples.sha256, "n": len(plan.rows), "splits": plan.examples.splits},
        "judges": [
            {"name": name, "model": model, "template": template, "family": family(model)}
            for name, (model, template) in zip(summary.judges, panel.judges, strict=True)
        ],
        "families": {model: family(model) for model in summary.models},
        "method": panel.method,
        "settings": {"resamples": resamples, "seed": seed},
        "counts": {
            "missing_answers": outcome.n_missing_answers,
            "empty_answers": outcome.n_empty,
            "responses_with_failures": outcome.many.with_failures,
            "stopped": outcome.many.stopped,
            "sentences": outcome.sentences,
        },
        "summary": summary,
        "panel": {
            "without": without_judges(outcome.verdicts),
            "adaptive": adaptive(outcome.verdicts, resamples=resamples, seed=seed),
            "templates": changed,
        },
        "tags": tags,
        "by": by_parts(outcome.verdicts, ids, tags, resamples=resamples, seed=seed),
        "verdicts": _verdicts(outcome, plan.rows),
    }
    plain: dict[str, Any] = to_jsonable_python(values)
    return plain


def _verdicts(outcome: GroundingOutcome, rows: Sequence[Example]) -> list[dict[str, Any]]:
    """Return one entry for each example and candidate.

    Verdicts in the order of the judges, null where one is missing.
    """
    arrays, unanswered = outcome.verdicts, [_plain(values) for values in outcome.unanswered]
    return [
        {
            "id": row.id,
            "split": row.split,
            "model": model,
            "accurate": _plain(arrays.accurate[e, m]),
            "ineligible": None if arrays.ineligible is None else _plain(arrays.ineligible[e, m]),
            "refused": bool(outcome.refused[e, m]),
            "empty": bool(arrays.empty is not None and arrays.empty[e, m]),
            "unanswered": unanswered[e][m],
        }
        for e, row in enumerate(rows)
        for m, model in enumerate(arrays.models)
    ]


def _plain(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[bool | None]:
    return [None if value != value else bool(value) for value in values.tolist()]
