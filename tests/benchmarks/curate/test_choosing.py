"""Tiers, the sample of a topic, and the selection: chosen by whom, how many, and in which order."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from factscope.benchmarks.curate import TIERS, Selection, Shares, StageContext, Tiers, selection
from factscope.scoring import ReportCounts
from factscope.scoring.measures import hallucination
from tests.benchmarks.curate.shops import done, prompts, reasons, shop
from tests.lab.many_cases import try_all


@try_all(
    ("model", "tier"),
    [
        ("gpt-4", "hard"),
        ("openai/GPT-4-0613", "hard"),
        ("gpt-4-1106-preview", "hard"),
        ("gpt-3.5-turbo-0301", "hard"),
        ("claude-instant-1", "hard"),
        ("vicuna-33b", "moderate"),
        ("mpt-30b-chat", "easy"),
        ("gpt-4o", None),
        ("gpt-4-turbo", None),
        ("claude-2.1", None),
        ("vicuna-13b", None),
        ("", None),
        (None, None),
    ],
)
def test_each_model_name_has_its_tier(model: str | None, tier: str | None) -> None:
    assert selection.tier_of(model, Tiers().models) == tier


def test_prompts_of_unknown_models_are_dropped() -> None:
    found = done(selection.TIERING, prompts("x", "y", "z", model=["gpt-4", "koala-13b", None]), shop())
    assert found.table["tier"].to_list() == ["hard"]
    assert reasons(found.dropped) == {"b": selection.UNKNOWN, "c": selection.UNKNOWN}
    assert found.dropped["detail"].to_list() == ["koala-13b", "(none named)"]
    assert found.facts["without_tier"] == {"koala-13b": 1, "(none named)": 1}
    own = shop({"tiers": {"version": "mine", "models": {"koala-13b": "easy"}}})
    assert done(selection.TIERING, prompts("x", model=["koala-13b"]), own).facts["table"] == "mine"


@try_all("model", ["meta-llama/Llama-3-8B", "llama-3-8b-0613", "together/llama-3-8b"])
def test_a_table_of_tiers_may_name_owners_of_models(model: str) -> None:
    assert selection.tier_of(model, {"meta-llama/Llama-3-8b": "hard"}) == "hard"


def sample(table: pl.DataFrame, per_topic: int, seed: int = 1, **more: Any) -> list[str]:
    where = shop({"sampling": {"per_topic": per_topic, "seed": seed}}, **more)
    return done(selection.SAMPLING, table, where).table["id"].to_list()


def topics(*sizes: int) -> pl.DataFrame:
    rows = [(f"t{topic}.{place}", topic) for topic, size in enumerate(sizes) for place in range(size)]
    return pl.DataFrame(rows, {"id": pl.String, "topic": pl.Int32}, orient="row")


@settings(max_examples=40)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=4), st.integers(1, 6), st.integers(0, 3), st.randoms())
def test_each_topic_is_sampled(sizes: list[int], most: int, seed: int, random: Any) -> None:
    table = topics(*sizes)
    found = sample(table, most, seed)
    counts = Counter(int(name[1 : name.index(".")]) for name in found)
    assert counts == {topic: min(size, most) for topic, size in enumerate(sizes)}
    order = list(range(table.height))
    random.shuffle(order)
    assert set(sample(table[order], most, seed)) == set(found)
    assert set(sample(table, most + 1, seed)) >= set(found)
    without = table.filter(pl.col("id") != found[0])
    assert set(sample(without, most, seed)) >= set(found[1:])


def test_representative_prompts_are_sampled_first(tmp_path: Path) -> None:
    table = topics(4, 3)
    shown = pl.DataFrame({"topic": [0, 1], "representatives": [["t0.3", "t0.1"], ["t1.2"]]})
    two = sample(table, 2, folder=tmp_path, topics=shown)
    assert two[:2] == ["t0.1", "t0.3"]
    assert len(two) == 4
    assert "t1.2" in two
    assert set(sample(table, 1, folder=tmp_path, topics=shown)) == {"t0.3", "t1.2"}
    assert len({tuple(sample(topics(12), 3, seed)) for seed in range(6)}) > 1


COUNTS = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)).filter(any)


@st.composite
def candidates(draw: st.DrawFn) -> pl.DataFrame:
    """Draw evaluated prompts: supported, contradicted and undecided units, in tiers."""
    counts = draw(st.lists(COUNTS, min_size=1, max_size=40))
    return pl.DataFrame(
        {
            "id": [f"p{place:02}" for place in range(len(counts))],
            "tier": [draw(st.sampled_from(TIERS)) for _ in counts],
            "topic": [place % 3 for place in range(len(counts))],
            "contradicted": [one[1] for one in counts],
            "undecided": [one[2] for one in counts],
            "units": [sum(one) for one in counts],
        }
    )


@given(COUNTS, st.floats(0, 1))
def test_the_score_equals_the_hallucination_score_of_a_report(counts: tuple[int, int, int], alpha: float) -> None:
    supported, contradicted, undecided = counts
    tally = ReportCounts({"supported": supported, "contradicted": contradicted, "undecided": undecided}, {}, 0)
    row = pl.DataFrame({"contradicted": [contradicted], "undecided": [undecided], "units": [sum(counts)]})
    assert row.select(selection.score(alpha)).item() == hallucination.read(tally, {"alpha": alpha}).value


def test_golden_hallucination_score() -> None:
    row = pl.DataFrame({"contradicted": [1], "undecided": [4], "units": [24]})
    assert row.select(selection.score(0.5)).item() == pytest.approx(3 / math.sqrt(24))


@given(candidates(), st.integers(1, 30), st.randoms())
def test_the_worst_of_each_tier_in_order(table: pl.DataFrame, size: int, random: Any) -> None:
    parameters = Selection(size=size)
    kept = selection.select(table, parameters)
    wanted = selection.quotas_of(size, parameters.shares)
    assert sum(wanted.values()) == size
    there = Counter(table["tier"])
    assert Counter(kept["tier"]) == {tier: n for tier in TIERS if (n := min(wanted[tier], there[tier]))}
    assert kept["rank"].to_list() == list(range(1, kept.height + 1))
    keys = [(-round(score, 12), name) for score, name in kept["hallucination", "id"].iter_rows()]
    assert keys == sorted(keys)
    scores = dict(table.select("id", selection.score(0.5)).iter_rows())
    for tier in TIERS:
        chosen = set(kept.filter(tier=tier)["id"])
        out = set(table.filter(tier=tier)["id"]) - chosen
        assert not (chosen and out) or min(scores[one] for one in chosen) >= max(scores[one] for one in out) - 1e-12
    order = list(range(table.height))
    random.shuffle(order)
    assert selection.select(table[order], parameters).equals(kept.select(kept.columns))


@given(st.integers(1, 5000), st.integers(0, 100), st.integers(0, 100))
def test_quotas_add_up_and_differ_from_the_shares_by_less_than_one(size: int, one: int, two: int) -> None:
    total = one + two + 50
    shares = Shares(hard=one / total, moderate=two / total, easy=50 / total)
    found = selection.quotas_of(size, shares)
    assert sum(found.values()) == size
    assert all(abs(found[tier] - size * getattr(shares, tier)) < 1 for tier in TIERS)


def test_quotas_match_the_published_shares() -> None:
    assert selection.quotas_of(1000, Shares()) == {"hard": 530, "moderate": 340, "easy": 130}
    assert sum(selection.quotas_of(985, Shares()).values()) == 985
    with pytest.raises(ValidationError, match=r"add up to 0\.9"):
        selection.quotas_of(10, Shares(hard=0.5, moderate=0.3, easy=0.1))


def evaluated(**tiers_of: list[tuple[int, int, int]]) -> pl.DataFrame:
    rows = [(f"{tier[0]}{n}", tier, 0, *one) for tier, some in tiers_of.items() for n, one in enumerate(some)]
    return pl.DataFrame(rows, ["id", "tier", "topic", "contradicted", "undecided", "units"], orient="row")


@pytest.mark.medium
def test_a_short_tier_is_reported_and_not_filled_up() -> None:
    table = evaluated(hard=[(n, 0, 9) for n in range(8)], moderate=[(1, 0, 1)] * 4, easy=[])
    told: list[str] = []
    parameters = shop({"selection": {"size": 10}}).parameters
    found = done(selection.STAGE, table, StageContext(parameters, log=told.append))
    assert found.facts["selected"] == {"hard": 5, "moderate": 4, "easy": 0}
    assert found.facts["short"] == {"easy": {"wanted": 1, "there": 0}}
    assert told == ["The tier easy is short: 1 prompt wanted, 0 there. All of them are taken."]
    assert reasons(found.dropped) == {"h0": selection.LOWER, "h1": selection.LOWER, "h2": selection.LOWER}
    assert found.table["id"].to_list()[:3] == ["h7", "h6", "h5"]


def test_prompts_without_evaluation_are_drawn_at_random_with_a_notice() -> None:
    table = evaluated(hard=[(0, 0, n) for n in range(1, 9)]).with_columns(
        pl.lit(None, pl.Float64).alias("hallucination"), contradicted=pl.lit(None, pl.Int64)
    )
    told: list[str] = []
    parameters = shop({"selection": {"size": 4}}).parameters
    found = done(selection.STAGE, table, StageContext(parameters, log=told.append))
    assert found.table.height == 2
    assert found.table["hallucination"].to_list() == [None, None]
    assert found.table["id"].to_list() != ["h7", "h6"], "those with most units are no worse than others"
    assert set(reasons(found.dropped).values()) == {selection.NOT_DRAWN}
    assert found.facts["evaluated"] is False
    assert "alpha" not in found.facts, "there is nothing that a weight could change"
    assert "No answer was evaluated: the prompts are drawn by lot." in told
    again = done(selection.STAGE, table.sample(fraction=1, shuffle=True, seed=3), StageContext(parameters))
    assert again.table["id"].to_list() == found.table["id"].to_list()


def test_a_prompt_dropped_only_by_its_id_is_called_tied_and_not_lower() -> None:
    table = evaluated(hard=[(1, 0, 4)] * 3 + [(0, 0, 4)])
    parameters = {"selection": {"size": 2, "shares": {"hard": 1, "moderate": 0, "easy": 0}}}
    found = done(selection.STAGE, table, shop(parameters))
    assert found.table["id"].to_list() == ["h0", "h1"]
    assert reasons(found.dropped) == {"h2": selection.TIED, "h3": selection.LOWER}


def test_a_prompt_of_a_tier_without_a_share_is_not_called_lower() -> None:
    shares = {"selection": {"size": 1, "shares": {"hard": 0, "moderate": 1, "easy": 0}}}
    found = done(selection.STAGE, evaluated(hard=[(4, 0, 0)], moderate=[(1, 0, 3), (0, 0, 4)]), shop(shares))
    assert reasons(found.dropped) == {"h0": selection.NO_QUOTA, "m1": selection.LOWER}


def test_sensitivity_shows_how_alpha_changes_the_selection() -> None:
    """Two prompts for one place, one with an error, one with two undecided units, swap order at alpha 0.5."""
    table = evaluated(hard=[(1, 0, 4), (0, 2, 4)])
    parameters = Selection(size=1, shares=Shares(hard=1, moderate=0, easy=0), alpha=0.3)
    found = selection.sensitivity(table, parameters)
    assert found["stable"] == pytest.approx([0, 0.5])
    curve = {point["alpha"]: point for point in found["curve"]}
    assert (curve[0.3]["overlap"], curve[0.55]["overlap"], curve[0.55]["overlap_before"]) == (1, 0, 0)
    assert (curve[0.0]["tau"], curve[1.0]["tau"], curve[0.0]["overlap_before"]) == (1, -1, None)
    assert curve[1.0]["mean"] == 1.0


@settings(max_examples=30)
@given(candidates(), st.integers(1, 20), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_the_stable_interval_contains_the_alpha_in_use(table: pl.DataFrame, size: int, alpha: float) -> None:
    found = selection.sensitivity(table, Selection(size=size, alpha=alpha), (0.0, 0.25, 0.5, 0.75, 1.0))
    low, high = found["stable"]
    assert 0 <= low <= alpha <= high <= 1
    points = {point["alpha"]: point for point in found["curve"]}
    assert points[alpha]["overlap"] == 1
    assert all(point["overlap"] >= 0.95 for at, point in points.items() if low <= at <= high)
