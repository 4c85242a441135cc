"""FactBench end to end: models answer, their answers are checked, and each becomes counts of units.

Answers, replies and records are kept in the cache and the store, so that the same call carries on after any stop, and
a model added later costs only what is new. Refusals are typed beside the check and change nothing in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from factscope.benchmarks.facts_grounding import Example, Examples
from factscope.engine import Tools
from factscope.errors import UsageError
from factscope.ids import id_key
from factscope.judging.answers import ANSWER, Answers, Wanted, ask_answers
from factscope.judging.request import whole_request
from factscope.labels import Outcome as Ending
from factscope.method import Method
from factscope.records import Report, Response, Usage
from factscope.run import Many, run_many
from factscope.scores.tiers import Answered
from factscope.store import Store

from .refusals import Typed, Typing

TITLE = "factbench"
"""How the name of its runs in the store begins."""
OnReport = Callable[[Report, Many], None]
"""Is told of each checked answer."""


class Outcome(NamedTuple):
    """Everything that was found out."""

    entries: tuple[Answered, ...]
    """One for each prompt and model."""
    many: Many
    """How the run went."""
    typed_by: str
    """Who typed the refusals: a model, or `rule`."""
    n_untyped: int
    """Responses of which it is not known whether they refuse: the model that was to say it failed."""
    usage: tuple[Usage, ...] = ()


class Units(NamedTuple):
    """How the units of a response ended, those that say the same counted once."""

    counts: Mapping[Ending, int]
    repeated: Mapping[str, int]
    """By the first unit that says it: how often in all, twice or more."""


def distinct_units(report: Report) -> Units:
    """The verifiable units of a report. Of several with the same words the first that was judged counts.

    VERIFY makes units stand alone one by one, so that two may come out as the same. What leans on a contradicted
    claim is no second error, as in every other score.
    """
    words = {one.id: one.text for one in report.segments} | {one.id: one.standalone for one in report.claims}
    units = set(report.unit_ids())
    first: dict[str, str] = {}
    ended: dict[str, Ending] = {}
    times: dict[str, int] = {}
    for verdict in sorted(report.verdicts, key=lambda one: id_key(one.unit_id)):
        checked = verdict.outcome not in ("not_checkable", "excluded")
        if verdict.level == "response" or verdict.unit_id not in units or not checked:
            continue
        if verdict.outcome == "contradicted" and verdict.at_risk:
            continue
        kept = first.setdefault(_plain(words[verdict.unit_id]), verdict.unit_id)
        times[kept] = times.get(kept, 0) + 1
        if ended.get(kept, "failed") == "failed":
            ended[kept] = verdict.outcome
    outcomes = list(ended.values())
    return Units({name: outcomes.count(name) for name in set(outcomes)}, {k: n for k, n in times.items() if n > 1})


def response_id(row: Example, model: str) -> str:
    """The name of a response in the store."""
    return f"{row.id}/{model}"


def responses(rows: Sequence[Example], models: Sequence[str], answers: Answers) -> Iterator[Response]:
    """The answers that there is something to check in."""
    for row in rows:
        for model in models:
            text = answers.texts.get((model, row.id))
            if text:
                yield row.asked.model_copy(update={"id": response_id(row, model), "text": text, "model": model})


async def have_answers(
    rows: Sequence[Example],
    asked: Sequence[str],
    given: Mapping[tuple[str, str], str],
    tools: Tools,
    on_answer: Callable[[int, int], None] = lambda done, total: None,
) -> Answers:
    """The answers `given`, and those of the models `asked` to all prompts without one.

    Raises UsageError when a model can't be called, and what would befall every call.
    """
    wanted = [
        Wanted(model, row.id, whole_request(row.asked))
        for row in rows
        for model in asked
        if (model, row.id) not in given
    ]
    found = Answers()
    if wanted:
        if tools.models is None:
            raise UsageError("Models are to answer, and none is configured.", "Give their answers: --answers FILE.")
        found = await ask_answers(wanted, tools.models, ANSWER, on_answer)
    for (model, name), text in given.items():
        found.take(model, name, text.strip())
    return found


async def run_factbench(
    prompts: Examples,
    rows: Sequence[Example],
    models: Sequence[str],
    answers: Answers,
    typing: Typing,
    method: Method,
    tools: Tools,
    store: Store,
    on_report: OnReport = lambda report, many: None,
    *,
    fresh: bool = False,
) -> Outcome:
    """Have the answers to `rows`, which are some or all of `prompts`, checked. Raises what `run_many` raises.

    The run in the store is that of all `prompts` with this method, whoever answers.
    """
    found: dict[str, Units] = {}
    used: dict[tuple[str, str], Usage] = {}

    def take(report: Report, many: Many) -> None:
        found[report.response.id] = distinct_units(report)
        for one in report.usage:
            used[one.role, one.model] = one
        on_report(report, many)

    name = f"{TITLE} {prompts.sha256}"
    many = await run_many(responses(rows, models, answers), method, tools, store, name, take, fresh=fresh)
    entries = tuple(
        _entry(row, model, answers, found.get(response_id(row, model)), typing.found.get((model, row.id)))
        for row in rows
        for model in models
    )
    return Outcome(entries, many, typing.by, len(typing.missing), tuple(used.values()))


def _entry(row: Example, model: str, answers: Answers, units: Units | None, typed: Typed | None) -> Answered:
    text = answers.texts.get((model, row.id))
    if text == "":
        withheld = (model, row.id) in answers.refused
        return Answered(id=row.id, tier=row.split, model=model, state="withheld" if withheld else "no_answer")
    if text is None or units is None:
        return Answered(id=row.id, tier=row.split, model=model, state="missing")
    count = units.counts.get
    return Answered(
        id=row.id,
        tier=row.split,
        model=model,
        state="checked",
        supported=count("supported", 0),
        contradicted=count("contradicted", 0),
        undecided=count("undecided", 0) + count("no_evidence", 0),
        failed=count("failed", 0),
        repeated=dict(units.repeated),
        words=len(text.split()),
        refusal=typed.refuses if typed else None,
        category=typed.category if typed else None,
        justified=typed.justified if typed else None,
        reason=typed.reason if typed else None,
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
