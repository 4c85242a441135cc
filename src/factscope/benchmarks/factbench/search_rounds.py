"""Rounds of search: the gain of each further round, and the number of rounds that suffice.

FactBench searches in five rounds, set by experience; its reviews ask for the ablation. The method is run with 1, 2, …
rounds on the same responses. Calls that runs have in common are cached, so that a run with fewer rounds costs little
more than its labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from pydantic import Field, ValidationError

from factscope.benchmarks.factbench.tiers import ResponseEntry
from factscope.benchmarks.factbench.units import distinct_units
from factscope.benchmarks.figure_lines import FigureLine, lines_of, result_of
from factscope.core import Record, Report, Response, UsageError, first_problem, many
from factscope.engine.run import ReadReport, Runner, RunProgress, run_many
from factscope.methods import Method, Queries, with_settings
from factscope.report.document import Block, Result, notes, number_cell, percent_cell, points_cell, table_of
from factscope.scoring import RESAMPLES, Mean, PairedDifference, holm, mean, paired_difference
from factscope.scoring.alpha import DEFAULT

LEAST_GAIN = 0.01
"""Least gain in the share of decided units that makes a round worth its searches."""


class RoundResult(NamedTuple):
    """A response with some number of rounds."""

    units: ResponseEntry
    searches: int


class RoundFigures(Record):
    """Figures over all responses for a number of rounds."""

    rounds: int = Field(ge=1)
    decided: Mean
    """Share of judged units that are supported or contradicted."""
    precision: Mean
    hallucination: Mean
    searches: float | None
    """Mean number of searches for a response."""
    gain: PairedDifference | None
    """Gain of these rounds in `decided` over the step before, response by response; `None` for the first step."""
    p: float | None
    """Of the gain, corrected for the number of steps (Holm)."""


class Ablation(Record):
    """All steps."""

    steps: tuple[RoundFigures, ...]
    least_gain: float
    enough: int | None
    """The fewest rounds after which no later step adds `least_gain` to the share of decided units: the stop rule.
    `None` when the last step still adds that much, since it is then unknown how many suffice."""
    failed: int
    """Units that failed, over all steps; they are in no figure."""


def with_rounds(method: Method, rounds: int) -> Method:
    """Return the method with this number of rounds of search.

    Raises UsageError when it can't have that many, or has no rounds at all.
    """
    if not isinstance(method.evidence.queries, Queries):
        raise UsageError(f"{method.name} searches once for each claim, so it has no rounds.", "Use the method verify.")
    try:
        return with_settings(method, {"evidence.queries.rounds": rounds})
    except ValidationError as error:
        raise UsageError(f"{many(rounds, 'round')}: {first_problem(error)[1]}.") from None


async def run_rounds(
    responses: Sequence[Response], rounds: Sequence[int], method: Method, runner: Runner, name: str
) -> tuple[dict[int, dict[str, RoundResult]], tuple[RunProgress, ...]]:
    """Return every response with each number of rounds, most rounds first, so that the others use cached calls.

    Each number is a separate, resumable run in the store; after one is stopped, no other is started. Raises the errors
    of `run_many`.
    """
    results_by_rounds: dict[int, dict[str, RoundResult]] = {}
    went: list[RunProgress] = []
    for number in sorted(rounds, reverse=True):
        results_by_id = results_by_rounds.setdefault(number, {})

        def take_report(read: ReadReport, many: RunProgress, into: dict[str, RoundResult] = results_by_id) -> None:
            report = read()
            into[report.response.id] = _round_result(report)

        changed = with_rounds(method, number)
        went.append(await run_many(iter(responses), changed, runner, f"rounds {number} of {name}", take_report))
        if went[-1].stopped:
            break
    return results_by_rounds, tuple(went)


def ablation(
    results_by_rounds: Mapping[int, Mapping[str, RoundResult]],
    *,
    least_gain: float = LEAST_GAIN,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Ablation:
    """Compute the figures for each number of rounds, over the responses that all numbers have."""
    averaged = partial(mean, resamples=resamples, seed=seed)
    numbers = sorted(results_by_rounds)
    common = sorted(set.intersection(*(set(results_by_rounds[number]) for number in numbers)))
    units = {number: [results_by_rounds[number][name].units for name in common] for number in numbers}
    decided = {
        number: [(each.supported + each.contradicted) / each.n if each.n else None for each in of_number]
        for number, of_number in units.items()
    }
    gains = [paired_difference(decided[before], decided[after], seed=seed) for before, after in pairwise(numbers)]
    ps = holm([gain.p for gain in gains])
    steps = []
    for number, gain, p in zip(numbers, (None, *gains), (None, *ps), strict=True):
        searches = [results_by_rounds[number][name].searches for name in common]
        steps.append(
            RoundFigures(
                rounds=number,
                decided=averaged(decided[number], most=1),
                precision=averaged((each.precision for each in units[number]), most=1),
                hallucination=averaged(each.hallucination(DEFAULT) for each in units[number]),
                searches=sum(searches) / len(searches) if searches else None,
                gain=gain,
                p=p,
            )
        )
    useful = [step.rounds for step in steps if step.gain and (step.gain.value or 0) >= least_gain - 1e-12]
    enough = max([numbers[0], *useful])
    return Ablation(
        steps=tuple(steps),
        least_gain=least_gain,
        enough=None if enough == numbers[-1] else enough,
        failed=sum(entry.units.failed for result in results_by_rounds.values() for entry in result.values()),
    )


def _round_result(report: Report) -> RoundResult:
    units = distinct_units(report).fields()
    entry = ResponseEntry(
        id=report.response.id, tier="all", model=report.response.model or "unknown", state="checked", **units
    )
    return RoundResult(entry, sum(query.ended is None for query in report.queries))


def rounds_result(gains: Ablation) -> Result:
    """Return all steps for any writer."""
    return result_of("Rounds of search", gains, _document, _figure_lines)


def _document(result: Ablation) -> tuple[Block, ...]:
    rows = (
        (
            str(step.rounds),
            percent_cell(step.decided.value),
            "" if step.gain is None or step.gain.value is None else points_cell(step.gain.value),
            "" if step.p is None else number_cell(step.p, 3),
            percent_cell(step.precision.value),
            number_cell(step.hallucination.value),
            number_cell(step.searches, 1),
        )
        for step in result.steps
    )
    heads = ("rounds", "decided", "gain", "p", "precision", "hallucination", "searches")
    return table_of(heads, rows, names=0), *notes(_notes(result))


def _figure_lines(result: Ablation) -> Iterator[FigureLine]:
    """Yield the figures of each step, whose `table` is the number of rounds."""
    for step in result.steps:
        means = {name: getattr(step, name) for name in ("decided", "precision", "hallucination", "searches")}
        gains = {"gain": step.gain, "gain_p": step.p} if step.gain else {}
        yield from lines_of(str(step.rounds), "", means | gains)


def _notes(result: Ablation) -> Iterator[str]:
    yield "Decided: the share of units that are supported or contradicted, a mean over responses, in percent."
    rounds, most = result.enough, result.steps[-1].rounds
    if rounds is None:
        yield f"Whether {many(most, 'round')} would do is not known: no more were tried."
    else:
        points = f"{100 * result.least_gain:g}"
        gain = f"{points} point{'' if points == '1' else 's'} or more"
        yield f"{many(rounds, 'round is', 'rounds are')} enough: no later step adds {gain}."
    if result.failed:
        yield f"{many(result.failed, 'unit that failed is', 'units that failed are')} in no figure."
