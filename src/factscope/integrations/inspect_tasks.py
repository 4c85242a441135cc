"""Inspect: three benchmarks of factuality as tasks.

    inspect eval factscope/facts_grounding --model openai/gpt-4.1-mini --limit 20

Data are fetched from their owners, or read from files of the same form (`-T data=…`). The prompts are Factscope's own,
so figures are close to those of the papers, but not the same. `felm` measures the model as a checker;
`simpleqa_verified` is graded by the model of the role `grader`.
"""

from __future__ import annotations

from factscope.benchmarks.datasets import load
from factscope.benchmarks.facts_grounding.grounding_dataset import PUBLIC, read_examples
from factscope.benchmarks.short_answers.question_sets import SHORT_ANSWERS, read_questions
from factscope.engine.settings import load_settings
from factscope.integrations.assessment import needs
from factscope.integrations.inspect_grading import short_answer, wrong_segments
from factscope.integrations.inspect_scorers import grounded
from factscope.judging.reply_formats.wrong_ids import UNIT_WORDS
from factscope.judging.user_request import whole_request
from factscope.llm.prompts import load as load_prompt

with needs("inspect-ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.solver import generate


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
