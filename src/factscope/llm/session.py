"""One step of a method: its prompt is filled, the call made, and the reply read.

A prompt uses any of the variables offered to its step, so that a user's prompt may show a model more or less than the
shipped one. `OFFERED` lists the variables of each step; `validate_prompts` checks prompts before the first call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise, takewhile
from typing import Any, ParamSpec, TypeVar

from factscope.core import Boundary, BoundaryError, FactscopeError, Stage, UsageError
from factscope.core.records import Claim, Failure, Response, Segment
from factscope.llm.call import Call, Message
from factscope.llm.cost import Ledger, message_tokens
from factscope.llm.model_errors import ModelError, UnreadableError
from factscope.llm.models_by_role import Models
from factscope.llm.prompts import Prompt, load, shipped
from factscope.llm.prompts.published_prompt import FelmFile, PublishedPrompt, load_felm_file, load_official, load_plain
from factscope.llm.shared_calls import GroupMember
from factscope.llm.structured import ParsedReply
from factscope.methods import Ask, Correct, Extract, Judge, Method, Queries, judges_of
from factscope.methods.method_file import variants

T = TypeVar("T")
U = TypeVar("U")
P = ParamSpec("P")
_SIDE_BY_SIDE = 64
"""Items worked on at once; calls in flight have limits of their own."""
Variables = Mapping[str, str | Mapping[str, str]]
Words = Mapping[str, Mapping[Any, str]]

_CUT = ("response", "prompt", "context", "paragraph", "segment", "segments", "before", "listed", "after")
_CLAIM = ("response", "prompt", "claim", "segment")
_EVIDENCE = ("results", "passages", "sources")
OFFERED: Mapping[str, frozenset[str]] = {
    "cut": frozenset({"response", "prompt"}),
    "extract": frozenset({*_CUT}),
    "rewrite": frozenset({*_CLAIM}),
    "relevant": frozenset({*_CLAIM}),
    "queries": frozenset({*_CLAIM, "claims", "rounds", "passages", "searches"}),
    "judge": frozenset({*_CLAIM, *_EVIDENCE, "claims", "pairs", "evidence", "context", "topic", "span", "number"}),
    "double_check": frozenset({"span", "excerpt"}),
    "eligible": frozenset({"response", "prompt", "request", "baseline"}),
    "correct": frozenset({"response", "prompt", "claims", "segments", "passages", "pairs"}),
}
"""Variables for outside text that each step of a method offers to its prompt."""


PARAGRAPH_REACH = 40
"""Segments of a paragraph that are shown on each side of a claim's segment."""


@dataclass(frozen=True)
class StepQuestion:
    """A step's question to its model: the values for its prompt, and the allowed replies."""

    step: Ask
    variables: Variables
    """Outside text by variable; variables that the prompt does not use are left out."""
    words: Words = field(default_factory=dict)
    """Our own words by placeholder; unused ones are left out too."""
    schema: Mapping[str, object] | None = None
    sample: int = 1
    logprobs: int | None = None
    prompt: str | None = None
    """A prompt that replaces the step's own."""
    remark: str = ""
    """Our own words, added after the question."""
    units: int = 1
    room: int | None = None

    def messages(self) -> tuple[Message, ...]:
        """Fill the prompt."""
        prompt = read_prompt(self.prompt or self.step.prompt)
        names = {placeholder.partition(".")[0] for placeholder in prompt.placeholders}
        offered = {**self.variables, **self.words}
        filled = prompt.fill(**{name: value for name, value in offered.items() if name in names})
        system = (Message("system", filled.system),) if filled.system else ()
        user = f"{filled.user}\n\n{self.remark}" if self.remark else filled.user
        return (*system, Message("user", user))


@dataclass(frozen=True)
class ModelSession:
    """A check's access to its models, with their usage."""

    models: Models
    ledger: Ledger = field(default_factory=Ledger)

    async def ask(self, question: StepQuestion, read: Callable[[str], T], *, once: bool = False) -> ParsedReply[T]:
        """Ask a question. With `once`, an unreadable reply is not asked for again. Raises ModelError, StoreError."""
        return await self.ask_call(question.step, self.call(question), read, once=once)

    def call(self, question: StepQuestion) -> Call:
        """Return the call for a question."""
        step = question.step
        call = self.models.call(
            step.role, question.messages(), temperature=step.temperature, max_tokens=step.max_tokens
        )
        return replace(
            call,
            schema=question.schema,
            sample=question.sample,
            logprobs=question.logprobs,
            units=question.units,
            room=question.room,
            cut_is_whole=step.if_cut_off == "whole",
        )

    async def ask_call(self, step: Ask, call: Call, read: Callable[[str], T], *, once: bool = False) -> ParsedReply[T]:
        """Make a call that `call` returned, and read its reply, even one that was cut off, as far as the step allows.

        Raises ModelError, StoreError.
        """
        try:
            return await self.models.ask(call, read, self.ledger, again=0 if once else 2)
        except ModelError as error:
            if error.kind != "length" or error.reply is None or step.if_cut_off != "read":
                raise
            try:
                return ParsedReply(read(error.reply.text), error.reply)
            except UnreadableError:
                raise error from None


def sent_tokens(step: Ask, variables: Variables, words: Words) -> int:
    """Estimate the tokens of a step's question with these variables."""
    return message_tokens(StepQuestion(step, variables, words).messages())


@dataclass(frozen=True)
class CheckContext:
    """One response during its check, as the stages see it: its text, the models, and the receiver of its records."""

    response: Response
    segments: Sequence[Segment]
    emit: Callable[..., None]
    """Called with each new record."""
    models: ModelSession | None = None
    ledger: Ledger = field(default_factory=Ledger)
    """Usage; shared with `models` when there are any."""
    failed: set[str] = field(default_factory=set)
    """Ids of the units with a failure."""
    waiting: set[str] = field(default_factory=set)
    """Units among `failed` with a call that waits in a batch file; calls that depend on its reply are not made yet."""
    member: GroupMember | None = None
    """This response's place in a group that shares calls; None when it shares none."""

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Position of each segment in `segments`, by id."""
        return {segment.id: position for position, segment in enumerate(self.segments)}

    @property
    def session(self) -> ModelSession:
        """Return the session. Raises UsageError when no model is configured."""
        if self.models is None:
            raise UsageError("The method asks a language model, and none is configured.", "Name one: --model NAME.")
        return self.models

    def variables(self, claim: Claim) -> dict[str, str]:
        """Return the variables that every step about a claim offers to its prompt."""
        return {
            "response": self.response.text,
            "prompt": self.response.prompt or "",
            "claim": claim.standalone,
            "segment": self.segments[self.position[claim.segment_id]].text,
        }

    def paragraph(self, position: int) -> Sequence[Segment]:
        """Return the segments of the paragraph around the one at `position`: up to a blank line on either side."""

        def joined_to_first(ordered: Sequence[Segment]) -> list[Segment]:
            steps = takewhile(lambda step: self._joined(*step), pairwise(ordered))
            return [second for _, second in steps]

        back = joined_to_first(self.segments[max(0, position - PARAGRAPH_REACH) : position + 1][::-1])
        return [
            *reversed(back),
            self.segments[position],
            *joined_to_first(self.segments[position : position + PARAGRAPH_REACH]),
        ]

    def _joined(self, segment: Segment, other: Segment) -> bool:
        first, second = sorted((segment, other), key=lambda segment: segment.span.start)
        return self.response.text.count("\n", first.span.end, second.span.start) <= 1

    def fail(self, unit_ids: Sequence[str], stage: Stage, error: Exception, about: str | None = None) -> None:
        """Record a failure of units. All failures are recorded here.

        Raises errors that would affect all other units too.

        `about` is the address of the one source that it affected.
        """
        wrong_call = isinstance(error, FactscopeError) and not isinstance(error, BoundaryError)
        if wrong_call or getattr(error, "fatal", False):  # a wrong key or an outage, of a model or of a search engine
            raise error
        if about is None:
            self.failed.update(unit_ids)
        if isinstance(error, ModelError) and error.kind == "pending":
            self.waiting.update(unit_ids)
        boundary: Boundary = "internal"
        message = f"{type(error).__name__}: {error}"
        if isinstance(error, BoundaryError):
            boundary, message = error.boundary, str(error)
        for unit_id in unit_ids:
            self.emit(Failure(unit_id=unit_id, stage=stage, boundary=boundary, message=message, about=about))

    async def guard(
        self,
        unit_ids: Sequence[str],
        stage: Stage,
        work: Callable[P, Awaitable[T]],
        *with_these: P.args,
        **and_these: P.kwargs,
    ) -> T | None:
        """Run `work` with these arguments; after a failure, record it for the units and return None."""
        try:
            return await work(*with_these, **and_these)
        except Exception as error:  # noqa: BLE001 - a mistake of ours must cost one unit, not the whole check
            self.fail(unit_ids, stage, error)
        return None


async def gather_all(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results in order; when one raises, cancel the others and raise the same."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def for_each(items: Iterable[U], work: Callable[[U], Awaitable[None]]) -> None:
    """Do `work` on every item in order, `_SIDE_BY_SIDE` at a time; when one raises, cancel the others.

    For thousands of questions: only as many tasks exist as are running. Raises the errors of `work`.
    """
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    await gather_all(worker() for _ in range(_SIDE_BY_SIDE))


@cache
def read_prompt(name: str) -> Prompt | PublishedPrompt | FelmFile:
    """Read a prompt, cached by name. Raises UsageError.

    `FILE.csv#method` is a published template, `FILE.toml` the question that a served checker was trained on, `FILE.txt`
    a prompt of FELM's authors.
    """
    if name.endswith(".toml"):
        return load_plain(name)
    if name.endswith(".txt"):
        return load_felm_file(name)
    return load_official(name) if ".csv#" in name else load(name)


def outside_variables(prompt: Prompt | PublishedPrompt | FelmFile) -> frozenset[str]:
    """Return the variables of a prompt that are filled with outside text."""
    return frozenset(placeholder for placeholder in prompt.placeholders if "." not in placeholder)


def steps(method: Method) -> Iterator[tuple[str, Ask]]:
    """Yield each question that a method asks a model, with the name of its step."""
    if method.cut:
        yield "cut", method.cut
    if isinstance(method.extract, Extract):
        yield "extract", method.extract
        if method.extract.rewrite:
            yield "rewrite", method.extract.rewrite
        if method.extract.relevant:
            yield "relevant", method.extract.relevant
    if isinstance(method.evidence.queries, Queries):
        yield "queries", method.evidence.queries
    judges = [judge for judge in judges_of(method.judge) if isinstance(judge, Judge)]
    yield from (("judge", judge) for judge in judges)
    yield from (("double_check", judge.double_check) for judge in judges if judge.double_check)
    yield from (("eligible", rubric) for rubric in (method.eligible.judges if method.eligible else ()))
    if isinstance(method.correct, Correct):
        yield "correct", method.correct


def validate_prompts(method: Method) -> dict[str, str]:
    """Return the prompts of a method and their hashes.

    Raises UsageError for one that can't be read, or can't be filled.
    """
    _all_sent(method)
    hashes = {}
    for name, prompt_name in _prompts(method):
        prompt = read_prompt(prompt_name)
        if unknown := sorted(outside_variables(prompt) - OFFERED[name]):
            offered = ", ".join("{{" + variable + "}}" for variable in sorted(OFFERED[name]))
            raise UsageError(
                f"Method {method.name}: the prompt {prompt_name!r} has the place {{{{{unknown[0]}}}}}, which the step"
                f" {name} does not offer.",
                f"It offers: {offered}.",
            )
        hashes[prompt_name] = prompt.hash
    return hashes


def _all_sent(method: Method) -> None:
    """Raise UsageError if a domain replaces a prompt that the method does not use."""
    prompt_names = {name for _, step in steps(method) for name in (step.prompt, getattr(step, "without", None)) if name}
    for domain, change in method.domains.items():
        for old, new in change.prompts.items():
            if old not in prompt_names and new not in shipped():
                raise UsageError(
                    f"Method {method.name}: the prompt {new!r} would not be sent for the domain {domain}: it is in the"
                    f" place of {old!r}, which the method does not use.",
                    f"It asks: {', '.join(sorted(prompt_names))}.",
                )


def _prompts(method: Method) -> Iterator[tuple[str, str]]:
    """Yield all prompts that a method may use, including those of its domains, with the names of their steps."""
    for variant in variants(method):
        for name, step in steps(variant):
            yield name, step.prompt
            if isinstance(step, Judge) and step.without:
                yield name, step.without
            if isinstance(step, Judge) and step.in_pieces:
                yield name, step.in_pieces.prompt
