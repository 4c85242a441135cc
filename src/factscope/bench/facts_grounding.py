"""FACTS Grounding end to end: candidates answer, the answers are judged, verdicts become arrays.

Answers and judges' replies are kept in the cache, and the records of each judged answer in the store, so that the same
call carries on after any stop, and a candidate or a split added later costs only what is new.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factscope.benchmarks.facts_grounding import Example, Examples
from factscope.engine import Tools
from factscope.errors import UsageError
from factscope.judging.request import answer_call, read_answer, whole_request
from factscope.llm.cost import Ledger
from factscope.llm.failures import ModelError
from factscope.method import Method
from factscope.methods.facts_grounding import seat
from factscope.records import Report, Response, Span, Usage
from factscope.run import Many, run_many
from factscope.scores.grounding import Verdicts
from factscope.store import Store

ANSWER = "answer"
"""The role under which the usage of candidates is counted."""
_SIDE_BY_SIDE = 64
"""Answers asked for at once; the calls in flight have limits of their own."""
_REFUSAL = re.compile(
    r"\W*(?:(?:I['’]m |I am )?(?:very |so |really )?sorry\b[^.!?]{0,40}?\b(?:but )?)?"
    r"(?:I|we|as an? (?:AI|language model)\b[^.!?]{0,40}?\bI)\W{0,2}"
    r"(?:can(?:not|['’]?t| not)|could(?: not|n['’]t)|(?:am|['’]m) (?:unable|not able)|won['’]t|will not)\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 80
"""Words of a response that only refuses; a longer one that begins so goes on to say something."""


OnReport = Callable[[Report, Many], None]
"""Is told of each judged answer."""


@dataclass
class Answers:
    """What the candidates wrote."""

    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """By model and example; an empty one is an answer that does nothing."""
    refused: set[tuple[str, str]] = field(default_factory=set)
    """Those that only refuse."""
    missing: dict[tuple[str, str], str] = field(default_factory=dict)
    """Those that could not be had, and why."""
    usage: tuple[Usage, ...] = ()
    """What was used for them."""


class Seats(NamedTuple):
    """Who judges, in order."""

    models: tuple[str, ...]
    templates: tuple[str, ...]


class Outcome(NamedTuple):
    """Everything that was found out, as the scores want it."""

    verdicts: Verdicts
    refused: NDArray[np.bool_]
    """Responses that only refuse, shape (examples, models)."""
    many: Many
    """How the run went."""
    n_missing_answers: int
    """Pairs of candidate and example without an answer: no judge was asked, and their verdicts are missing."""
    n_empty: int
    """Empty answers, which are ineligible by rule."""
    usage: tuple[Usage, ...]
    sentences: Sentences


@dataclass
class Sentences:
    """What judges said of single sentences."""

    n: int = 0
    unaligned: int = 0
    """Sentences that do not stand in the response."""
    quote_not_found: int = 0
    """With an excerpt that is not in the document."""
    quote_missing: int = 0
    """Without the excerpt that their label needs."""
    downgraded: int = 0
    """Whose support did not stand the double check."""
    sparse: int = 0
    """Judgements, not sentences: accurate ones whose sentences make up less than half of the response."""


def only_refuses(text: str) -> bool:
    """Whether an answer does nothing but refuse, by how it begins and how short it is. English only."""
    return len(text.split()) <= _LONGEST_REFUSAL and _REFUSAL.match(text) is not None


async def answer_all(
    examples: Sequence[Example],
    models: Sequence[str],
    tools: Tools,
    given: Mapping[tuple[str, str], str],
    on_answer: Callable[[int, int], None] = lambda done, total: None,
) -> Answers:
    """The answers of all models to all examples: those `given`, the others asked for with the whole request.

    A candidate that its provider has refuse has answered with nothing. Raises UsageError for a model that can't be
    called, and what would befall every call.
    """
    found, ledger = Answers(), Ledger()
    for (model, name), text in given.items():
        _take(found, model, name, text.strip())
    wanted = [(model, row) for row in examples for model in models if (model, row.id) not in given]
    room, done = asyncio.Semaphore(_SIDE_BY_SIDE), 0
    if wanted:
        if tools.models is None:
            raise UsageError("Candidates are to answer, and no model is configured.", "Name judges: --judge NAME.")
        for model in models:
            tools.models.examine(model)

    async def one(model: str, row: Example) -> None:
        nonlocal done
        async with room:
            try:
                found_text = await _answer(model, row, tools, ledger)
            except ModelError as error:
                if error.fatal:
                    raise
                if error.kind == "refusal":
                    found.refused.add((model, row.id))
                    found_text = ""
                else:
                    found.missing[model, row.id] = str(error)
                    return
            finally:
                done += 1
                on_answer(done, len(wanted))
            _take(found, model, row.id, found_text)

    try:
        async with asyncio.TaskGroup() as group:
            for model, row in wanted:
                group.create_task(one(model, row))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    found.usage = ledger.usage()
    return found


def _take(found: Answers, model: str, name: str, text: str) -> None:
    found.texts[model, name] = text
    if only_refuses(text):
        found.refused.add((model, name))


async def _answer(model: str, row: Example, tools: Tools, ledger: Ledger) -> str:
    if tools.models is None:
        raise UsageError("No model is configured.")
    call = replace(answer_call(tools.models, seat(1), whole_request(row.asked)), role=ANSWER, model=model)
    return (await tools.models.ask(call, read_answer, ledger)).value


async def run_grounding(
    examples: Examples,
    rows: Sequence[Example],
    models: Sequence[str],
    answers: Answers,
    seats: Seats,
    names: Sequence[str],
    method: Method,
    tools: Tools,
    store: Store,
    on_report: OnReport = lambda report, many: None,
    *,
    fresh: bool = False,
) -> Outcome:
    """Have the answers to `rows`, which are some or all of `examples`, judged. `names` are the judges' in the table.

    The run in the store is that of all `examples` with this method and these judges, whoever the candidates are. Raises
    what `run_many` raises.
    """
    at = {row.id: place for place, row in enumerate(rows)}
    column = {model: place for place, model in enumerate(models)}
    shape = (len(rows), len(models), len(seats.models))
    accurate, ineligible = np.full(shape, np.nan), np.full(shape, np.nan)
    empty = [key for key, text in answers.texts.items() if not text and key[1] in at and key[0] in column]
    for model, name in empty:  # it does nothing: no judge need be asked
        accurate[at[name], column[model]], ineligible[at[name], column[model]] = 0.0, 1.0
    places: dict[str, tuple[int, int]] = {}
    used: dict[tuple[str, str], Usage] = {}
    sentences = Sentences()

    def responses() -> Iterator[Response]:
        for row in rows:
            for model in models:
                text = answers.texts.get((model, row.id))
                if text:
                    name = f"{row.id}/{model}"
                    places[name] = at[row.id], column[model]
                    yield row.asked.model_copy(update={"id": name, "text": text, "model": model})

    def take(report: Report, many: Many) -> None:
        place = places[report.response.id]
        for judgement in report.judgements:
            if judgement.label is not None:
                accurate[place][_number(judgement.id)] = float(judgement.label == "supported")
        for one in report.eligibility:
            ineligible[place][_number(one.id)] = float(not one.eligible)
        _count(sentences, report)
        for used_by in report.usage:
            used[used_by.role, used_by.model] = used_by
        on_report(report, many)

    many = await run_many(responses(), method, tools, store, f"facts-grounding {examples.sha256}", take, fresh=fresh)
    splits = np.array([examples.splits.index(row.split) for row in rows], dtype=np.int64)
    verdicts = Verdicts(
        tuple(models), tuple(names), examples.splits, splits, accurate, ineligible if method.eligible else None
    )
    refused = np.array([[(model, row.id) in answers.refused for model in models] for row in rows], dtype=bool)
    n_missing = sum((model, row.id) not in answers.texts for row in rows for model in models)
    return Outcome(verdicts, refused, many, n_missing, len(empty), tuple(used.values()), sentences)


def _number(name: str) -> int:
    """The place of a judge from the id of what it said, which ends in its number: `s1.c1.j2`, `r1.e2`."""
    return int(re.findall(r"\d+$", name)[0]) - 1


def _count(sentences: Sentences, report: Report) -> None:
    sentences.n += len(report.findings)
    for one in report.findings:
        sentences.unaligned += one.span is None
        sentences.quote_not_found += "quote_not_found" in one.flags
        sentences.quote_missing += "quote_missing" in one.flags
        sentences.downgraded += "downgraded" in one.flags
    listed = {one.judgement_id for one in report.findings}
    for judgement in report.judgements:
        if judgement.id in listed and judgement.label == "supported":
            spans = [one.span for one in report.findings if one.judgement_id == judgement.id and one.span]
            sentences.sparse += _covered(spans) < len(report.response.text) / 2


def _covered(spans: Sequence[Span]) -> int:
    """Characters that lie in one of the spans or several."""
    total = end = 0
    for span in sorted(spans, key=lambda one: one.start):
        total += max(0, span.end - max(span.start, end))
        end = max(end, span.end)
    return total
