"""Figures of the behaviour suite, calculated by hand."""

from __future__ import annotations

import pytest

from factscope.benchmarks.behaviour import BASIC, PairRow, SentenceRow, pair_figures, text_figures
from factscope.core import Outcome


def pair(kind: str, label: str, answer: str | None) -> PairRow:
    values = {"id": "x", "kind": kind, "claim": "c", "evidence": "e", "label": label, "answer": answer}
    return PairRow.model_validate(values)


def sentence(label: str, outcome: Outcome, retrieved: bool | None = None) -> SentenceRow:
    values = {"text": "t", "sentence": "s", "label": label, "outcome": outcome, "retrieved": retrieved}
    return SentenceRow.model_validate(values)


def test_pair_figures_match_a_hand_computed_example() -> None:
    """Supported: 2 of 3 right, 1 accused. Contradicted: 1 of 3 right, 1 passed. Not enough: 1 of 3 right; 1 fails."""
    figures = pair_figures(
        [
            pair("negation", "supported", "supported"),
            pair("negation", "supported", "contradicted"),
            pair("negation", "contradicted", "supported"),
            pair("negation", "contradicted", "contradicted"),
            pair("negation", "not_enough", "supported"),
            pair("units", "supported", "supported"),
            pair("units", "supported", None),
            pair("units", "contradicted", "not_enough"),
            pair("units", "not_enough", "not_enough"),
            pair("units", "not_enough", "contradicted"),
        ]
    )
    assert (figures.n, figures.right, figures.accuracy, figures.failed) == (10, 4, 4 / 9, 1)
    assert (figures.false_accusations, figures.supported) == (1, 3)
    assert (figures.missed_errors, figures.contradicted) == (1, 3)
    assert figures.balanced_accuracy == pytest.approx((2 / 3 + 4 / 6) / 2)
    assert figures.basic is None
    assert [(one.kind, one.right, one.n) for one in figures.kinds] == [("negation", 2, 5), ("units", 2, 4)]
    assert [(one.false_accusations, one.missed_errors) for one in figures.kinds] == [(1, 1), (0, 0)]


def test_a_failure_is_neither_right_nor_wrong() -> None:
    """Holds for every label: balanced accuracy once counted a failed pair without support as right."""
    answered = [pair("units", "supported", "supported"), pair("units", "contradicted", "supported")]
    expected = pair_figures(answered)
    for label in ("supported", "contradicted", "not_enough"):
        figures = pair_figures([*answered, pair("units", label, None)])
        assert (
            (figures.accuracy, figures.balanced_accuracy)
            == (expected.accuracy, expected.balanced_accuracy)
            == (0.5, 0.5)
        )
        assert (figures.supported, figures.contradicted, figures.failed) == (1, 1, 1)
    mostly = pair_figures([*answered, *[pair("units", "supported", None)] * 3])
    assert (mostly.accuracy, mostly.balanced_accuracy, mostly.failed, mostly.n) == (None, None, 3, 5)


def test_the_basic_kinds_count_the_same_however_many_pairs_they_have() -> None:
    rows = [pair(kind, "supported", "supported") for kind in BASIC]
    rows += [pair("verbatim", "contradicted", "supported")] * 3
    assert pair_figures(rows).basic == pytest.approx((1 / 4 + 6) / 7)


def test_balanced_accuracy_needs_pairs_on_both_sides() -> None:
    assert pair_figures([pair("negation", "supported", "supported")]).balanced_accuracy is None
    assert pair_figures([]).accuracy is None


def test_text_figures_match_a_hand_computed_example() -> None:
    """Three of five accusations are false: a true sentence, an unsettled one and a piece of advice."""
    figures = text_figures(
        [
            sentence("contradicted", "contradicted", True),
            sentence("contradicted", "contradicted", False),
            sentence("contradicted", "supported", False),
            sentence("contradicted", "undecided", True),
            sentence("supported", "supported", True),
            sentence("supported", "contradicted", True),
            sentence("supported", "failed", False),
            sentence("not_enough", "no_evidence"),
            sentence("not_enough", "contradicted"),
            sentence("not_enough", "undecided"),
            sentence("not_checkable", "not_checkable"),
            sentence("not_checkable", "contradicted"),
        ]
    )
    assert (figures.sentences, figures.errors, figures.errors_found, figures.errors_passed) == (12, 4, 2, 1)
    assert figures.errors_found_share == 0.5
    assert (figures.accusations, figures.false_accusations, figures.false_share) == (5, 3, 0.6)
    assert (figures.supported, figures.supported_found) == (2, 1)  # and one that failed
    assert (figures.not_enough, figures.left_open, figures.undecided) == (3, 2, 3)
    assert (figures.not_checkable, figures.left_alone, figures.failed) == (2, 1, 1)
    assert (figures.quotes, figures.quotes_retrieved) == (6, 4)  # and one that failed


def test_quotes_of_unreadable_documents_are_excluded_from_the_share() -> None:
    figures = text_figures([sentence("supported", "supported", True), *[sentence("supported", "failed", False)] * 3])
    assert (figures.quotes, figures.quotes_retrieved, figures.quotes_retrieved_share) == (1, 1, 1.0)
    assert (figures.sentences, figures.failed) == (4, 3)


def test_the_false_share_is_undefined_without_accusations() -> None:
    assert text_figures([sentence("supported", "supported")]).false_share is None
