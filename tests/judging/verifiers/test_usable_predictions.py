"""A verifier's predictions: used only where they make sense, and final only where it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import BoundaryError, UsageError
from factscope.core.records import Judgement
from factscope.judging.verifiers import (
    ClaimPair,
    LabelProbabilities,
    Prediction,
    abstention,
    is_confident,
    of_parts,
    verified,
)
from tests.lab.many_cases import try_all

PAIR = ClaimPair("It is red.", "The tower is red.")
GOOD = Prediction("supported", 0.9, None, "It says so.")


class Scripted:
    """A verifier that returns or raises a given result."""

    name = "scripted-1"

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome  # type: ignore[no-any-return]


@try_all(
    ("outcome", "message"),
    [
        ([], "scripted-1 gave 0 opinions on 1 pair"),
        ([GOOD, GOOD], "scripted-1 gave 2 opinions on 1 pair"),
        ([("supported", 0.9)], r"gave \('supported', 0\.9\), which is not a Prediction"),
        ([GOOD._replace(label="true")], "gave the label 'true', which is unknown"),  # type: ignore[arg-type]
        ([GOOD._replace(confidence=1.01)], r"gave the confidence 1\.01, not 0 to 1"),
        ([GOOD._replace(confidence=-0.01)], r"gave the confidence -0\.01, not 0 to 1"),
        ([GOOD._replace(confidence=float("nan"))], "gave the confidence nan, not 0 to 1"),
        ([GOOD._replace(confidence="0.9")], "gave the confidence '0.9', not 0 to 1"),  # type: ignore[arg-type]
        (RuntimeError("out of memory"), r"scripted-1 failed: RuntimeError: out of memory$"),
        (RuntimeError(), r"scripted-1 failed: RuntimeError$"),
        (None, r"scripted-1 failed: TypeError"),
    ],
)
def test_an_invalid_prediction_is_an_error_that_names_the_verifier(outcome: Any, message: str) -> None:
    with pytest.raises(BoundaryError, match=message):
        verified(Scripted(outcome), [PAIR])


def test_one_bad_prediction_among_many_is_noticed() -> None:
    with pytest.raises(BoundaryError, match="not 0 to 1"):
        verified(Scripted([GOOD, GOOD, GOOD._replace(confidence=2.0)]), [PAIR] * 3)


def test_predictions_at_the_edges_are_usable_and_any_iterable_will_do() -> None:
    predictions = (GOOD._replace(confidence=0), GOOD._replace(confidence=1), abstention("unsure", "too close"))
    assert verified(Scripted(iter(predictions)), [PAIR] * 3) == list(predictions)
    assert verified(Scripted([]), []) == []


@pytest.mark.parametrize("error", [UsageError("It needs PyTorch."), BoundaryError("model", "It was killed.")])
def test_an_error_raised_by_the_verifier_is_passed_on_unchanged(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        verified(Scripted(error), [PAIR])
    assert caught.value is error


@st.composite
def three_way(draw: st.DrawFn) -> LabelProbabilities:
    supported = draw(st.floats(0, 1))
    contradicted = (1 - supported) * draw(st.floats(0, 1))
    return LabelProbabilities(supported, contradicted, 1 - supported - contradicted)


@given(st.lists(three_way(), min_size=1, max_size=4))
def test_a_claim_in_parts_has_probabilities_that_add_up_in_any_order(parts: list[LabelProbabilities]) -> None:
    whole = of_parts(parts)
    assert whole.supported == min(part.supported for part in parts)
    assert whole.contradicted is not None
    assert whole.not_enough is not None
    assert sum(map(float, (whole.supported, whole.contradicted, whole.not_enough))) == pytest.approx(1)
    assert min(whole.contradicted, whole.not_enough) >= -1e-9
    assert of_parts(parts[::-1]) == whole
    # A part without the distinction leaves the whole without it.
    assert of_parts([*parts, LabelProbabilities(1.0)]) == LabelProbabilities(whole.supported)


def judgement(label: str | None, confidence: float | None = None) -> Judgement:
    about = {"label": label} if label else {"failure": "no reply"}
    return Judgement.model_validate(
        {"id": "s1.c1.p1.j1", "unit_id": "s1.c1", "passage_ids": [], "judge": "v", "confidence": confidence, **about}
    )


YES, NO, UNCLEAR = "supported", "contradicted", "not_enough_evidence"


@try_all(
    ("judgements", "is_final"),
    [
        ([(YES, 0.8)], True),
        ([(YES, 0.79)], False),
        ([(YES, None)], False),  # a missing confidence is not confidence
        # Support: the most confident passage that supports it.
        ([(YES, 0.5), (YES, 0.9), (UNCLEAR, 0.1)], True),
        ([(YES, 0.7), (UNCLEAR, 0.99)], False),
        # Missing support: the passage closest to support.
        ([(UNCLEAR, 0.9), (UNCLEAR, 0.85)], True),
        ([(UNCLEAR, 0.9), (UNCLEAR, 0.6)], False),
        ([(UNCLEAR, 0.9), ("irrelevant", None)], False),
        # A contradiction goes to the model, however confident the rest is.
        ([(YES, 1.0), (NO, 0.51)], False),
        ([(YES, 1.0), (None, None)], False),
    ],
)
def test_a_label_is_final_when_its_most_telling_passage_is_sure(
    judgements: list[tuple[str | None, float | None]], is_final: bool
) -> None:
    assert is_confident([judgement(*one) for one in judgements], 0.8) == is_final
    assert is_confident([judgement(*one) for one in reversed(judgements)], 0.8) == is_final
