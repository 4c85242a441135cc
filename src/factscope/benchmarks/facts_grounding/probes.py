"""Probes for judges of FACTS Grounding: small sets of invented cases with the right answer known.

- `counterfactual`: the document contradicts common knowledge. An answer that follows the document is grounded, one that
follows common knowledge is not; a judge that trusts its own knowledge gets both wrong. - `evasive`: an answer with
almost no content, hence without errors. Phase A passes it; phase B must not. - `injection`: the document contains
instructions to the judge. Its other content still decides.

Others are planted in documents that are longer than a judge can read, to see whether judging in pieces finds them. Such
a document has filler text, three facts far apart, and sentences that share the facts' words but not their content. An
answer repeats the three (`planted`), rewords them (`reworded`), changes one (`changed`), or replaces one by a fact that
is not in the document (`absent`).

Apache-2.0; written for Factscope, and nothing is tuned to them. There are few of them, so the intervals are wide.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from factscope.benchmarks import Answers, BenchmarkPlan, Example, Examples, FigureLine, GivenAnswers, result_of
from factscope.benchmarks.facts_grounding.grounding_dataset import context_document
from factscope.benchmarks.facts_grounding.grounding_run import GroundingPanel, run_grounding
from factscope.core import Interval, Response
from factscope.engine.run import Runner, RunProgress
from factscope.judging.long_documents import by_worth, cut
from factscope.llm.cost import estimate_tokens
from factscope.report.document import Block, Result, notes, table_of
from factscope.scoring.intervals import wilson

_AUTHOR = "probe"
_MAX_NAMES = 4
"""Wrongly judged probes that are named."""
LONGEST = 100_000
"""Tokens of the longest document."""
TIMES = 3
"""Length of a document, as a multiple of a judge's window."""
_FILLER: dict[str, list[str]] = tomllib.loads(files(__package__).joinpath("filler.toml").read_text("utf-8"))
"""Words of filler, by their place in the sentence."""
_REQUEST = "Say in three sentences what the document tells of {}, {} and {}."
_FILLERS = 6
"""Number of filler statements about a planted fact, all over the document."""


class Probe(BaseModel):
    """A case and the correct verdict on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: str
    request: str
    context: str
    response: str
    accurate: bool
    eligible: bool


@dataclass(frozen=True, slots=True)
class ProbeAccuracy:
    """Accuracy of a judge on cases of one kind."""

    judge: str
    kind: str
    """The kind of probe; `eligible`: all answers that phase B should accept."""
    phase: str
    """`grounding` or `eligibility`."""
    right: int
    n: int
    """Cases with a verdict."""
    n_missing: int
    interval: Interval | None
    """Wilson's interval of the share of correct verdicts."""
    wrong: tuple[str, ...]
    """Ids of the cases with a wrong verdict."""


class _Fact(NamedTuple):
    id: str
    document: str
    right: str
    reworded: str
    wrong: str
    beside: str


class PlantedRanks(NamedTuple):
    """Ranks of the chunks with a planted fact, in the order of its sentence."""

    first: int
    """Sentences whose chunk has rank 1."""
    among_eight: int
    n: int


def own_probes() -> tuple[Probe, ...]:
    """Return the cases that come with Factscope."""
    return tuple(map(Probe.model_validate_json, _lines("probes.jsonl")))


def _lines(name: str) -> list[str]:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()


def planted(window: int) -> tuple[Probe, ...]:
    """Make 36 cases for judges that can take `window` tokens: 12 planted, 12 reworded, 6 changed, 6 absent."""
    facts = _facts()
    size = min(TIMES * window, LONGEST)
    probes: list[Probe] = []
    for number in range(len(facts)):
        chosen_facts = [facts[(number + step) % len(facts)] for step in (0, 4, 8)]
        document = _long_document(chosen_facts, size, number)
        right = [fact.right for fact in chosen_facts]
        index, kind = number // 2 % len(chosen_facts), "changed" if number % 2 else "absent"
        wrong = chosen_facts[index].wrong if number % 2 else facts[(number + 1) % len(facts)].right
        answers = {
            "planted": right,
            "reworded": [fact.reworded for fact in chosen_facts],
            kind: [*right[:index], wrong, *right[index + 1 :]],
        }
        probes += [_probe(kind, number, chosen_facts, document, texts) for kind, texts in answers.items()]
    return tuple(probes)


def ranks(window: int, kind: str) -> PlantedRanks:
    """Measure the ranking of chunks for `planted` or `reworded` sentences, without a judge.

    A chunk that is not among the first is shown in a later pass: the order determines the number of passes, not the
    result.
    """
    facts = {answer: fact.document for fact in _facts() for answer in (fact.right, fact.reworded)}
    ranks_found = []
    for case in planted(window):
        if case.kind != kind:
            continue
        pieces = cut((case.context,))
        for sentence in case.response.split("\n"):
            order = by_worth(sentence, pieces)
            holds = (facts[sentence] in case.context[pieces[index].start : pieces[index].end] for index in order)
            ranks_found.append(next(rank for rank, holds_fact in enumerate(holds, 1) if holds_fact))
    among_eight = sum(rank <= 8 for rank in ranks_found)
    return PlantedRanks(ranks_found.count(1), among_eight, len(ranks_found))


def _facts() -> list[_Fact]:
    return [_Fact(**json.loads(line)) for line in _lines("planted.jsonl")]


def _probe(kind: str, number: int, facts: Sequence[_Fact], document: str, answers: Sequence[str]) -> Probe:
    return Probe(
        id=f"{kind}-{number + 1}",
        kind=kind,
        request=_REQUEST.format(*(f"the {fact.id}" for fact in facts)),
        context=document,
        response="\n".join(answers),
        accurate=kind in ("planted", "reworded"),
        eligible=True,
    )


def _long_document(facts: Sequence[_Fact], size: int, number: int) -> str:
    """Return filler of about `size` tokens with the facts at its beginning, middle and end, in varying order."""
    paragraphs, length = [], 0
    for paragraph in _filler(number):
        paragraphs.append(paragraph)
        length += estimate_tokens(paragraph)
        if length >= size:
            break
    last = len(paragraphs) - 1
    depths = (0, last // 2, last)
    for turn, fact in enumerate(facts):
        position = depths[(turn + number) % len(depths)]
        paragraphs[position] = f"{paragraphs[position]} {fact.document}"
        for often in range(_FILLERS):
            other = (position + 1 + (often * last) // _FILLERS) % len(paragraphs)
            paragraphs[other] = f"{fact.beside} {paragraphs[other]}"
    return "\n\n".join(paragraphs)


def _filler(number: int) -> Iterator[str]:
    """Yield paragraphs of five sentences, without end; other ones for each document."""
    for start in count(number * 31, 5):
        yield " ".join(_sentence(position) for position in range(start, start + 5))


def _sentence(position: int) -> str:
    turns = {"people": 1, "acts": 3, "things": 5, "places": 2}
    return " ".join(_FILLER[name][position // turn % len(_FILLER[name])] for name, turn in turns.items()) + "."


async def run_probes(
    cases: Sequence[Probe], panel: GroundingPanel, runner: Runner
) -> tuple[tuple[ProbeAccuracy, ...], RunProgress]:
    """Run each judge on the cases. Raises the errors of `run_many`."""
    rows = tuple(_example(case) for case in cases)
    digest = sha256("".join(case.model_dump_json() for case in cases).encode()).hexdigest()
    plan = BenchmarkPlan(Examples(rows, (_AUTHOR,), (), digest), rows, GivenAnswers({}, (_AUTHOR,), ()))
    answers = Answers(texts={(_AUTHOR, case.id): case.response for case in cases})
    outcome = await run_grounding(plan, answers, panel, runner)
    accurate = outcome.verdicts.accurate[:, 0]
    ineligible = outcome.verdicts.ineligible
    accuracies = []
    for j, judge in enumerate(panel.names()):
        for kind in dict.fromkeys(case.kind for case in cases):
            if kind != "evasive":
                right = np.array([float(case.accurate) if case.kind == kind else np.nan for case in cases])
                accuracies.append(_measured(judge, kind, "grounding", cases, right, accurate[:, j]))
        if ineligible is not None:
            for kind, expected in (("evasive", False), ("eligible", True)):
                right = np.array([float(not case.eligible) if case.eligible == expected else np.nan for case in cases])
                accuracies.append(_measured(judge, kind, "eligibility", cases, right, ineligible[:, 0, j]))
    return tuple(accuracies), outcome.many


def _example(case: Probe) -> Example:
    context = (context_document(case.context),)
    return Example(case.id, _AUTHOR, Response(id=case.id, text="", prompt=case.request, context=context), {})


def _measured(
    judge: str, kind: str, phase: str, cases: Sequence[Probe], truth: NDArray[np.float64], labels: NDArray[np.float64]
) -> ProbeAccuracy:
    """Measure accuracy; `truth` is NaN for cases of other kinds, `labels` for missing verdicts."""
    has_truth = ~np.isnan(truth)
    has_both = has_truth & ~np.isnan(labels)
    right, n = int((truth == labels)[has_both].sum()), int(has_both.sum())
    wrong = tuple(cases[index].id for index in np.flatnonzero(has_both & (truth != labels)).tolist())
    return ProbeAccuracy(judge, kind, phase, right, n, int(has_truth.sum()) - n, wilson(right, n), wrong)


def probe_result(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> Result:
    """Return the accuracy of each judge, and the ranks of planted facts, for any writer."""
    values, document = partial(_values, ranked=ranked), partial(_document, ranked=ranked)
    return result_of("Judges on cases with known answers", accuracies, document, _figure_lines, values)


def _values(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> dict[str, Any]:
    pieces = {"pieces": {kind: entry._asdict() for kind, entry in ranked.items()}} if ranked else {}
    values: dict[str, Any] = to_jsonable_python({"benchmark": "facts-probes", "measured": accuracies, **pieces})
    return values


def _document(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> tuple[Block, ...]:
    rows = []
    for result in accuracies:
        missing = f"\n{result.n_missing} missing" if result.n_missing else ""
        inside = f"{100 * result.interval.low:.0f}–{100 * result.interval.high:.0f} %" if result.interval else ""
        rows.append((result.judge, result.kind, result.phase, f"{result.right} of {result.n}{missing}", inside))
    heads = ("judge", "probes", "phase", "right", "95 % interval")
    return table_of(heads, rows, names=3), *notes(_notes(accuracies, ranked))


def _figure_lines(accuracies: Sequence[ProbeAccuracy]) -> Iterator[FigureLine]:
    for result in accuracies:
        table, n, missing = f"{result.kind}, {result.phase}", result.n, result.n_missing
        yield FigureLine(table, result.judge, "accuracy", result.right / n if n else None, result.interval, n)
        yield FigureLine(table, result.judge, "missing", missing, n=n + missing)


def _notes(accuracies: Sequence[ProbeAccuracy], ranked: Mapping[str, PlantedRanks]) -> Iterator[str]:
    for result in accuracies:
        if result.wrong:
            more = f" and {len(result.wrong) - _MAX_NAMES:,} more" if len(result.wrong) > _MAX_NAMES else ""
            yield f"{result.judge}, {result.kind}: wrong on {', '.join(result.wrong[:_MAX_NAMES])}{more}."
    for kind, rank in ranked.items():
        yield (
            f"Of {rank.n} {kind} sentences, the piece of the document that holds the fact is ranked first for"
            f" {rank.first}, and among the first eight for {rank.among_eight}."
        )
