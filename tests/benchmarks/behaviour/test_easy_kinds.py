"""Kinds of the bundled suite that the small verifier gets entirely right, guarded against regressions."""

from __future__ import annotations

from factscope.benchmarks.behaviour.suite import BUNDLED, PairCase, read_suite
from factscope.judging.verifiers import ClaimPair
from factscope.judging.verifiers.builtin import load_small

WHOLE_KINDS = ("changed-number", "identity")
_UNSETTLED = {"not_enough_evidence": "not_enough", "irrelevant": "not_enough"}


def is_held(case: PairCase) -> bool:
    """Return whether a case must stay right: whole kinds, and settled `verbatim` cases."""
    return case.category in WHOLE_KINDS or (case.category == "verbatim" and case.label != "not_enough")


def test_every_pair_of_an_easy_kind_is_answered_correctly() -> None:
    cases = [case for case in read_suite(BUNDLED).pairs if is_held(case)]
    assert len(cases) == 34
    predictions = load_small().verify([ClaimPair(case.claim, case.evidence) for case in cases])
    labels = [_UNSETTLED.get(str(prediction.label), prediction.label) for prediction in predictions]
    wrong = [case.id for case, label in zip(cases, labels, strict=True) if label != case.label]
    assert wrong == []
