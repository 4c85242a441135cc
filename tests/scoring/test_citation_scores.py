"""Scores of citations worked by hand, as ALCE counts them: recall by sentence, precision by citation."""

from __future__ import annotations

from typing import Any

import pytest

from factscope.core.records import Exclusions, Failure, Quotation, Report, Span
from factscope.scoring import measure
from factscope.scoring.citations import citation_counts
from tests.scoring.cited_reports import C, cited

YES, NO, SILENT = "supported", "contradicted", "not_enough_evidence"


def counted(report: Report, name: str) -> tuple[int, int, int]:
    k, n, failed = citation_counts(report)[name]
    return k, n, failed


def recall_and_precision(*claims: C, **more: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Count recall and precision of a text of one sentence."""
    report = cited([*claims], **more)
    return counted(report, "citation_recall"), counted(report, "citation_precision")


def test_recall_and_precision_of_a_text_worked_by_hand() -> None:
    report = cited(
        [C("The bridge opened in 1931.", {"b1": YES})],
        [C("It has six arches.", {"b1": YES, "b2": SILENT})],  # b2 is irrelevant
        [C("Kern built it in 1929.", {"b1": SILENT, "b2": NO})],
        [C("The hall is from 1908.")],  # needs a source
        [C("The town is old.")],  # needs none
    )
    assert counted(report, "citation_recall") == (2, 4, 0)
    assert counted(report, "citation_precision") == (2, 5, 0)
    recall, precision = measure(report, ["citation_recall", "citation_precision"])
    assert (recall.value, recall.n, precision.value, precision.n) == (0.5, 4, 0.4, 5)
    assert recall.interval is not None
    # Wilson's interval for 2 of 4: (0.5 + 0.4802 ± 0.6859) / 1.9604.
    assert (recall.interval.low, recall.interval.high) == pytest.approx((0.1500, 0.8500), abs=5e-5)


def test_sources_that_support_a_sentence_only_together_are_all_relevant() -> None:
    together = C("Kern drew it.", {"b1": YES, "b2": SILENT}), C("Low paid it.", {"b1": SILENT, "b2": YES})
    assert recall_and_precision(*together) == ((1, 1, 0), (2, 2, 0))


def test_sources_that_each_support_a_sentence_are_both_relevant() -> None:
    assert recall_and_precision(C("Kern drew it.", {"b1": YES, "b2": YES})) == ((1, 1, 0), (2, 2, 0))


def test_a_source_for_part_of_a_sentence_is_irrelevant_beside_one_for_all_of_it() -> None:
    both = C("Kern drew it.", {"b1": YES, "b2": YES}), C("Low paid it.", {"b1": YES, "b2": SILENT})
    assert recall_and_precision(*both) == ((1, 1, 0), (1, 2, 0))


def test_a_sentence_is_supported_only_with_all_of_its_claims() -> None:
    assert recall_and_precision(C("Kern drew it.", {"b1": YES}), C("Low paid it.", {"b1": SILENT})) == (
        (0, 1, 0),
        (0, 1, 0),
    )


def test_a_skipped_claim_does_not_count_against_its_sentence() -> None:
    assert recall_and_precision(C("Kern drew it.", {"b1": YES}), C("Who paid?", skipped="a question")) == (
        (1, 1, 0),
        (1, 1, 0),
    )


def test_a_sentence_with_an_unavailable_source_is_left_open() -> None:
    dead: dict[str, Any] = {"b1": SILENT, "b9": None}
    assert recall_and_precision(C("Kern drew it.", dead), states={"b9": "dead"}) == ((0, 0, 1), (0, 0, 2))


def test_a_dead_source_beside_one_that_supports_leaves_nothing_open_and_is_irrelevant() -> None:
    live: dict[str, Any] = {"b1": YES, "b9": None}
    assert recall_and_precision(C("Kern drew it.", live), states={"b9": "dead"}) == ((1, 1, 0), (1, 2, 0))


def test_a_dead_source_of_another_claim_does_not_open_a_sentence_that_is_not_supported() -> None:
    claims = C("Kern drew it.", {"b1": SILENT}), C("Low paid it.", {"b2": YES, "b9": None})
    assert recall_and_precision(*claims, states={"b9": "dead"}) == ((0, 1, 0), (0, 3, 0))


def test_one_claim_of_two_without_its_source_leaves_the_sentence_open() -> None:
    claims = C("Kern drew it.", {"b1": YES}), C("Low paid it.", {"b9": None})
    assert recall_and_precision(*claims, states={"b9": "dead"}) == ((0, 0, 1), (0, 0, 2))


def test_an_excluded_or_unjudged_source_leaves_the_sentence_open() -> None:
    claim = C("Kern drew it.", {"b1": YES})
    assert recall_and_precision(claim, excluded=Exclusions(documents=("d-b1",))) == ((0, 0, 1), (0, 0, 1))
    failure = Failure(unit_id="s1.c1", stage="judging", boundary="model", message="no answer")
    lost = recall_and_precision(C("Kern drew it.", {"b1": None}), failures=(failure,))
    assert lost == ((0, 0, 1), (0, 0, 1))


def test_dead_sources_are_those_cited_and_not_those_only_listed() -> None:
    states = {"b2": "paywalled", "b3": "dead", "b4": "dead"}
    report = cited([C("Kern drew it.", {"b1": YES, "b2": None, "b3": None})], states=states)
    assert counted(report, "dead_sources") == (2, 3, 0)
    assert measure(report, ["dead_sources"])[0].value == pytest.approx(2 / 3)


def test_a_source_that_was_not_fetched_is_not_dead() -> None:
    sources: dict[str, Any] = {"b1": YES, "b2": None, "b3": None}
    report = cited([C("Kern drew it.", sources)], states={"b2": "dead", "b3": "not_fetched"})
    assert counted(report, "dead_sources") == (1, 2, 1)
    (score,) = measure(report, ["dead_sources"])
    assert (score.value, score.n, score.n_failed) == (0.5, 2, 1)


def test_altered_quotes_are_a_share_of_those_that_could_be_looked_up() -> None:
    outcomes: list[Any] = ["verbatim", "verbatim", "verbatim", "altered", "absent", "not_there", "not_there"]
    quotations = tuple(
        Quotation(id=f"q{n}", span=Span(start=900, end=901), text="x", outcome=outcome)
        for n, outcome in enumerate(outcomes)
    )
    report = cited([C("Kern drew it.", {"b1": YES})], quotations=quotations)
    assert counted(report, "altered_quotes") == (2, 5, 2)
    (score,) = measure(report, ["altered_quotes"])
    assert (score.value, score.n, score.n_failed) == (0.4, 5, 2)


def test_uncited_claims_are_a_share_of_those_that_need_a_source() -> None:
    report = cited(
        [C("The bridge opened in 1931.", {"b1": YES})],
        [C("The hall is from 1908."), C("it was Kern's."), C("Low drew 3 plans.")],
        [C("The town is old.")],
    )
    assert counted(report, "uncited_claims") == (3, 4, 0)


def test_a_text_without_sources_has_no_scores_of_citations() -> None:
    report = cited([C("The bridge opened in 1931.")])
    assert citation_counts(report) == {}
    scores = measure(report, ["citation_recall", "dead_sources", "uncited_claims"])
    assert {(score.value, score.n, score.n_failed, score.interval) for score in scores} == {(None, 0, 0, None)}


def test_a_text_that_only_lists_sources_needs_none() -> None:
    report = cited([C("The bridge opened in 1931.")], states={"b1": "dead"})
    assert {name: tuple(share) for name, share in citation_counts(report).items()} == dict.fromkeys(
        ("citation_recall", "citation_precision", "dead_sources", "altered_quotes", "uncited_claims"), (0, 0, 0)
    )
