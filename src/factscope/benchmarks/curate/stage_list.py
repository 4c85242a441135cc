"""The stages of a release in their order, and a check of their requirements before the first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from factscope.benchmarks.curate import (
    duplicates,
    evaluate_answers,
    fresh_answers,
    languages,
    logs,
    placeholders,
    prompt_vectors,
    selection,
    topic_names,
    topics,
    usefulness,
    verifiability,
)
from factscope.benchmarks.curate.build_release import BuildConfig
from factscope.benchmarks.curate.stage import Stage, StageContext
from factscope.core import UsageError

CHAIN: tuple[Stage, ...] = (
    logs.STAGE,
    languages.STAGE,
    placeholders.STAGE,
    duplicates.EXACT,
    duplicates.NEAR_DUPLICATES,
    prompt_vectors.STAGE,
    topics.STAGE,
    topic_names.STAGE,
    verifiability.STAGE,
    selection.TIERING,
    usefulness.STAGE,
    selection.SAMPLING,
    fresh_answers.STAGE,
    evaluate_answers.STAGE,
    selection.STAGE,
)
"""From logs to a release (FactBench, section 3)."""


def prepared(config: BuildConfig, stages: Sequence[Stage]) -> BuildConfig:
    """Return the kit with a note of the evaluation's evidence, so that other evidence repeats the stage.

    Raises UsageError when a stage lacks a model, or the evaluation a tool that its method names: at once, rather than
    hours into the build. Raises StoreError when a model of vectors can't be read.
    """
    if prompt_vectors.STAGE in stages:
        prompt_vectors.examine(config.parameters.vectors, config.encoders)
    if fresh_answers.STAGE in stages:
        fresh_answers.examine(config.parameters.answering.fresh.values(), config.tools)
    if config.tools is None and config.evidence is None:
        return config
    models = config.tools.models if config.tools else None
    for index, stage in enumerate(stages if config.tools else ()):
        for role in _roles(stage, config):
            if models is None or not models.has(role):
                raise UsageError(
                    f"The stage {stage.name} asks a language model (role {role}), and none is configured.",
                    "Name one: --model openai/gpt-4.1-mini. Or use the baselines: --no-models. Or stop before it:"
                    f" --until {stages[max(0, index - 1)].name}.",
                )
            models.examine(models.of(role))
    if evaluate_answers.STAGE.name not in [stage.name for stage in stages]:
        return config
    context = StageContext(config.parameters, config.tools, config.store, evidence=config.evidence)
    evaluator_key = json.dumps(evaluate_answers.described(*evaluate_answers.evaluator(context)), sort_keys=True)
    return replace(config, also={evaluate_answers.STAGE.name: evaluator_key})


def _roles(stage: Stage, config: BuildConfig) -> tuple[str, ...]:
    """Return the roles whose models the stage needs; usefulness needs only one of its two."""
    asks = {
        placeholders.STAGE.name: config.parameters.placeholders.do == "deanonymise",
        fresh_answers.STAGE.name: False,  # the parameters name its models
        evaluate_answers.STAGE.name: False,  # its method says what it asks
    }
    return tuple(role for role in stage.roles if role != usefulness.SECOND.role) if asks.get(stage.name, True) else ()
