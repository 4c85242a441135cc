"""FactBench's leaderboard: means over responses within tiers, ranks, refusals and alpha; and the published figures."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.factbench import (
    OVERALL,
    FactBenchSettings,
    Labels,
    RefusalType,
    ResponseEntry,
    Tier,
    TierRow,
    TierTable,
    leaderboard,
    refusal_mix,
)
from factscope.scoring import ranked

GOLDEN = Path(__file__).parents[3] / "src" / "factscope" / "benchmarks" / "papers" / "published"
TIERS = ("Hard", "Moderate", "Easy")


def table(name: str) -> list[dict[str, Any]]:
    with (GOLDEN / f"factbench_{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def entry(name: str, model: str = "m", tier: str = "Hard", **more: Any) -> ResponseEntry:
    return ResponseEntry(id=name, tier=tier, model=model, **{"state": "checked", "words": 10, **more})


def board(
    *entries: ResponseEntry, wrong: Mapping[tuple[str, str], Sequence[bool]] | None = None, **more: Any
) -> TierTable:
    models = list(dict.fromkeys(one.model for one in entries))
    tiers = [name for name in TIERS if any(one.tier == name for one in entries)]
    labels = [Labels(model=model, tier=tier, wrong=tuple(some)) for (model, tier), some in (wrong or {}).items()]
    return leaderboard(entries, models, tiers, FactBenchSettings(**{"resamples": 50, **more}), labels)


def only(found: TierTable) -> TierRow:
    ((row,),) = [tier.rows for tier in found.tiers]
    return row


def test_the_means_of_the_21_published_rows_give_their_ranks() -> None:
    rows = table("leaderboard")
    assert len(rows) == 21
    for tier, some in groupby(rows, key=lambda row: row["tier_name"]):
        group = list(some)
        ranks = ranked({row["model"]: float(row["factual_precision_pct"]) for row in group})
        assert ranks == {row["model"]: int(row["rank"]) for row in group}, tier
    by_h = {
        tier: ranked({r["model"]: -float(r["hallucination_score"]) for r in rows if r["tier_name"] == tier})
        for tier in TIERS
    }
    assert by_h["Hard"]["Claude-3.5-Sonnet"] < by_h["Hard"]["Mistral-Large-2"]  # H gives another order


def test_the_hallucination_score_follows_equation_1() -> None:
    row = only(board(entry("p", supported=19, contradicted=1, undecided=4)))
    assert row.hallucination.value == pytest.approx(3 / sqrt(24))
    assert round(row.hallucination.value or 0, 4) == 0.6124
    assert row.precision.value == pytest.approx(19 / 24)


def test_published_scores_are_means_over_responses_and_not_of_pooled_counts() -> None:
    """The published mean counts give an H 3 to 9 % too high, and a precision up to two points off (trap 1)."""
    for row in table("leaderboard"):
        n, undecided, wrong = (float(row[f"avg_{name}"]) for name in ("units", "undecidable", "unsupported"))
        pooled = only(
            board(
                entry(
                    "p",
                    supported=round(100 * (n - undecided - wrong)),
                    contradicted=round(100 * wrong),
                    undecided=round(100 * undecided),
                )
            )
        )
        ratio = (pooled.hallucination.value or 0) / 10 / float(row["hallucination_score"])
        assert 1.0 < ratio < 1.12
        assert abs(100 * (pooled.precision.value or 0) - float(row["factual_precision_pct"])) < 2.1
    one, two = entry("a", supported=1), entry("b", supported=10, contradicted=10)
    assert only(board(one, two)).precision.value == 0.75
    assert (1 + 10) / (1 + 20) != 0.75


def test_the_alpha_study_has_57_percent_factual_units() -> None:
    models = [row for row in table("alpha_study") if row["model"] != "Average"]
    (average,) = [row for row in table("alpha_study") if row["model"] == "Average"]
    for column in ("factual_pct", "not_factual_pct"):
        assert round(sum(float(row[column]) for row in models) / 4, 1) == float(average[column])
    assert (average["factual_pct"], average["not_factual_pct"]) == ("57.0", "43.0")
    wrong = {
        (row["model"], "Hard"): [True] * round(10 * float(row["not_factual_pct"]))
        + [False] * round(10 * float(row["factual_pct"]))
        for row in models
    }
    found = board(*(entry("p", row["model"], undecided=4) for row in models), wrong=wrong)
    assert found.alpha_by_model[0].value == pytest.approx(0.43, abs=0.001)
    alphas = {row.model: row.alpha.value if row.alpha else 0 for row in found.tiers[0].rows}
    assert min(alphas, key=alphas.__getitem__) == "GPT4-o"
    for row in found.tiers[0].rows:
        assert row.hallucination_own_alpha is not None
        assert row.hallucination_own_alpha.value == pytest.approx(2 * alphas[row.model])


def test_refusal_figures_match_the_published_tables() -> None:
    slugs = {"Misinformation Risks": 2, "Ethical and Legal Advice": 5, "Safety Concerns": 1}
    rows = table("refusals_misclassified")
    by_tier: dict[str, list[RefusalType]] = {}
    for row in rows:
        wrongly, n = int(row["misclassified"]), int(row["refusals"])
        some = [RefusalType(True, slugs[row["category"]], k >= wrongly) for k in range(n)]
        by_tier.setdefault(row["tier"], []).extend(some)
    totals = {row["tier"]: int(row["total"]) for row in table("refusals_by_tier")}
    assert {tier: len(some) for tier, some in by_tier.items()} == totals == {"Hard": 28, "Moderate": 12, "Easy": 1}
    pooled = refusal_mix([one for some in by_tier.values() for one in some], 985)
    assert (pooled.unjustified.k, pooled.unjustified.n) == (25, 41)
    assert round(100 * (pooled.unjustified.value or 0)) == 61
    shares = {word: (one.k, one.n) for word, one in pooled.unjustified_by_category.items()}
    assert shares == {"ethical and legal advice": (9, 12), "misinformation": (12, 20), "safety": (4, 9)}
    moderate = refusal_mix(by_tier["Moderate"], 335).unjustified_by_category
    worst = max(moderate, key=lambda word: moderate[word].value or 0)
    assert worst == "safety"  # the authors' statement on ethical advice "across all tiers" holds only for the pool


def test_tier_counts_match_the_composition_of_both_versions() -> None:
    rows = table("composition")
    first, later = ([row for row in rows if row["version"].startswith(name)] for name in ("ICLR", "ACL"))
    assert [(row["tier"], float(row["share_pct"])) for row in first] == [("Hard", 53), ("Moderate", 34), ("Easy", 13)]
    counts = {row["tier"]: int(row["n_prompts"]) for row in later}
    entries = [entry(f"{tier}-{k}", tier=tier, supported=1) for tier, n in counts.items() for k in range(n)]
    found = {tier.name: tier.n_prompts for tier in board(*entries).tiers}
    assert found == counts
    assert sum(found.values()) == 1000
    assert [round(n / 10, 1) for n in found.values()] == [float(row["share_pct"]) for row in later]


def test_a_response_without_units_is_excluded_from_every_mean() -> None:
    row = only(board(entry("a", supported=1), entry("b"), entry("c", state="no_answer"), entry("d", state="missing")))
    assert (row.precision.value, row.precision.n) == (1.0, 1)
    assert (row.n_without_units, row.n_no_answer, row.n_missing) == (1, 1, 1)
    assert row.refusals_as_zero.value == 0.5  # an empty answer counts as zero; a missing one doesn't count


def test_refusals_are_excluded_and_counted_as_zero() -> None:
    refusal = entry("b", undecided=1, refusal=True, category=5, justified=False)
    row = only(board(entry("a", supported=1, refusal=False), refusal, entry("c", state="withheld")))
    assert row.precision.value == 0.5
    assert row.without_refusals.value == 1.0
    assert row.refusals_as_zero.value == pytest.approx(1 / 3)
    assert (row.refusals.rate.k, row.refusals.rate.n) == (2, 3)
    assert row.refusals.by_category == {"ethical and legal advice": 1, "untyped": 1}
    assert (row.refusals.unjustified.k, row.refusals.unjustified.n) == (1, 1)


def test_refusal_shares_count_known_responses_even_where_a_check_failed() -> None:
    unchecked = entry("a", failed=3, refusal=True, category=1)
    row = only(board(unchecked, entry("b", supported=1, refusal=False), entry("c", supported=1)))
    assert (row.refusals.rate.k, row.refusals.rate.n, row.n_missing) == (1, 2, 1), "of the third it is not known"
    assert only(board(unchecked)).refusals.rate.value == 1.0


def test_means_equal_as_fractions_share_their_rank() -> None:
    """(1/10 + 2/10) / 2 and (3/10 + 0/10) / 2 differ in the last digit of a float."""
    tenths = {"a": (1, 2), "b": (3, 0), "c": (0, 0)}
    some = [
        entry(f"p{k}", model, supported=n, contradicted=10 - n)
        for model, ns in tenths.items()
        for k, n in enumerate(ns)
    ]
    assert [(row.model, row.rank, row.tied) for row in board(*some).tiers[0].rows] == [
        ("a", 1, True),
        ("b", 1, True),
        ("c", 3, False),
    ]


def test_ranks_are_per_tier_and_state_their_range_of_uncertainty() -> None:
    hard = [
        entry(f"h{k}", model, supported=n, contradicted=4 - n) for model, n in (("a", 4), ("b", 3)) for k in range(12)
    ]
    easy = [entry(f"e{k}", model, "Easy", supported=2, contradicted=k % 2) for model in "ab" for k in range(12)]
    found = board(*hard, *easy)
    assert [tier.name for tier in found.tiers] == ["Hard", "Easy"]
    assert [(row.model, row.rank, row.best, row.worst) for row in found.tiers[0].rows] == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
    ]
    assert [(row.rank, row.tied, row.best, row.worst) for row in found.tiers[1].rows] == [
        (1, True, 1, 2),
        (1, True, 1, 2),
    ]
    assert [one.finding for tier in found.tiers for one in tier.compared] == ["differs", "no_difference"]
    assert board(*hard, overall=True).tiers[-1].name == OVERALL


def test_models_without_a_score_leave_the_ranks_and_tests_of_the_others_alone() -> None:
    """One that only refuses has no units, so nothing of it is tested, and nobody can really rank behind it."""
    some = [
        entry(f"h{k}", model, supported=n, contradicted=4 - n) for model, n in (("a", 4), ("b", 3)) for k in range(6)
    ]
    mute = [entry(f"h{k}", model, refusal=True) for model in ("mute", "dumb") for k in range(6)]
    (alone,), (found,) = board(*some).tiers, board(*some, *mute).tiers
    assert [(row.model, row.rank, row.tied, row.best, row.worst) for row in found.rows] == [
        ("a", 1, False, 1, 1),
        ("b", 2, False, 2, 2),
        ("mute", 3, True, 3, 4),
        ("dumb", 3, True, 3, 4),
    ]
    pairs = {(pair.first, pair.second): pair for pair in found.compared}
    assert pairs["a", "b"] == alone.compared[0]
    assert alone.compared[0].p == pytest.approx(2 / 2**6)
    assert alone.compared[0].finding == "differs"
    assert {(pair.p, pair.finding) for names, pair in pairs.items() if names != ("a", "b")} == {(None, "too_few")}


def test_alpha_moves_the_order_where_undecided_units_decide() -> None:
    wrong, vague = entry("p", "wrong", supported=2, contradicted=1, undecided=1), entry("p", "vague", undecided=4)
    (tier,) = board(wrong, vague).tiers
    assert tier.sensitivity is not None
    assert [point.tau for point in tier.sensitivity.curve if point.alpha in (0.0, 1.0)] == [-1.0, 1.0]
    assert tier.sensitivity.stable_from == pytest.approx(1 / 3)
    assert tier.sensitivity.stable_to == 1.0
    assert tier.sensitivity.reference == 0.5


def test_the_overlap_of_the_hardest_prompts_is_computed_for_another_alpha() -> None:
    some = [
        entry("wrong", contradicted=1),
        entry("vague", undecided=1),
        entry("fine", supported=1),
        entry("well", supported=1),
    ]
    (tier,) = board(*some).tiers
    assert tier.overlap[0.5] == 1.0
    assert tier.overlap[0.0] in (0.5, 1.0)


entries_of_two = st.lists(
    st.builds(
        entry,
        st.sampled_from("abcdef"),
        st.sampled_from("xy"),
        st.sampled_from(("Hard", "Easy")),
        supported=st.integers(0, 9),
        contradicted=st.integers(0, 9),
        undecided=st.integers(0, 9),
        failed=st.integers(0, 9),
        refusal=st.sampled_from((True, False, None)),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda one: (one.id, one.model),
)


@given(entries_of_two, st.integers(0, 99))
def test_the_order_of_responses_makes_no_difference(entries: list[ResponseEntry], seed: int) -> None:
    mixed = entries[:]
    Random(seed).shuffle(mixed)

    def rows(some: list[ResponseEntry]) -> dict[tuple[str, str], TierRow]:
        tiers: tuple[Tier, ...] = leaderboard(some, ["x", "y"], ["Hard", "Easy"], FactBenchSettings(resamples=10)).tiers
        return {(tier.name, row.model): row for tier in tiers for row in tier.rows}

    assert rows(mixed) == rows(entries)
    for row in rows(entries).values():
        assert 1 <= row.best <= row.rank <= row.worst <= 2
        assert row.precision.n == row.hallucination.n
        assert row.refusals.rate.k == sum(row.refusals.by_category.values()) <= row.refusals.rate.n


def test_a_model_with_few_labels_has_no_alpha_of_its_own() -> None:
    wrong = {("careful", "Hard"): [False] * 3, ("brisk", "Hard"): [True]}
    found = board(*(entry("p", model, undecided=4) for model in ("careful", "brisk")), wrong=wrong)
    assert [row.alpha for row in found.tiers[0].rows] == [None, None]
    assert [row.hallucination_own_alpha for row in found.tiers[0].rows] == [None, None]
    assert [(one.group, one.n, one.borrowed) for one in found.alpha_by_model[1:]] == [
        ("careful", 3, None),
        ("brisk", 1, None),
    ]
    assert found.alpha_by_model[2].value == found.alpha_by_model[0].value, "what all say, and not its one label"


def test_a_response_with_low_coverage_counts_as_missing() -> None:
    found = board(
        entry("p", "m", supported=1, failed=3), entry("q", "m", supported=1, failed=1), entry("r", "m", contradicted=2)
    )
    row = found.tiers[0].rows[0]
    assert (row.precision.n, row.precision.value, row.n_missing, row.n_failed_units) == (2, 0.5, 1, 4)


def test_intervals_stay_wide_with_only_two_responses() -> None:
    found = board(entry("p", "m", contradicted=2), entry("q", "m", contradicted=3)).tiers[0].rows[0]
    assert found.precision.value == 0
    assert found.precision.interval is not None
    assert found.precision.interval.high > 0.3
    assert found.hallucination.interval is not None
    assert found.hallucination.interval.low < 1.0
