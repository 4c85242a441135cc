"""Figures of an evaluation: from the definitions, and identical in every format."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    CheckerSide,
    EvaluationOptions,
    MatchedAnswer,
    compare,
    compute_figures,
    in_every_format,
)
from tests.benchmarks.meta_eval.example_samples import sample

UNITS = st.lists(
    st.tuples(st.booleans(), st.sampled_from((True, False, None)), st.sampled_from((None, 0.0, 0.1, 0.3, 0.7, 1.0))),
    min_size=1,
    max_size=12,
)


def by_definition(rows: list[tuple[bool, bool, float | None]]) -> dict[str, Fraction | float | None]:
    """Compute each figure from pairs of units or labels, without the shortcuts of a confusion matrix."""

    def share(values: list[bool]) -> Fraction | None:
        return Fraction(sum(values), len(values)) if values else None

    flagged, wrong = [w for w, f, _ in rows if f], [f for w, f, _ in rows if w]
    right = [not f for w, f, _ in rows if not w]
    recall, specificity = share(wrong), share(right)
    both = [label for w, f, _ in rows for label in (w, f)]
    differing = [a != b for i, a in enumerate(both) for j, b in enumerate(both) if i != j]
    expected, observed = share(differing), share([w != f for w, f, _ in rows])
    chance = share([w == f for w, f in product([w for w, _, _ in rows], [f for _, f, _ in rows])])
    agreed = share([w == f for w, f, _ in rows])
    sure = [(p, w) for w, _, p in rows if p is not None]
    pairs = [(a, b) for (a, w), (b, v) in product(sure, sure) if w and not v]
    return {
        "precision": share(flagged),
        "recall": recall,
        "balanced_accuracy": None if recall is None or specificity is None else (recall + specificity) / 2,
        "accuracy": agreed,
        "kappa": None if chance in (None, 1) or agreed is None else (agreed - chance) / (1 - chance),
        "alpha": 1 - observed / expected if expected and observed is not None else None,
        "auroc": sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs) if pairs else None,
        "brier": sum((p - w) ** 2 for p, w in sure) / len(sure) if sure else None,
    }


@given(UNITS)
def test_figures_match_their_definitions(units: list[tuple[bool, bool | None, float | None]]) -> None:
    answers = [MatchedAnswer("s", wrong, flagged, p) for wrong, flagged, p in units]
    found = compute_figures(answers, resamples=0, least_coverage=0).overall
    answered = [(wrong, flagged, p) for wrong, flagged, p in units if flagged is not None]
    for name, value in by_definition(answered).items():
        expected = None if value is None else pytest.approx(float(value))
        assert found.values.get(name) == expected, name
    assert (found.n, found.n_answered) == (len(units), len(answered))


def test_every_format_has_the_figures_of_the_json() -> None:
    samples = tuple(sample(f"s{n}", [n % 2 == 0, n % 3 == 0, True]) for n in range(12))
    said = {
        one.id: [
            CheckerPrediction((n + k) % 3 == 0, p_wrong=round(((n + k) % 3 == 0) * 0.5 + k / 7, 3), gold=f"g{k + 1}")
            for k in range(3 - (n == 4))
        ]
        for n, one in enumerate(samples)
    }
    result = compare(LabelledData("d", samples), [CheckerSide("c", said)], EvaluationOptions(resamples=50))
    written = in_every_format(result)
    segment = json.loads(written.text("json"))["methods"][0]["levels"]["segment"]
    rows = csv.DictReader(io.StringIO(written.text("csv")))
    table = {
        row["measure"]: row for row in rows if (row["method"], row["level"], row["part"]) == ("c", "segment", "all")
    }
    texts = [written.text(name) for name in ("table", "md", "html", "latex")]
    for name in ("f1", "precision", "recall", "balanced_accuracy", "accuracy", "kappa", "auroc", "ece"):
        value = segment["error"].get(name, segment.get(name))
        assert float(table[name]["value"]) == pytest.approx(value, abs=1e-6)
        assert (table[name]["n"], table[name]["answered"]) == ("36", "35")
        assert all(f"{value:.3f}" in text for text in texts), name
    assert all(mark in text for text, mark in zip(texts, ("of 36", "of 36", "of 36", r"97\%"), strict=True)), "coverage"
