"""Inspect: three benchmarks of factuality as tasks.

    inspect eval factscope/facts_grounding --model openai/gpt-4.1-mini --limit 20

Data are fetched from their owners, or read from files of the same form (`-T data=…`). The prompts are Factscope's own,
so figures are close to those of the papers, but not the same. `felm` measures the model as a checker;
`simpleqa_verified` is graded by the model of the role `grader`. A reply that cannot be read is unscored, by a grader
(`grader_failed`) as by the model (`invalid_response_format`).
"""

from __future__ import annotations

from collections import Counter
from math import nan

from factscope.benchmarks.datasets import load
from factscope.benchmarks.facts_grounding.grounding_dataset import PUBLIC, read_examples
from factscope.benchmarks.short_answers.grading import GRADE_WORDS, STEP, read_grade
from factscope.benchmarks.short_answers.question_sets import SHORT_ANSWERS, read_questions
from factscope.benchmarks.short_answers.short_answer_figures import f1_of
from factscope.engine.settings import load_settings
from factscope.integrations.assessment import needs
from factscope.integrations.inspect_scorers import grounded
from factscope.judging.reply_formats.wrong_ids import UNIT_WORDS
from factscope.judging.user_request import whole_request
from factscope.llm.model_errors import UnreadableError
from factscope.llm.parsers import wrong_ids
from factscope.llm.prompts import load as load_prompt
from factscope.scoring.detection import Confusion, read

with needs("inspect-ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, accuracy, metric, scorer, stderr
    from inspect_ai.solver import TaskState, generate


_VALUES = {"correct": "C", "incorrect": "I", "not_attempted": "N"}
"""Inspect's values of grades."""


@task
def facts_grounding(data: str | None = None, method: str | None = None, model: str | None = None) -> Task:
    """FACTS Grounding (Jacovi et al. 2025): answers that must rest on a document, scored by `grounded`.

    Args:
        data: A file of examples. Default: the public ones, from the Hub.
        method: Method that scores. Default: `standard` with a model, else `builtin`; the benchmark's own judges and
            intervals are those of `factscope bench facts-grounding`.
        model: Model that scores, as `provider/model`.
    """
    examples = read_examples([data or PUBLIC], cache=load_settings()[0].cache)
    samples = [
        Sample(
            id=example.id,
            input=whole_request(example.request),
            metadata={"context": [document.text for document in example.request.context], **example.tags},
        )
        for example in examples.rows
    ]
    judge = grounded(method=method, model=model)
    return Task(dataset=MemoryDataset(samples, "facts_grounding"), solver=generate(), scorer=judge)


@task
def felm(data: str | None = None) -> Task:
    """FELM (Chen et al. 2023): the model names the segments of an answer that have factual errors.

    Responses whose segments are not all labelled and placed are left out.
    """
    prompt = load_prompt("felm/detect")
    samples = []
    for labelled in load(data or "felm", cache=load_settings()[0].cache).samples:
        labels = labelled.of("segment")
        segments = [gold.span.of(labelled.response or "") for gold in labels if gold.span and gold.factual is not None]
        if not segments or len(segments) != len(labels):
            continue
        listed = "\n".join(f"{number}: {segment}" for number, segment in enumerate(segments, 1))
        filled = prompt.fill(prompt=labelled.prompt or "", claims=listed, unit=UNIT_WORDS[False])
        wrong = [str(number) for number, gold in enumerate(labels, 1) if not gold.factual]
        samples.append(
            Sample(
                id=labelled.id,
                input=[ChatMessageSystem(content=filled.system), ChatMessageUser(content=filled.user)],
                target=",".join(wrong) or "ALL_CORRECT",
                metadata={"segments": len(segments), **labelled.tags},
            )
        )
    return Task(dataset=MemoryDataset(samples, "felm"), solver=generate(), scorer=wrong_segments())


@task
def simpleqa_verified(data: str | None = None) -> Task:
    """SimpleQA Verified (Haas et al. 2025): short answers, graded correct, incorrect or not attempted.

    `data` is a file with the columns `problem` and `answer`. Default: the public one, from the Hub.
    """
    source = data or SHORT_ANSWERS["simpleqa-verified"].data or ""
    questions = read_questions([source], cache=load_settings()[0].cache)
    samples = [
        Sample(id=example.id, input=example.request.prompt or "", target=example.gold, metadata=dict(example.tags))
        for example in questions.rows
    ]
    return Task(dataset=MemoryDataset(samples, "simpleqa_verified"), solver=generate(), scorer=short_answer())


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
    prompt = load_prompt(STEP.prompt)

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
