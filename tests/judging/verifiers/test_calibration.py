"""Calibrations that make probabilities true, saved and found again by the verifier's name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.core import InputError
from factscope.judging.verifiers import (
    CalibratedVerifier,
    Calibration,
    ClaimPair,
    LabelProbabilities,
    Prediction,
    abstention,
    calibrated,
    place_of,
    store_calibration,
    stored_calibration,
    tempered,
    with_calibration,
)

HALVED = Calibration(verifier="v-1", kind="temperature", temperature=2.0, n=10, labels="")
STEPS = Calibration(verifier="v-1", kind="isotonic", steps=((0.2, 0.1), (0.4, 0.3), (0.8, 0.9)), n=10, labels="")


class Stub:
    name = "v-1"

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        return [Prediction("supported", 0.9, None, "", LabelProbabilities(0.9, 0.06, 0.04)) for _ in pairs]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 10))
def test_calibrated_probabilities_stay_valid_and_in_order(one: float, other: float, temperature: float) -> None:
    low, high = sorted((tempered(one, temperature), tempered(other, temperature)))
    assert 0 <= low <= high <= 1
    assert tempered(min(one, other), temperature) == low
    chances = HALVED.of(LabelProbabilities(one, (1 - one) * other, (1 - one) * (1 - other)))
    assert sum(part or 0.0 for part in chances) == pytest.approx(1)
    assert STEPS.true(min(one, other)) <= STEPS.true(max(one, other))


def test_steps_are_linear_between_their_points_and_flat_outside() -> None:
    assert [STEPS.true(p) for p in (0.0, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)] == pytest.approx(
        [0.1, 0.1, 0.2, 0.3, 0.6, 0.9, 0.9]
    )


def test_a_label_changes_only_where_support_crosses_one_half() -> None:
    lenient = Calibration(verifier="v-1", kind="isotonic", steps=((0.0, 0.6), (1.0, 0.9)), n=10, labels="")
    against = Prediction("contradicted", 0.5, None, "", LabelProbabilities(0.45, 0.5, 0.05))
    assert calibrated(against, HALVED).label == "contradicted"
    assert calibrated(against, lenient).label == "supported"
    strict = Calibration(verifier="v-1", kind="isotonic", steps=((0.0, 0.0), (1.0, 0.4)), n=10, labels="")
    assert calibrated(Stub().verify([ClaimPair("a", "b")])[0], strict).label == "contradicted"
    binary = Prediction("supported", 0.9, None, "", LabelProbabilities(0.9))
    assert calibrated(binary, strict)[:2] == ("not_supported", pytest.approx(0.64))
    unread = Prediction("irrelevant", 1.0, None, "")
    silent = abstention("unsure", "too close", LabelProbabilities(0.5))
    assert [calibrated(one, strict) for one in (unread, silent)] == [unread, silent]


def test_a_calibration_is_stored_by_name_and_revision(tmp_path: Path) -> None:
    assert stored_calibration("v-1", tmp_path) is None
    path = store_calibration(HALVED, tmp_path)
    found = with_calibration(Stub(), tmp_path)
    assert isinstance(found, CalibratedVerifier)
    assert found.name == f"v-1~{HALVED.digest}" != f"v-1~{STEPS.digest}"
    assert found.verify([ClaimPair("a", "b")])[0].confidence == pytest.approx(0.75)
    assert stored_calibration("v-1@other", tmp_path) is None
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="can't be used"):
        with_calibration(Stub(), tmp_path)


def test_any_verifier_name_gets_its_own_file(tmp_path: Path) -> None:
    names = ["a/b", "a-b", "../../etc", "x" * 300]
    places = {place_of(name, tmp_path) for name in names}
    assert len(places) == len(names)
    assert {place.parent for place in places} == {tmp_path / "calibrations"}


def test_a_cache_path_that_is_a_file_has_no_calibration(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    assert stored_calibration("builtin-1", tmp_path / "cache") is None
