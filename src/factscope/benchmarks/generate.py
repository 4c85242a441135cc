"""Answers by models to whole requests: those of candidates of a benchmark, and fresh ones to prompts of a log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from factscope.benchmarks.examples import BenchmarkPlan, Example
from factscope.benchmarks.rules.refusal_rule import refuses
from factscope.core import Response, Usage, UsageError
from factscope.judging.user_request import answer_call, read_answer, whole_request
from factscope.llm import Ledger, ModelError, Models, for_each

K = TypeVar("K")
V = TypeVar("V")
ANSWER = "answer"
"""Role under which the usage of answering models is counted."""
OnAnswer = Callable[[int, int], None]
"""Called with the number of answers so far, and of all."""


class Marks(NamedTuple, Generic[V]):
    """Answers, each with what a model or a rule says of it."""

    values: Mapping[tuple[str, str], V]
    """By model and example."""
    by: str
    """The model as it is configured, or the name of the rule."""
    missing: Mapping[tuple[str, str], str] = {}
    """Answers without it, and why; these are in no figure."""
    usage: tuple[Usage, ...] = ()


@dataclass
class Answers:
    """Answers of models."""

    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """By model and id; an empty text counts as an answer."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """Answers that only refuse."""
    missing: dict[tuple[str, str], str] = field(default_factory=dict)
    """Answers that could not be obtained, with the reasons."""
    usage: tuple[Usage, ...] = ()
    """Their usage."""

    def take(self, model: str, name: str, text: str) -> None:
        """Store an answer, and note whether it only refuses."""
        self.texts[model, name] = text
        if refuses(text):
            self.refused.add((model, name))


async def ask_each(
    keys: Sequence[K], ask: Callable[[K], Awaitable[V]], on_asked: OnAnswer
) -> tuple[dict[K, V], dict[K, str]]:
    """Ask about each key; return the answers, and the reasons for missing ones.

    Raises errors that affect every call.
    """
    answers: dict[K, V] = {}
    missing: dict[K, str] = {}

    async def ask_one(key: K) -> None:
        try:
            answers[key] = await ask(key)
        except ModelError as error:
            if error.fatal:
                raise
            missing[key] = str(error)
        on_asked(len(answers) + len(missing), len(keys))

    await for_each(keys, ask_one)
    return answers, missing


def due_answers(plan: BenchmarkPlan, answers: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, Example]]:
    """Yield each example that a model of the plan must answer and has not answered in `answers`."""
    return ((model, row) for row in plan.rows for model in plan.asked if (model, row.id) not in answers)


def response_id(row: Example, model: str) -> str:
    """Return the name of a response in the store."""
    return f"{row.id}/{model}"


def given_responses(plan: BenchmarkPlan, answers: Answers) -> Iterator[Response]:
    """Yield the answers that contain something to check."""
    for row in plan.rows:
        for model in plan.models:
            if text := answers.texts.get((model, row.id)):
                yield row.request.model_copy(update={"id": response_id(row, model), "text": text, "model": model})


async def complete_answers(
    plan: BenchmarkPlan, models: Models | None, role: str, on_answer: OnAnswer = lambda done, total: None
) -> Answers:
    """Return the plan's existing answers, and those that its models give now, with the settings of `role`.

    A model whose provider refuses has answered with nothing. Raises UsageError when there is something to ask and no
    model, or one that can't be called, and errors that would affect every call.
    """
    texts = plan.answers.texts
    requests = {(model, row.id): whole_request(row.request) for model, row in due_answers(plan, texts)}
    answers = Answers()
    if requests:
        if models is None:
            raise UsageError("Models are to answer, and none is configured.", "Give their answers: --answers FILE.")
        await _ask_for_answers(requests, answers, models, role, on_answer)
    for (model, name), text in texts.items():
        answers.take(model, name, text.strip())
    return answers


async def _ask_for_answers(
    requests: Mapping[tuple[str, str], str], answers: Answers, models: Models, role: str, on_answer: OnAnswer
) -> None:
    """Have each request, by model and id, answered by its model, and add the replies to `answers`.

    Raises UsageError for a model that can't be called, and errors that would affect every call.
    """
    ledger = Ledger()
    for model in sorted({model for model, _ in requests}):
        models.examine(model)

    async def answer_one(key: tuple[str, str]) -> str:
        """Ask for one answer, from the cache if possible."""
        call = replace(answer_call(models, role, requests[key]), role=ANSWER, model=key[0])
        try:
            return (await models.ask(call, read_answer, ledger)).value
        except ModelError as error:
            if error.fatal or error.kind != "refusal":
                raise
            answers.refused.add(key)
            return ""

    texts, answers.missing = await ask_each(list(requests), answer_one, on_answer)
    for (model, name), text in texts.items():
        answers.take(model, name, text)
    answers.usage = ledger.usage()
