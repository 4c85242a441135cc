"""Matching of a checker's predictions with people's labels."""

from __future__ import annotations

import pytest

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    CheckerSide,
    CheckTask,
    EvaluationOptions,
    compare,
    default_units,
    domain_tag,
    flagged,
    levels_of,
    matched,
    p_wrong,
    said_of,
    tasks,
)
from factscope.core import InputError, UsageError
from factscope.core.records import Gold, Sample, Span
from factscope.methods import RollUp, method_named
from tests.benchmarks.meta_eval.example_samples import PLACES, TEXT, sample, with_claims
from tests.scoring.example_reports import NO, OFF, YES, J, make_report

FACTS_AND_EVIDENCE = method_named("facts-and-evidence")


def flags(level: str, said: list[CheckerPrediction], one: Sample, units: str = "own") -> list[bool | None]:
    rows = matched([one], level, {one.id: said}, units=units)  # type: ignore[arg-type]
    return [row.answer.flagged for row in rows]


def at(start: int, end: int, wrong: bool | None, p: float | None = None) -> CheckerPrediction:
    return CheckerPrediction(wrong, p, span=Span(start=start, end=end))


def test_predictions_match_by_place_and_any_flag_is_enough() -> None:
    one = sample("a", [True, False, True])
    # Split differently from people's labels: the first piece covers two sentences, of which the second is wrong.
    said = [at(0, 27, False), at(30, 40, True), at(41, 50, False), at(51, 73, False)]
    assert flags("segment", said, one) == [False, True, False]
    assert flags("response", said, one) == [True]
    assert flags("segment", [at(0, 50, True), at(51, 73, False)], one) == [True, True, False]


def test_a_shared_space_is_not_an_overlap() -> None:
    assert flags("segment", [at(0, 28, True), at(28, 73, False)], sample("a", [True, True, True])) == [
        True,
        False,
        False,
    ]


def test_a_missing_answer_stays_missing_unless_another_part_is_flagged() -> None:
    one = sample("a", [True, False, True])
    said = [at(0, 27, None), at(28, 39, None), at(40, 50, True)]
    assert flags("segment", said, one) == [None, True, None]
    assert flags("response", said, one) == [True]
    assert flags("response", [at(0, 50, False), at(51, 73, None)], one) == [None]
    assert flags("segment", [], one) == [None, None, None]


def test_the_most_probable_error_gives_the_probability_of_a_unit() -> None:
    one = sample("a", [False])
    rows = matched([one], "segment", {"a": [at(0, 9, True, 0.8), at(10, 20, True, 0.6), at(20, 27, False, 0.3)]})
    assert rows[0].answer.p_wrong == 0.8
    rows = matched([one], "segment", {"a": [at(0, 9, False, 0.1), at(10, 20, False, 0.4)]})
    assert rows[0].answer.p_wrong == 0.4
    rows = matched([one], "segment", {"a": [at(0, 9, False, 0.1), at(10, 20, False)]})
    assert rows[0].answer.p_wrong is None  # one part has no probability


def test_given_units_match_by_id_and_a_sentence_without_claims_is_right() -> None:
    one = with_claims("a", [True, False])
    one = one.model_copy(update={"gold": (*one.gold, Gold(id="g3", level="segment", span=PLACES[2], factual=True))})
    said = [CheckerPrediction(False, gold="c1", span=PLACES[0]), CheckerPrediction(True, gold="c2", span=PLACES[1])]
    assert flags("claim", said, one, "given") == [False, True]
    assert flags("segment", said, one, "given") == [False, True, False]
    assert flags("claim", said[:1], one, "given") == [False, None]  # a unit that wasn't judged has no answer


def test_a_sentence_with_only_unlabelled_claims_is_unanswered() -> None:
    """Unlabelled claims are never judged, so nothing is known about the sentence."""
    one = with_claims("a", [False, True])
    unknown = tuple(gold.model_copy(update={"factual": None}) if gold.id == "c1" else gold for gold in one.gold)
    two = one.model_copy(update={"gold": unknown})
    assert [task.response.id for task in tasks([two], "given")] == ["a#c2"]
    assert flags("segment", [CheckerPrediction(False, gold="c2")], two, "given") == [None, False]


def test_a_response_is_called_right_only_if_every_labelled_unit_has_an_answer() -> None:
    one = sample("a", [True, None, True])
    first, second = (CheckerPrediction(False, gold=name) for name in ("g1", "g3"))
    assert flags("response", [first], one) == [None]
    assert flags("response", [first, second], one) == [False], "the unit without a label is not needed"
    assert flags("response", [first._replace(flagged=True)], one) == [True]
    assert flags("response", [at(0, 27, False)], one) == [None]
    assert flags("response", [at(0, 27, False), at(51, 60, False)], one) == [False]
    assert flags("response", [first, CheckerPrediction(False)], one) == [False], "it is about the whole response"
    claims = with_claims("a", [True, False])
    assert flags("response", [CheckerPrediction(False, gold=name) for name in ("g1", "g2")], claims) == [False]
    assert flags("response", [CheckerPrediction(False, gold=name) for name in ("c1", "g2")], claims) == [False]
    assert flags("response", [CheckerPrediction(False, gold="c1")], claims) == [None]


def test_pooled_segments_answer_for_a_response_with_a_sentence_that_states_nothing() -> None:
    said = [at(0, 27, True), at(28, 50, False), at(51, 73, False), at(0, 27, False)._replace(pooled=True)]
    assert flags("response", said, sample("a", [True, True, True])) == [False]


def test_a_given_claim_without_a_prediction_is_never_counted_as_right() -> None:
    """It isn't right through another claim of its sentence, as a sentence without claims, or in its response."""
    one = with_claims("a", [True, False, True])
    both = one.gold[4].model_copy(update={"span": PLACES[0]})
    two = one.model_copy(update={"gold": (*one.gold[:4], both, one.gold[5])})  # the first sentence has two claims
    said = [CheckerPrediction(False, gold="c1", span=PLACES[0]), CheckerPrediction(False, gold="c3", span=PLACES[2])]
    assert flags("claim", said, two, "given") == [False, None, False]
    assert flags("segment", said, two, "given") == [None, False, False]
    assert flags("response", said, two, "given") == [None]
    assert flags("segment", said, one, "given") == [False, None, False]
    assert flags("segment", [CheckerPrediction(True, gold="c2")], one, "given") == [None, True, None]


def test_a_sample_without_text_or_label_is_excluded_from_all_figures() -> None:
    empty = sample("nan", [True, False], text=None)
    unknown = sample("u", [None, None])
    assert matched([empty, unknown], "segment", {}) == []
    assert [task.response.id for task in tasks([empty, unknown], "own")] == ["u"]
    result = compare(
        LabelledData("d", (empty, unknown, sample("a", [True, False]))), [CheckerSide("m", {})], EvaluationOptions()
    )
    assert (result.n_samples, result.n_without_text, result.n_unlabelled) == (3, 1, 2)
    assert result.checkers[0].levels["segment"].overall.n == 2


def test_levels_and_default_units_depend_on_the_labels_present() -> None:
    assert levels_of([sample("a", [True, False])]) == ("segment", "response")
    assert levels_of([sample("a", [True])]) == ("segment",)
    assert levels_of([with_claims("a", [True])]) == ("claim", "segment", "response")
    assert default_units([sample("a", [True])]) == "own"
    assert default_units([with_claims("a", [True])]) == "given"
    assert [task.response.id for task in tasks([with_claims("a", [True, None, False])], "given")] == ["a#c1", "a#c3"]


def test_the_domain_tag_is_the_first_one_that_varies_unless_named() -> None:
    some = [sample("a", [True], domain="x", model="m"), sample("b", [True], domain="x", model="n")]
    assert domain_tag(some) == "model"
    assert domain_tag(some, "domain") == "domain"
    assert domain_tag([sample("a", [True])]) is None


def test_unknown_options_are_refused_with_the_available_ones() -> None:
    data = LabelledData("d", (sample("a", [True, False], domain="x"),))
    with pytest.raises(UsageError, match="There are labels for: segment, response"):
        compare(data, [CheckerSide("m", {})], EvaluationOptions(levels=("claim",)))
    with pytest.raises(UsageError, match="Choose from: domain"):
        compare(data, [CheckerSide("m", {})], EvaluationOptions(domain="colour"))
    with pytest.raises(UsageError, match="Two checkers are called 'm'"):
        compare(data, [CheckerSide("m", {}), CheckerSide("m", {})], EvaluationOptions())
    with pytest.raises(InputError, match="No unit of d is labelled"):
        compare(LabelledData("d", (sample("a", [None]),)), [CheckerSide("m", {})], EvaluationOptions())


def test_outcomes_are_flagged_according_to_the_rule() -> None:
    assert [flagged(outcome, "unsupported") for outcome in ("supported", "undecided", "no_evidence", "failed")] == [
        False,
        True,
        True,
        None,
    ]
    assert [flagged(outcome, "contradicted") for outcome in ("contradicted", "undecided", "not_checkable")] == [
        True,
        False,
        False,
    ]
    assert p_wrong("supported", 0.9, "unsupported") == pytest.approx(0.1)
    assert p_wrong("contradicted", 0.9, "contradicted") == 0.9
    assert p_wrong("undecided", 0.9, "contradicted") is None
    assert p_wrong("undecided", 0.7, "unsupported") == 0.7
    assert p_wrong("no_evidence", None, "unsupported") is None


SHARE = RollUp(unit="share", threshold=0.3)


@pytest.mark.parametrize(
    ("evidence", "wrong"),
    [
        ([[YES, OFF, OFF]], False),  # one claim, 1 of 3: 0.333
        ([[OFF, OFF, OFF]], True),  # 0 of 3
        ([[NO, NO, NO]], True),
    ],
)
def test_the_facts_and_evidence_threshold_decides_on_one_claim(evidence: list[list[J]], wrong: bool) -> None:
    assert sentence(evidence) is wrong


def test_the_facts_and_evidence_threshold_applies_to_pooled_evidence() -> None:
    """Two claims of one sentence: 1 of 6 is 0.167, not factual; 3 of 6 is factual, though one claim has no support."""
    assert sentence([[YES, OFF, OFF], [OFF, OFF, OFF]]) is True
    assert sentence([[YES, YES, YES], [OFF, OFF, OFF]]) is False


def sentence(evidence: list[list[J]]) -> bool | None:
    """Return whether the only sentence, with all the claims, is flagged as wrong."""
    report = make_report(evidence, rules=SHARE)
    home = report.segments[0].model_copy(update={"span": Span(start=0, end=len(report.response.text))})
    claims = tuple(claim.model_copy(update={"segment_id": "s1"}) for claim in report.claims)
    verdicts = tuple(v for v in report.verdicts if v.level == "claim" or v.unit_id in ("s1", report.response.id))
    report = report.model_copy(update={"segments": (home,), "claims": claims, "verdicts": verdicts})
    gold = Gold(id="g1", level="segment", span=home.span, factual=True)
    one = Sample(id="r1", response=report.response.text, gold=(gold,))
    said = said_of(report, CheckTask(report.response, one, None, ()), FACTS_AND_EVIDENCE, "unsupported")
    (row,) = matched([one], "segment", {"r1": said})
    return row.answer.flagged


def test_the_places_of_the_sample_end_at_sentence_ends() -> None:
    assert [place.of(TEXT)[-1] for place in PLACES] == [".", ".", "."]
