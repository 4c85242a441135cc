"""Predictions from others: good files, and each way to get one wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets import LabelledData
from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    CheckerSide,
    EvaluationOptions,
    RecordedPredictions,
    compare,
    in_every_format,
    read_predictions,
    write_predictions,
)
from factscope.core import InputError, UsageError
from factscope.core.records import Sample, Span
from tests.benchmarks.meta_eval.example_samples import PLACES, sample

SAMPLES = (sample("a", [True, False, True]), sample("b", [False, True]))


def read(tmp_path: Path, rows: list[Any], samples: tuple[Sample, ...] = SAMPLES) -> RecordedPredictions:
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return read_predictions(path, samples, "unsupported")


def figures(found: RecordedPredictions) -> dict[str, Any]:
    result = compare(LabelledData("d", SAMPLES), [CheckerSide("x", found.predictions)], EvaluationOptions(resamples=0))
    return {level: one.overall for level, one in result.checkers[0].levels.items()}


def test_all_forms_of_predictions_are_read(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        [
            {"id": "a", "unit": "g1", "wrong": False, "p_wrong": 0.1},
            {"id": "a", "start": 28, "end": 50, "label": "contradicted", "p_wrong": 0.9},
            {"id": "a", "unit": "g3", "label": "Supported"},
            {"id": "b", "labels": [False, True]},
        ],
    )
    assert found.notes == ()
    segment = figures(found)["segment"]
    assert (segment.tp, segment.fp, segment.fn, segment.tn) == (2, 0, 0, 3)
    assert segment.n_confident == 2
    assert figures(found)["response"].values["f1"] == 1


def test_a_prediction_of_a_whole_response_answers_none_of_its_sentences(tmp_path: Path) -> None:
    found = read(tmp_path, [{"id": "a", "wrong": True}, {"id": "b", "wrong": False}])
    assert figures(found)["response"].values["accuracy"] == 0.5
    assert figures(found)["segment"].n_answered == 0  # it doesn't answer for three sentences


def test_each_bad_row_is_counted_and_answers_nothing(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        [
            {"id": "a", "unit": "g1", "wrong": True},
            {"id": "zzz", "wrong": True},
            {"id": "a", "unit": "g9", "wrong": True},
            {"id": "a", "unit": "g2", "label": "maybe"},
            {"id": "a", "unit": "g2", "wrong": "yes"},
            {"id": "a", "unit": "g2"},
            {"id": "a", "unit": "g2", "wrong": True, "p_wrong": 1.5},
            '{"id": "a", "unit": "g2", "wrong": true, "p_wrong": NaN}',
            {"id": "a", "start": 5, "end": 5000, "wrong": True},
            {"id": "b", "labels": [True]},
            {"id": "b", "labels": [True, "no"]},
            "no json at all",
            "[1]",
        ],
    )
    text = "\n".join(found.notes)
    for part in (
        "p_wrong that is not a number from 0 to 1 (2: ",
        "predictions for samples that the data set does not have (line 2)",
        "predictions for units that their sample does not have (line 3)",
        "labels that are not in the set: 'maybe'",
        "labels that are not in the set: wrong is true, false or null",
        "predictions that say neither wrong nor label",
        "places that are not in the response",
        "lists of labels that are not as long as the sample has segments",
        "labels that are not in the set: a list holds true, false or null",
        "lines that are not JSON objects (2: ",
        "samples without a prediction (b)",
    ):
        assert part in text, part
    segment = figures(found)["segment"]
    assert (segment.n, segment.n_answered, segment.coverage) == (5, 1, 0.2)


def test_a_unit_predicted_twice_counts_once_or_not_at_all_on_conflict(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        [
            {"id": "a", "unit": "g1", "wrong": False},
            {"id": "a", "unit": "g1", "wrong": False},
            {"id": "a", "unit": "g2", "wrong": True},
            {"id": "a", "unit": "g2", "wrong": False},
            {"id": "b", "labels": [None, True]},
        ],
    )
    assert "units predicted more than once (2: a g1, a g2)" in found.notes
    assert "units with predictions that differ, left unanswered (a g2)" in found.notes
    assert figures(found)["segment"].n_answered == 2


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "b", "unit": "g2", "wrong": False}],
        [{"id": "b", "labels": [None, True]}],
        [{"id": "b", "unit": "g2", "wrong": False}, {"id": "b", "unit": "g1", "wrong": False, "p_wrong": 1.5}],
        [{"id": "b", "start": 28, "end": 50, "wrong": False}],
        [{"id": "b", "start": 0, "end": 50, "wrong": False}, {"id": "b", "start": 0, "end": 9, "label": "maybe"}],
        [{"id": "b", "wrong": "no"}, {"id": "b", "labels": [True, True]}],
    ],
)
def test_a_response_with_an_unanswered_unit_stays_unanswered_after_writing(tmp_path: Path, rows: list[Any]) -> None:
    """The line may be missing, empty or faulty."""
    found = read(tmp_path, [*rows, {"id": "a", "labels": [True, False, True]}])
    response = figures(found)["response"]
    assert (response.n, response.n_answered, response.tp, response.coverage) == (2, 1, 1, 0.5)
    write_predictions(tmp_path / "again.jsonl", SAMPLES, found.predictions, "own")
    again = read_predictions(tmp_path / "again.jsonl", SAMPLES, "unsupported")
    assert figures(again) == figures(found)


def test_an_answer_on_a_response_based_on_unlabelled_units_survives_writing(
    tmp_path: Path,
) -> None:
    elsewhere = CheckerPrediction(True, 0.9, 0.9, span=Span(start=51, end=73))  # an unlabelled sentence
    pooled = [CheckerPrediction(False, 0.2, 0.2, span=place, pooled=True) for place in PLACES]
    found = {
        "a": [CheckerPrediction(True, 0.7, 0.7, span=PLACES[0]), *pooled],
        "b": [*(CheckerPrediction(False, 0.1, 0.1, span=place) for place in PLACES[:2]), elsewhere],
    }
    write_predictions(tmp_path / "again.jsonl", SAMPLES, found, "own")
    again = read_predictions(tmp_path / "again.jsonl", SAMPLES, "unsupported")
    assert again.notes == ()
    assert figures(again) == figures(RecordedPredictions(found, ()))
    assert (figures(again)["response"].tp, figures(again)["response"].fn) == (1, 1)


def test_a_faulty_row_still_blocks_other_rows_for_its_unit(tmp_path: Path) -> None:
    found = read(tmp_path, [{"id": "a", "unit": "g1", "wrong": wrong} for wrong in (False, "perhaps")])
    assert "units with predictions that differ, left unanswered (a g1)" in found.notes
    assert figures(found)["segment"].n_answered == 0
    with pytest.raises(InputError, match="no prediction that can be used: p_wrong that is not a number"):
        read(tmp_path, [{"id": "a", "unit": "g1", "wrong": False, "p_wrong": 2}])


def test_lists_of_labels_state_how_they_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, [{"id": "a", "labels": [True, False, True]}, {"id": "b", "labels": [True]}])
    assert found.reading == "1 list of labels, read as true = right and false = wrong"
    assert read(tmp_path, [{"id": "a", "wrong": True}]).reading is None


def test_a_file_without_usable_predictions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no prediction that can be used: it is empty"):
        read(tmp_path, [])
    with pytest.raises(InputError, match="predictions for samples that the data set does not have"):
        read(tmp_path, [{"id": "zzz", "wrong": True}])
    with pytest.raises(UsageError, match=r"file of predictions .*none\.jsonl can't be read: no such file"):
        read_predictions(tmp_path / "none.jsonl", SAMPLES, "unsupported")
    (tmp_path / "latin.jsonl").write_bytes('{"id": "é"}'.encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_predictions(tmp_path / "latin.jsonl", SAMPLES, "unsupported")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
rows = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "zzz", 7, None])},
    optional={
        name: json_values | st.sampled_from(some)
        for name, some in {
            "unit": ["g1", "g2", "g9"],
            "wrong": [True, False],
            "label": ["supported", "contradicted", "failed", "nonsense"],
            "p_wrong": [0.5, 1, 10**400],
            "start": [0, 28],
            "end": [5, 50],
            "labels": [[True, False, None], [True, False]],
            "reason": ["because", "half \ud800"],
        }.items()
    },
)


@given(st.lists(rows.map(json.dumps) | st.text(max_size=20), max_size=6))
def test_no_file_content_causes_a_crash(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    try:
        found = read_predictions(path, SAMPLES, "unsupported")
    except InputError:
        return
    segment = figures(found)["segment"]
    assert segment.n == 5
    assert 0 <= segment.n_answered <= 5


def test_a_set_of_one_class_with_nothing_flagged_gets_a_remark(tmp_path: Path) -> None:
    only = (sample("a", [True, True]),)
    found = read(tmp_path, [{"id": "a", "labels": [True, True]}], only)
    (one,) = compare(
        LabelledData("d", only), [CheckerSide("x", found.predictions)], EvaluationOptions(resamples=0)
    ).checkers
    values = one.levels["segment"].overall
    assert (values.values["f1"], values.values["recall"], values.values["accuracy"]) == (None, None, 1)
    assert values.remarks["f1"] == "there are no errors and nothing was flagged"


def test_an_undefined_measure_is_not_tested() -> None:
    """More draws would not help: without an error there is no F1, however many responses there are."""
    right = tuple(sample(f"a{n}", [True, True]) for n in range(20))
    sides = [
        CheckerSide(name, {one.id: [CheckerPrediction(flagged=flagged, gold="g1")] for one in right})
        for name, flagged in (("calm", False), ("strict", True))
    ]
    levels = EvaluationOptions(levels=("segment",), resamples=200)
    (pairing,) = compare(LabelledData("d", right), sides, levels).pairings
    assert {one.measure for one in pairing.contrasts if one.value is None} == {"f1", "balanced_accuracy", "mcc"}
    assert pairing.findings == {"accuracy": "differs"}


def test_a_checker_with_withheld_figures_is_not_compared() -> None:
    samples = tuple(sample(f"a{n}", [n % 2 > 0]) for n in range(40))

    def side(name: str, n: int, *, right: bool) -> CheckerSide:
        said = {one.id: [CheckerPrediction(flagged=(k % 2 == 0) is right, gold="g1")] for k, one in enumerate(samples)}
        return CheckerSide(name, {one: said[one] for one in list(said)[:n]})

    sides = [side("good", 40, right=True), side("bad", 20, right=False), side("few", 19, right=True)]
    result = compare(LabelledData("d", samples), sides, EvaluationOptions(resamples=200))
    assert result.checkers[2].levels["segment"].overall.values["f1"] is None
    (pairing,) = result.pairings
    assert (pairing.first, pairing.second, pairing.findings["f1"]) == ("good", "bad", "differs")
    assert "bad less good, on 20 segments" in in_every_format(result).text("table")


@given(st.lists(st.text(st.sampled_from('ab \u2028\u2029\x85\x0b\x1c\r\t"\\'), max_size=9), min_size=2, max_size=2))
def test_line_breaks_inside_a_text_cost_no_predictions(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("ends") / "predictions.jsonl"
    rows = [{"id": name, "wrong": True, "reason": text} for name, text in zip("ab", texts, strict=True)]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    found = read_predictions(path, SAMPLES, "unsupported")
    assert found.notes == ()
    assert [one.reason or "" for name in "ab" for one in found.predictions[name]] == texts
