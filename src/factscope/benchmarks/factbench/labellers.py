"""Several models that label the same units of the same responses, in place of one (a panel, see `methods.Panel`).

Units, searches and evidence are made once, by the other models of the method, so that nothing but the labellers
differs. Their labels become one by majority. An arbiter is asked only about units on which they disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factscope.benchmarks.factbench.labeller_agreement import Labellers, UnitLabels, compare_labellers
from factscope.benchmarks.factbench.tiers import FactBenchSettings, ResponseEntry, plain_scores
from factscope.benchmarks.factbench.units import UnitCounts, distinct_units
from factscope.core.errors import UsageError
from factscope.core.grouping import group_by
from factscope.core.labels import Outcome as Ending
from factscope.core.records import Claim, Judgement, Record, Report
from factscope.methods import Judge, Method, Panel
from factscope.scoring.agreement import kendall_tau
from factscope.scoring.means import ranked
from factscope.scoring.verdicts.claim_verdict import by_judge, claim_verdict

_ROLE = "labeller_"
ARBITER = "arbiter"
"""Role of the model that decides where labellers disagree."""


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
        agreement = compare_labellers(names, units, resamples=settings.resamples, seed=settings.seed)
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
        return Backbones(agreement=agreement, alone=tuple(singles), tau=taus)

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
    return kendall_tau([a for a, _ in pairs], [b for _, b in pairs])


def _label(outcome: Ending | None) -> str | None:
    if outcome in ("undecided", "no_evidence"):
        return "undecided"
    return outcome if outcome in ("supported", "contradicted") else None
