"""Two runs over the same responses, compared: which verdicts changed, and whether the scores differ beyond chance.

The runs may differ in anything: method, model, evidence, version. A run is a mapping from the id of a response to its
report, so that a large one can be read from disk report by report: of each pair only its counts, its scores and its
changed verdicts are kept.

The same unit in both reports of a response is, in this order: one with the same words in the same segment; one with the
same words elsewhere; one at the same place of the response, where neither run has another unit at just that place. Ids
are not compared, because two methods split a text differently.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import JsonValue

from factscope.core import OUTCOMES, InputError, Outcome, UsageError, __version__
from factscope.core.records import Report, Span, Verdict
from factscope.methods import Measure
from factscope.scoring.counts import count_response
from factscope.scoring.measure_registry import find, least_coverage, withheld_below
from factscope.scoring.paired_tests import finding, holm, mcnemar, paired_difference, sign_flip
from factscope.scoring.run_changes import (
    RunComparison,
    RunSide,
    ScoreChange,
    SettingChange,
    SupportChange,
    VerdictChange,
)
from factscope.scoring.summary import differing

MOST_CHANGES = 1_000
"""Changed verdicts that are listed; all are counted."""

_COVERAGE_GAP = 0.05  # a larger difference in coverage is noted: the runs judged different units
_JUDGED: tuple[Outcome, ...] = ("supported", "contradicted", "undecided", "no_evidence")

LeftOutCounts = Mapping[str | None, int]
"""Numbers of rows that a run left out, by model."""


class _ComparedUnit(NamedTuple):
    """A unit of one report, in a form that can be found in another."""

    text: str
    words: str
    """`text` normalised for comparison: without differences in white space or a final full stop."""
    segment: Span
    span: Span | None
    verdict: Verdict


@dataclass
class _RunSummary:
    """Summary of one run."""

    method: dict[str, JsonValue] | None = None
    settings: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    judged: int = 0
    to_judge: int = 0
    n_units_alone: int = 0
    values: list[tuple[float | None, ...]] = field(default_factory=list)
    """One row per compared response, one value per measure."""

    def add(self, report: Report, measures: Sequence[Measure]) -> None:
        """Add a report of the run. Raises UsageError for one of another method."""
        if self.method is not None and self.method != report.method:
            raise UsageError(
                f"Reports of different methods are not one run: {differing(self.method, report.method)}.",
                "Compare each separately.",
            )
        self.method = dict(report.method)
        counted = count_response(report)
        self.judged += counted.judged
        self.to_judge += counted.to_judge
        least = least_coverage(report.method)
        self.values.append(tuple(withheld_below(least, *find(name), counted).value for name in measures))
        for name, value in _settings(report):
            self.settings[name].add(value)

    @property
    def coverage(self) -> float | None:
        """Share of units that were judged; `None` without any."""
        return self.judged / self.to_judge if self.to_judge else None


@dataclass
class _PairedUnits:
    """Units that both runs have."""

    most_changes: int
    transitions: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)
    changes: list[VerdictChange] = field(default_factory=list)
    gains: list[int] = field(default_factory=list)
    """Number of supported units gained minus lost, for each response with units that both runs judged."""

    def add(self, response_id: str, pairs: Sequence[tuple[_ComparedUnit, _ComparedUnit]]) -> None:
        """Add the paired units of a response."""
        ended = [(first.verdict.outcome, second.verdict.outcome) for first, second in pairs]
        self.transitions.update(ended)
        judged = [(a == "supported", b == "supported") for a, b in ended if a in _JUDGED and b in _JUDGED]
        if judged:
            self.gains.append(sum(b - a for a, b in judged))
        for first, second in pairs:
            if first.verdict.outcome != second.verdict.outcome and len(self.changes) < self.most_changes:
                self.changes.append(_change(response_id, first, second))


def compare(
    first: Mapping[str, Report],
    second: Mapping[str, Report],
    measures: Iterable[Measure | str] | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    left_out: tuple[LeftOutCounts, LeftOutCounts] = ({}, {}),
    most_changes: int = MOST_CHANGES,
    seed: int = 0,
) -> RunComparison:
    """Compare two runs, given as reports by the id of their response; each report of both is fetched once.

    `left_out` has the number of rows that each run could not check, by model, `None` where that is not known: they are
    in no report. `measures` are by default those that both methods name. A response counts in a score only where both
    runs have a value. A response whose report raises InputError is counted and left out. Raises UsageError when the
    reports of one run were made by different methods, and as `find` does.
    """
    requested = None if measures is None else _each_once(measures)
    others = set(second)
    shared = [name for name in first if name in others]
    runs, observed = (_RunSummary(), _RunSummary()), _PairedUnits(most_changes)
    n_other_text, unreadable = 0, []
    for name in shared:
        try:
            reports = first[name], second[name]
            if reports[0].response.text != reports[1].response.text:
                n_other_text += 1
                continue
            cut = _units(reports[0]), _units(reports[1])
        except InputError as error:
            unreadable.append(f"{name}: {error.message}")
            continue
        requested = _common(*reports) if requested is None else requested
        pairs = _matched(*cut)
        observed.add(name, pairs)
        for run, report, individual in zip(runs, reports, cut, strict=True):
            run.add(report, requested)
            run.n_units_alone += len(individual) - len(pairs)
    scores = _scores(requested or (), runs, seed)
    n_changed = sum(n for (a, b), n in observed.transitions.items() if a != b)
    return RunComparison(
        first=_side(runs[0], names[0], first, shared, left_out[0]),
        second=_side(runs[1], names[1], second, shared, left_out[1]),
        n_compared=len(runs[0].values),
        n_other_text=n_other_text,
        n_unreadable=len(unreadable),
        settings=_differing(*runs),
        scores=scores,
        support=_support(observed, seed),
        n_units=observed.transitions.total(),
        transitions={a: {b: observed.transitions[a, b] for b in OUTCOMES} for a in OUTCOMES},
        n_changed=n_changed,
        changes=tuple(observed.changes),
        notes=tuple(_notes(runs, scores, unreadable)),
        seed=seed,
        factscope=__version__,
    )


def _each_once(measures: Iterable[Measure | str]) -> tuple[Measure, ...]:
    return tuple(dict.fromkeys(find(measure)[1] for measure in measures))


def _common(first: Report, second: Report) -> tuple[Measure, ...]:
    """Return the measures that both methods name, in the order of the first."""
    scores = (report.method.get("scores") for report in (first, second))
    selected, other = (_each_once(map(str, names)) if isinstance(names, list | tuple) else () for names in scores)
    return tuple(measure for measure in selected if measure in other)


def _units(report: Report) -> list[_ComparedUnit]:
    """Return the units in order of their ids. Raises InputError when a claim belongs to no segment."""
    verdicts = {verdict.unit_id: verdict for verdict in report.verdicts if verdict.level != "response"}
    segments = {segment.id: segment for segment in report.segments}
    claims = {claim.id: claim for claim in report.claims}
    results = []
    for name in report.unit_ids():
        claim = claims.get(name)
        segment = segments.get(claim.segment_id if claim else name)
        if segment is None:
            raise InputError(f"The report is broken: claim {name} belongs to no segment that it holds.")
        text = claim.standalone if claim else segment.text
        span = claim.span if claim else segment.span
        results.append(_ComparedUnit(text, " ".join(text.split()).rstrip("."), segment.span, span, verdicts[name]))
    return results


def _matched(
    first: Sequence[_ComparedUnit], second: Sequence[_ComparedUnit]
) -> list[tuple[_ComparedUnit, _ComparedUnit]]:
    """Return the units that are the same, in the order of the first run; each is in one pair at most."""
    partner: dict[int, int] = {}
    single = [{index for index, n in Counter(unit.span for unit in run).items() if n == 1} for run in (first, second)]
    positions = single[0] & single[1] - {None}
    keys: tuple[Callable[[_ComparedUnit], object], ...] = (
        lambda unit: (unit.segment, unit.words),
        lambda unit: unit.words,
        lambda unit: unit.span if unit.span in positions else None,
    )
    for key in keys:
        used = set(partner.values())
        waiting: dict[object, deque[int]] = defaultdict(deque)
        for j, unit in enumerate(second):
            if j not in used:
                waiting[key(unit)].append(j)
        for i, unit in enumerate(first):
            if i not in partner and key(unit) is not None and waiting[key(unit)]:
                partner[i] = waiting[key(unit)].popleft()
    return [(first[i], second[partner[i]]) for i in sorted(partner)]


def _change(response_id: str, first: _ComparedUnit, second: _ComparedUnit) -> VerdictChange:
    return VerdictChange(
        response_id=response_id,
        text=first.text,
        second_text=None if first.words == second.words else second.text,
        first_id=first.verdict.unit_id,
        first=first.verdict.outcome,
        first_reason=first.verdict.reason,
        second_id=second.verdict.unit_id,
        second=second.verdict.outcome,
        second_reason=second.verdict.reason,
    )


def _side(
    run: _RunSummary, name: str, reports: Mapping[str, Report], shared: Sequence[str], left_out: LeftOutCounts
) -> RunSide:
    return RunSide(
        name=name,
        n_responses=len(reports),
        n_alone=len(reports) - len(shared),
        n_units_alone=run.n_units_alone,
        coverage=run.coverage,
        n_left_out=sum(left_out.values()),
        left_out_by_model={model: n for model, n in left_out.items() if model is not None},
    )


def _scores(measures: Sequence[Measure], runs: tuple[_RunSummary, _RunSummary], seed: int) -> tuple[ScoreChange, ...]:
    results = [
        paired_difference(*([row[i] for row in run.values] for run in runs), seed=seed) for i in range(len(measures))
    ]
    n_tested = sum(result.p is not None for result in results)
    changes = []
    for measure, item, p in zip(measures, results, holm([result.p for result in results]), strict=True):
        result = finding(p, item.n, n_tested)
        sentence = find(measure)[0].sentence
        changes.append(ScoreChange(**dict(item), name=str(measure), sentence=sentence, p_adjusted=p, finding=result))
    return tuple(changes)


def _support(pairs: _PairedUnits, seed: int) -> SupportChange:
    counted: Counter[tuple[bool, bool]] = Counter()
    for (a, b), n in pairs.transitions.items():
        if a in _JUDGED and b in _JUDGED:
            counted[a == "supported", b == "supported"] += n
    gained, lost = counted[False, True], counted[True, False]
    p = sign_flip(pairs.gains, seed=seed)
    return SupportChange(
        n=counted.total(),
        n_responses=len(pairs.gains),
        first=counted[True, True] + lost,
        second=counted[True, True] + gained,
        gained=gained,
        lost=lost,
        p_mcnemar=mcnemar(gained, lost),
        p=p,
        finding=finding(p, len(pairs.gains)),
    )


def _settings(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the settings of a report, besides its method."""
    for judge in {judgement.judge for judgement in report.judgements}:
        yield "judge", judge
    for usage in report.usage:
        yield f"model for {usage.role}", usage.model
    if report.searched:
        yield "evidence", report.searched.id
    if report.response.model:
        yield "model that wrote the response", report.response.model
    if ruled_out := {name: names for name, names in report.excluded if names}:
        yield "excluded", _plain(ruled_out)
    yield "factscope", report.factscope


def _flat(values: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the nested settings one by one, with dotted names."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}.{key}")
        else:
            yield f"{prefix}.{key}", value if isinstance(value, str) else _plain(value)


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _differing(first: _RunSummary, second: _RunSummary) -> tuple[SettingChange, ...]:
    selected, other = (
        {**{name: {value} for name, value in _flat(run.method or {}, "method")}, **run.settings}
        for run in (first, second)
    )
    return tuple(
        SettingChange(name=name, first=_joined(selected.get(name)), second=_joined(other.get(name)))
        for name in [*selected, *(name for name in other if name not in selected)]
        if selected.get(name) != other.get(name)
    )


def _joined(values: set[str] | None) -> str:
    distinct = sorted(values or ())
    return " + ".join(distinct) or "none" if len(distinct) <= 3 else f"{len(distinct)} different ones"


def _notes(
    runs: tuple[_RunSummary, _RunSummary], scores: Sequence[ScoreChange], unreadable: Sequence[str]
) -> Iterator[str]:
    if not runs[0].values:
        yield "Nothing could be compared: no response is in both runs with the same text."
    elif not scores:
        yield "No score is compared: the two methods have none in common. Name the measures to compare."
    first, second = runs[0].coverage, runs[1].coverage
    if first is not None and second is not None and abs(first - second) > _COVERAGE_GAP + 1e-9:
        yield (
            f"Coverage differs by {abs(first - second) * 100:.0f} points: a difference may come from what failed, "
            "not from what was judged."
        )
    if unreadable:
        yield f"{len(unreadable)} of the reports could not be read, the first of them: {unreadable[0]}"
