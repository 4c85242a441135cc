"""Several models that label the same units of the same responses, in place of one (a panel, see `methods.Panel`).

Units, searches and evidence are made once, by the other models of the method, so that nothing but the labellers
differs. Their labels become one by majority. An arbiter is asked only about units on which they disagree. FactBench
labels with one model; its reviews ask for at least two, for their agreement, and for a rule where they disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from pydantic import Field

from factscope.benchmarks.factbench.tiers import FactBenchSettings, ResponseEntry, plain_scores
from factscope.benchmarks.factbench.units import UnitCounts, distinct_units
from factscope.core import Claim, Interval, Judgement, Record, Report, UsageError, group_by
from factscope.core.labels import Outcome as Ending
from factscope.methods import Judge, Method, Panel
from factscope.scoring import RESAMPLES, Proportion, agreement, proportion, ranked
from factscope.scoring.verdicts.claim_verdict import by_judge, claim_verdict

_ROLE = "labeller_"
ARBITER = "arbiter"
"""Role of the model that decides where labellers disagree."""


LABELS = ("supported", "contradicted", "undecided")
"""Labels that a labeller may give; units without evidence are undecided."""


class UnitLabels(NamedTuple):
    """One unit."""

    response: str
    """The response that it is from: units of one response are not independent."""
    labels: tuple[str | None, ...]
    """Label of each labeller, in their order; `None` where one gave none."""
    ensemble: str | None
    """Their common label; `None` when there is none."""


class PairAgreement(Record):
    """Two labellers on the units that both labelled."""

    first: str
    second: str
    n: int = Field(ge=0)
    raw: float | None
    """Share of units with the same label."""
    raw_interval: Interval | None
    """Bootstrap over responses, as all intervals here."""
    kappa: float | None
    """Cohen's."""
    kappa_interval: Interval | None


class Labellers(Record):
    """All labellers."""

    names: tuple[str, ...]
    n: int = Field(ge=0)
    """Units with a label of one labeller at least."""
    pairs: tuple[PairAgreement, ...]
    alpha: float | None
    """Krippendorff's alpha of all labellers, nominal."""
    alpha_interval: Interval | None
    disagreements: Proportion
    """Units labelled by at least two on which they disagree; only these go to an arbiter."""
    settled: Proportion
    """Of these, units on which the ensemble still reaches supported or contradicted."""
    with_ensemble: tuple[Proportion, ...]
    """Share of units on which each labeller agrees with the ensemble."""


def compare_labellers(
    names: Sequence[str], units: Sequence[UnitLabels], *, resamples: int = RESAMPLES, seed: int = 0
) -> Labellers:
    """Measure the agreement of labellers; each unit has one place for each of `names`."""
    measured = partial(agreement.measure_agreement, resamples=resamples, seed=seed)
    labelled = [unit for unit in units if any(unit.labels)]
    with_several = [unit for unit in labelled if sum(label is not None for label in unit.labels) > 1]
    disagreeing = [unit for unit in with_several if len({label for label in unit.labels if label}) > 1]
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        both = [unit._replace(labels=(unit.labels[a], unit.labels[b])) for unit in labelled]
        both = [unit for unit in both if all(unit.labels)]
        raw, raw_interval = measured(_by_response(both), agreement.crossed, agreement.raw_of)
        kappa, kappa_interval = measured(_by_response(both), agreement.crossed, agreement.kappa_of)
        pairs.append(
            PairAgreement(
                first=names[a],
                second=names[b],
                n=len(both),
                raw=raw,
                raw_interval=raw_interval,
                kappa=kappa,
                kappa_interval=kappa_interval,
            )
        )
    alpha, alpha_interval = measured(_by_response(with_several), agreement.coincidences, agreement.alpha_of)
    return Labellers(
        names=tuple(names),
        n=len(labelled),
        pairs=tuple(pairs),
        alpha=alpha,
        alpha_interval=alpha_interval,
        disagreements=proportion(len(disagreeing), len(with_several)),
        settled=proportion(sum(unit.ensemble in LABELS[:2] for unit in disagreeing), len(disagreeing)),
        with_ensemble=tuple(_share_with_ensemble(labelled, index) for index in range(len(names))),
    )


def _share_with_ensemble(units: Sequence[UnitLabels], index: int) -> Proportion:
    both = [unit for unit in units if unit.labels[index] and unit.ensemble]
    return proportion(sum(unit.labels[index] == unit.ensemble for unit in both), len(both))


def _by_response(units: Sequence[UnitLabels]) -> list[list[tuple[str | None, ...]]]:
    """Return the labels of the units of each response, the responses in the order of their names."""
    groups = group_by(units, lambda unit: unit.response)
    return [[unit.labels for unit in groups[response]] for response in sorted(groups)]


class SingleLabeller(Record):
    """Scores of a model in a tier, if only this labeller had labelled."""

    labeller: str
    tier: str
    model: str
    precision: float | None
    hallucination: float | None
    rank: int


class Backbones(Record):
    """Effect of the choice of labeller."""

    agreement: Labellers
    alone: tuple[SingleLabeller, ...]
    tau: dict[str, dict[str, float | None]]
    """By labeller and tier: Kendall's tau-b of the precisions by this labeller alone with those of the ensemble."""


def role(number: int) -> str:
    """Return the role of a labeller, from 1."""
    return f"{_ROLE}{number}"


def with_labellers(method: Method, n: int, *, arbiter: bool = False) -> Method:
    """Return the method with `n` labellers (roles `labeller_1` …) in place of its judge, and perhaps an arbiter.

    Raises UsageError for fewer than two, and for a method whose judge is not a single model.
    """
    if n < 2:
        raise UsageError(
            "A single labeller has nobody to agree with.", "Repeat --labeller, or use --judge judge=… for one."
        )
    if not isinstance(method.judge, Judge):
        raise UsageError(
            f"Method {method.name} has no single model that labels.", "Labellers take the place of one: try verify."
        )
    judges = tuple(method.judge.model_copy(update={"role": role(number)}) for number in range(1, n + 1))
    last = method.judge.model_copy(update={"role": ARBITER}) if arbiter else None
    return method.model_copy(update={"judge": Panel(judges=judges, arbiter=last)})


class Ballots:
    """The labels of all labellers, taken from reports one by one."""

    def __init__(self, method: Method) -> None:
        self._rules = method.roll_up
        self._arbiter = _arbiter_mark(method)
        self._models: dict[str, str] = {}
        """By role."""
        self._units: list[tuple[str, Mapping[str, Ending], Ending | None]] = []
        self._counts: dict[str, dict[str, UnitCounts]] = {}
        """Of each response, by labeller: how its units ended."""

    def take(self, report: Report) -> None:
        """Note the label of each labeller for each claim of a report."""
        self._models.update(report.models)
        of_claim = group_by(report.judgements, lambda judgement: judgement.unit_id)
        together = {verdict.unit_id: verdict.outcome for verdict in report.verdicts if verdict.level == "claim"}
        single: dict[str, dict[str, Ending]] = {}
        ballots = {claim.id: self._outcomes(claim, of_claim[claim.id]) for claim in report.claims}
        names = {name for ballot in ballots.values() for name in ballot}
        for claim_id, votes in ballots.items():
            if votes:
                self._units.append((report.response.id, votes, together.get(claim_id)))
                for name in names:
                    single.setdefault(name, {})[claim_id] = votes.get(name, "failed")
        self._counts[report.response.id] = {name: distinct_units(report, ends) for name, ends in single.items()}

    def _outcomes(self, claim: Claim, judgements: Sequence[Judgement]) -> dict[str, Ending]:
        """Return each labeller's outcome for a claim."""
        return {
            name: claim_verdict(claim, own_judgements, (), self._rules).outcome
            for name, own_judgements in by_judge(judgements).items()
            if self._arbiter is None or not name.endswith(self._arbiter)
        }

    def summary(
        self,
        entries: Sequence[ResponseEntry],
        models: Sequence[str],
        tiers: Sequence[str],
        settings: FactBenchSettings,
    ) -> Backbones | None:
        """Summarise the labellers; `None` when nothing was labelled."""
        voted = {name for _, votes, _ in self._units for name in votes}
        labelled = {name.rpartition(" as ")[2] for name in voted}
        silent = {role for role in self._models if role.startswith(_ROLE) and role not in labelled}
        names = sorted(voted | {f"{self._models[role]} as {role}" for role in silent}, key=_sort_key)
        if len(names) < 2:
            return None
        units = [
            UnitLabels(response, tuple(_label(votes.get(name)) for name in names), _label(ensemble))
            for response, votes, ensemble in sorted(self._units, key=lambda unit: unit[0])  # and not as they came
        ]
        compared = compare_labellers(names, units, resamples=settings.resamples, seed=settings.seed)
        singles: list[SingleLabeller] = []
        taus: dict[str, dict[str, float | None]] = {name: {} for name in names}
        for tier in tiers:
            in_tier = [entry for entry in entries if entry.tier == tier]
            together = _scores_by_model(in_tier, models, settings)
            for name in names:
                own_entries = [self._as_if(name, entry) for entry in in_tier]
                scores = _scores_by_model(own_entries, models, settings)
                precise = {model: precision for model, (precision, _) in scores.items()}
                ranks = ranked(precise)
                taus[name][tier] = _tau(precise, {model: precision for model, (precision, _) in together.items()})
                singles += [
                    SingleLabeller(
                        labeller=name, tier=tier, model=model, precision=p, hallucination=h, rank=ranks[model]
                    )
                    for model, (p, h) in scores.items()
                ]
        return Backbones(agreement=compared, alone=tuple(singles), tau=taus)

    def _as_if(self, labeller: str, entry: ResponseEntry) -> ResponseEntry:
        """Return the entry as if only this labeller had labelled: missing where it gave no label but others did."""
        counts = self._counts.get(f"{entry.id}/{entry.model}")
        if not counts:
            return entry
        return entry.model_copy(update=counts[labeller].fields()) if labeller in counts else entry.without_units()


def _scores_by_model(
    entries: Sequence[ResponseEntry], models: Sequence[str], settings: FactBenchSettings
) -> dict[str, tuple[float | None, float | None]]:
    """Return the mean factual precision and hallucination score of each model, if the tables have them."""
    covered = [entry for entry in entries if entry.coverage >= settings.least_coverage]
    by_model = group_by(covered, lambda entry: entry.model)
    return {model: plain_scores(by_model[model], settings.alpha) for model in models}


def _arbiter_mark(method: Method) -> str | None:
    """Return the suffix of the arbiter's name in judgements; `None` when there is none."""
    judge = method.judge.arbiter if isinstance(method.judge, Panel) else None
    return f" as {judge.role}" if isinstance(judge, Judge) else None


def _sort_key(name: str) -> tuple[str, ...]:
    """Sort key of labellers: by their role."""
    model, _, number = name.rpartition(" as ")
    return number, model


def _tau(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> float | None:
    pairs = [(a, b) for model, a in first.items() if a is not None and (b := second.get(model)) is not None]
    return agreement.kendall_tau([a for a, _ in pairs], [b for _, b in pairs])


def _label(outcome: Ending | None) -> str | None:
    if outcome in ("undecided", "no_evidence"):
        return "undecided"
    return outcome if outcome in ("supported", "contradicted") else None
