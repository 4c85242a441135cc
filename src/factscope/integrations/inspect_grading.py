"""Inspect: how the answers of the tasks `simpleqa_verified` and `felm` are graded.

A reply that cannot be read is unscored, by a grader (`grader_failed`) as by the model (`invalid_response_format`).
"""

from __future__ import annotations

from collections import Counter
from math import nan

from factscope.benchmarks.short_answers.grading import GRADE_WORDS, STEP, read_grade
from factscope.benchmarks.short_answers.short_answer_figures import f1_of
from factscope.integrations.assessment import needs
from factscope.llm.model_errors import UnreadableError
from factscope.llm.parsers import wrong_ids
from factscope.llm.prompts import load
from factscope.scoring.detection import Confusion, read

with needs("inspect-ai"):
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, metric, scorer, stderr
    from inspect_ai.solver import TaskState

_VALUES = {"correct": "C", "incorrect": "I", "not_attempted": "N"}
"""Inspect's values of grades."""


def _totals(scores: list[SampleScore]) -> Counter[str]:
    """Add up the counts in the samples' metadata, since Inspect reduces a grade to one number."""
    return sum((Counter(sample.score.metadata or {}) for sample in scores), Counter())


@metric
def attempted() -> Metric:
    """Share of the questions that were answered, rightly or wrongly."""

    def share_attempted(scores: list[SampleScore]) -> float:  # annotated, so that Inspect knows what to pass
        return _totals(scores)["attempted"] / max(len(scores), 1)

    return share_attempted


@metric
def f1_of_answers() -> Metric:
    """Harmonic mean of accuracy and accuracy given an attempt; 0 where nothing is attempted."""

    def f1(scores: list[SampleScore]) -> float:
        total = _totals(scores)
        return f1_of(total["correct"], total["attempted"] - total["correct"], len(scores)) or 0.0

    return f1


@scorer(metrics=[accuracy(), stderr(), attempted(), f1_of_answers()])
def short_answer() -> Scorer:
    """Grade a short answer against the known one, by the model of the role `grader`, as `bench short-answers` does."""
    prompt = load(STEP.prompt)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        filled = prompt.fill(prompt=state.input_text, gold=target.text, response=answer, grade=GRADE_WORDS)
        request = [ChatMessageSystem(content=filled.system), ChatMessageUser(content=filled.user)]
        reply = (await get_model(role="grader").generate(request)).completion
        try:
            grade = read_grade(reply).grade
        except UnreadableError as error:
            return Score.unscored(reason="grader_failed", answer=answer, explanation=str(error))
        counts = {"attempted": int(grade != "not_attempted"), "correct": int(grade == "correct")}
        return Score(value=_VALUES[grade], answer=answer, explanation=reply, metadata=counts)

    return score


@metric
def balanced_accuracy() -> Metric:
    """Mean of the shares of wrong and of right segments that were recognised, over all samples together."""
    return _of_errors("balanced_accuracy")


@metric
def f1_of_errors() -> Metric:
    """F1 of the wrong segments, over all samples together."""
    return _of_errors("f1")


def _of_errors(name: str) -> Metric:
    def measure_errors(scores: list[SampleScore]) -> float:
        total = _totals(scores)
        measured = read(name, Confusion(*(total[cell] for cell in Confusion._fields)))
        return nan if measured is None else measured

    return measure_errors


@scorer(metrics=[balanced_accuracy(), f1_of_errors()])
def wrong_segments() -> Scorer:
    """Compare the segments that a model calls wrong with those that people called wrong."""

    async def score(state: TaskState, target: Target) -> Score:
        answer, n = state.output.completion, state.metadata["segments"]
        try:
            flagged = wrong_ids(answer, n)
        except UnreadableError as error:
            return Score.unscored(reason="invalid_response_format", answer=answer, explanation=str(error))
        wrong = wrong_ids(f"Answer: {target.text}", n)
        cells = {"tp": len(flagged & wrong), "fp": len(flagged - wrong), "fn": len(wrong - flagged)}
        cells["tn"] = n - sum(cells.values())
        return Score(value=(cells["tp"] + cells["tn"]) / n, answer=answer, metadata=cells)

    return score
