"""Checkers together, their predictions as a file, and every pair of them compared."""

from __future__ import annotations

import random
import resource
from pathlib import Path

import pytest

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    CheckerSide,
    EvaluationOptions,
    compare,
    ensembles,
    front,
    in_every_format,
    prediction_rows,
    read_predictions,
    write_predictions,
)
from factscope.core import UsageError
from factscope.core.records import Gold, Sample, Span, Usage

WANTED = EvaluationOptions(units="given", resamples=0)


def samples(n: int = 60) -> tuple[Sample, ...]:
    """Build texts of three sentences each, about a third of them wrong."""
    chance = random.Random(3)
    made = []
    for number in range(n):
        spans = [Span(start=4 * place, end=4 * place + 3) for place in range(3)]
        golds = [
            Gold(id=f"g{place}", level="segment", span=span, factual=chance.random() > 0.3)
            for place, span in enumerate(spans)
        ]
        made.append(Sample(id=f"s{number}", response="aaa bbb ccc", gold=tuple(golds)))
    return tuple(made)


def checker(name: str, found: tuple[Sample, ...], hits: float, alarms: float, seed: int) -> CheckerSide:
    """Build a checker that finds this share of errors and flags this share of true sentences."""
    chance = random.Random(seed)
    said = {
        one.id: [
            CheckerPrediction(flagged=chance.random() < (alarms if gold.factual else hits), gold=gold.id)
            for gold in one.gold
        ]
        for one in found
    }
    return CheckerSide(name=name, predictions=said)


@pytest.fixture(scope="module")
def data() -> LabelledData:
    return LabelledData("made", samples())


@pytest.fixture(scope="module")
def sides(data: LabelledData) -> list[CheckerSide]:
    rates = (("a", 0.8, 0.2), ("b", 0.75, 0.2), ("c", 0.7, 0.25), ("noise", 0.5, 0.5))
    return [checker(name, data.samples, hits, alarms, seed) for seed, (name, hits, alarms) in enumerate(rates)]


def test_ensembles_beat_the_best_checker_despite_a_noisy_one(data: LabelledData, sides: list[CheckerSide]) -> None:
    together = ensembles(data, sides, WANTED)
    assert [side.name for side in together] == ["majority", "weighted", "stacked"]
    result = compare(data, [*sides, *together], WANTED)
    f1 = {one.name: one.levels["segment"].overall.values["f1"] or 0 for one in result.checkers}
    assert f1["weighted"] > max(f1["a"], f1["b"], f1["c"], f1["noise"])
    assert f1["stacked"] > max(f1["a"], f1["b"], f1["c"], f1["noise"])
    assert any("cross-fitted over 5 parts" in note for note in together[1].notes)


def test_ensembles_do_not_count_as_checkers_in_the_agreement_of_all(
    data: LabelledData, sides: list[CheckerSide]
) -> None:
    """Their members count already, and two of them have learnt from people's labels."""
    alone, together = (compare(data, some, WANTED) for some in (sides, [*sides, *ensembles(data, sides, WANTED)]))
    assert alone.agreement == together.agreement
    value = f"{alone.agreement['segment']:.3f}"
    texts = [in_every_format(result).text("md") for result in (alone, together)]
    assert f"alpha of people and all checkers together: {value}" in texts[0]
    assert f"alpha of people and all checkers together, without the ensembles: {value}" in texts[1]


def test_nothing_is_learnt_from_the_units_that_are_judged(data: LabelledData, sides: list[CheckerSide]) -> None:
    """With random labels the ensembles do no better than chance; learnt on the same units they would seem to."""
    chance = random.Random(9)
    made = tuple(
        one.model_copy(
            update={"gold": tuple(gold.model_copy(update={"factual": chance.random() > 0.5}) for gold in one.gold)}
        )
        for one in data.samples
    )
    blind = LabelledData("blind", made)
    result = compare(blind, ensembles(blind, sides, WANTED), WANTED)
    for one in result.checkers:
        assert (one.levels["segment"].overall.values["balanced_accuracy"] or 0) < 0.6


def test_a_tie_counts_as_an_error_and_a_missing_answer_stays_missing(data: LabelledData) -> None:
    first, *_ = data.samples
    one = LabelledData("one", (first,))
    yes = CheckerSide(
        "yes", {first.id: [CheckerPrediction(flagged=True, gold="g0"), CheckerPrediction(flagged=None, gold="g1")]}
    )
    no = CheckerSide(
        "no", {first.id: [CheckerPrediction(flagged=False, gold="g0"), CheckerPrediction(flagged=None, gold="g1")]}
    )
    (majority,) = ensembles(one, [yes, no], WANTED)  # too few responses to learn from
    assert [said.flagged for said in majority.predictions[first.id]] == [True, None, None]
    with pytest.raises(UsageError, match="two checkers or more"):
        ensembles(one, [yes], WANTED)


def test_written_predictions_are_read_back_unchanged(
    data: LabelledData, sides: list[CheckerSide], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    assert write_predictions(path, data.samples, sides[0].predictions, "given") == 180
    again = read_predictions(path, data.samples, "unsupported")
    assert again.notes == ()
    first, second = (
        list(prediction_rows(data.samples, said, "given")) for said in (sides[0].predictions, dict(again.predictions))
    )
    assert first == second


def test_written_predictions_give_the_same_figures_including_auroc(
    data: LabelledData, sides: list[CheckerSide], tmp_path: Path
) -> None:
    combined = ensembles(data, sides, WANTED)
    for side in combined:
        write_predictions(tmp_path / side.name, data.samples, side.predictions, "given")
    again = [
        CheckerSide(side.name, read_predictions(tmp_path / side.name, data.samples, "unsupported").predictions)
        for side in combined
    ]
    before, after = (
        compare(data, some, WANTED._replace(units="given", resamples=0)).checkers for some in (combined, again)
    )
    assert [one.levels for one in before] == [one.levels for one in after]
    assert all(one.levels["segment"].overall.values["auroc"] for one in after), (
        "the order is known, if no probability is"
    )


def test_predictions_are_written_whole_or_not_at_all(data: LabelledData, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    side = checker("c", data.samples, 0.7, 0.2, 5)
    write_predictions(path, data.samples, side.predictions, "given")
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # a full disk, after a hundred bytes
    try:
        with pytest.raises(OSError, match="too large"):
            write_predictions(path, data.samples, {}, "given")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before


def test_every_pair_of_checkers_is_compared(data: LabelledData) -> None:
    many = [checker(f"c{seed}", data.samples[:12], 0.7, 0.2, seed) for seed in range(8)]
    result = compare(LabelledData("few", data.samples[:12]), many, WANTED._replace(levels=("segment",), resamples=20))
    assert len(result.pairings) == 8 * 7 // 2


def test_the_pareto_front_of_quality_and_cost_is_found() -> None:
    points = {"free": (0.0, 0.4), "dear": (2.0, 0.6), "worse": (1.0, 0.3), "unknown": (None, 0.9), "same": (3.0, 0.6)}
    assert front(points) == ("free", "dear")


def test_an_ensemble_costs_as_much_as_its_members_if_that_is_known(data: LabelledData) -> None:
    made = [
        checker(name, data.samples, hits, 0.1, seed)
        for name, hits, seed in (("a", 0.5, 1), ("b", 0.6, 2), ("c", 0.9, 3))
    ]
    price = Usage(role="judge", model="m", calls=1, cost=0.25)
    paid = [side._replace(run=side.name, usage=(price,)) for side in made[:2]]

    def front_of(*sides: CheckerSide) -> str:
        combined = ensembles(data, sides, WANTED)
        text = in_every_format(compare(data, [*sides, *combined], WANTED)).text("md")
        return next(line for line in text.splitlines() if line.startswith("Front of quality and cost"))

    assert "$0.5000)" in front_of(*paid)
    text = front_of(*paid, made[2])
    assert "$0.2500)" in text
    assert not any(name in text for name in ("c (", "majority", "weighted", "stacked")), "the cost of c is unknown"
