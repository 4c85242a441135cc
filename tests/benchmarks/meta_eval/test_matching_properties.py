"""Matching of any predictions with any labels: each labelled unit once, in any order, and unchanged through files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscope.benchmarks.meta_eval import (
    CheckerPrediction,
    domain_tag,
    levels_of,
    matched,
    prediction_rows,
    read_predictions,
    write_predictions,
)
from factscope.core.records import Gold, Sample, Span
from tests.benchmarks.meta_eval.example_samples import PLACES, TEXT, sample
from tests.lab.many_cases import try_all

LABELS = st.sampled_from([True, False, None])
spans = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 30)).map(
    lambda pair: Span(start=pair[0], end=min(pair[0] + pair[1], len(TEXT)))
)
shares = st.none() | st.integers(0, 20).map(lambda twentieths: twentieths / 20)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Draw a text with labelled sentences, perhaps with claims in them and a label of the whole."""
    gold = [
        Gold(id=f"g{k}", level="segment", span=place, factual=draw(LABELS))
        for k, place in enumerate(PLACES[: draw(st.integers(0, 3))], 1)
    ]
    gold += [
        Gold(
            id=f"c{k}", level="claim", span=draw(st.none() | st.sampled_from(PLACES)), text="So.", factual=draw(LABELS)
        )
        for k in range(1, draw(st.integers(0, 3)) + 1)
    ]
    if draw(st.booleans()):
        gold.append(Gold(id="response", level="response", factual=draw(LABELS)))
    return Sample(id="a", response=TEXT, gold=tuple(gold))


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Sample, list[CheckerPrediction]]:
    """Draw a labelled text, and a checker's predictions for its units, its places or the whole."""
    one = draw(samples())
    about = st.none() | st.sampled_from([gold.id for gold in one.gold]) if one.gold else st.none()
    made = []
    for _ in range(draw(st.integers(0, 4))):
        unit = draw(about)
        span = None if unit else draw(st.none() | spans)
        flag, p = draw(LABELS), draw(shares)
        made.append(CheckerPrediction(flag, None if flag is None else p, gold=unit, span=span))
    return one, made


def flags(one: Sample, said: list[CheckerPrediction]) -> dict[tuple[str, str], bool | None]:
    """Return whether each labelled unit is flagged, by level and id."""
    return {
        (level, row.gold.id): row.answer.flagged
        for level in levels_of([one])
        for row in matched([one], level, {"a": said})
    }


@settings(max_examples=20)
@given(labelled())
def test_each_labelled_unit_is_matched_once_and_in_order(drawn: tuple[Sample, list[CheckerPrediction]]) -> None:
    one, said = drawn
    for level in levels_of([one]):
        rows = matched([one], level, {"a": said})
        units = [gold.id for gold in one.of(level) if gold.factual is not None]
        assert [row.gold.id for row in rows] == (units or ["response"])
        for row in rows:
            assert row.answer.wrong is not row.gold.factual
            assert set(row.predictions) <= set(said)
            assert (row.answer.flagged is True) == any(each.flagged for each in row.predictions)
            assert row.answer.p_wrong is None or row.answer.p_wrong in [each.p_wrong for each in row.predictions]


@settings(max_examples=20)
@given(labelled(), st.randoms())
def test_the_order_of_the_predictions_makes_no_difference(
    drawn: tuple[Sample, list[CheckerPrediction]], random: Any
) -> None:
    one, said = drawn
    shuffled = list(said)
    random.shuffle(shuffled)
    for level in levels_of([one]):
        first, second = ([row.answer for row in matched([one], level, {"a": some})] for some in (said, shuffled))
        assert first == second


@settings(max_examples=20)
@given(labelled())
def test_a_further_flag_in_the_same_place_never_takes_one_away(
    drawn: tuple[Sample, list[CheckerPrediction]],
) -> None:
    one, said = drawn
    before = flags(one, said)
    for each in said:
        after = flags(one, [*said, each._replace(flagged=True)])
        assert all(after[unit] for unit, flagged in before.items() if flagged)


@settings(max_examples=20)
@given(labelled())
def test_answers_survive_a_round_trip_through_a_file(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[Sample, list[CheckerPrediction]]
) -> None:
    one, said = drawn
    rows = list(prediction_rows([one], {"a": said}, "own"))
    before = flags(one, said)
    assert len(rows) == len(before)
    if not rows:
        return
    path = tmp_path_factory.getbasetemp() / "matched.jsonl"
    write_predictions(path, [one], {"a": said}, "own")
    again = read_predictions(path, [one], "unsupported")
    assert flags(one, again.predictions["a"]) == before


def test_writing_counts_the_labelled_units_with_an_answer(tmp_path: Path) -> None:
    one = sample("a", [True, False, None])
    said = {
        "a": [
            CheckerPrediction(True, gold="g1"),
            CheckerPrediction(None, gold="g2"),
            CheckerPrediction(False, gold="g3"),
        ]
    }
    path = tmp_path / "new" / "folder" / "predictions.jsonl"
    assert write_predictions(path, [one], said, "own") == 1
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3, "two sentences with a label, and the response"


@try_all(
    ("tags", "requested", "tag"),
    [
        ([{"tier": "hard"}, {"tier": "easy"}], None, "tier"),
        ([{"domain": "x", "model": "m"}, {"domain": "y", "model": "n"}], None, "domain"),
        ([{"domain": "x"}, {"domain": "x"}], None, None),
        ([{"colour": "red"}, {"colour": "blue"}], None, None),
        ([{"colour": "red"}, {"colour": "red"}], "colour", "colour"),
        ([{"domain": "x"}, {"domain": "y"}], "colour", None),
        ([{"topic": f"t{k}"} for k in range(40)], None, "topic"),
        ([{"topic": f"t{k}"} for k in range(41)], None, None),
        ([{"topic": f"t{k}"} for k in range(41)], "topic", "topic"),
    ],
)
def test_results_are_grouped_by_a_tag_with_several_but_not_very_many_values(
    tags: list[dict[str, str]], requested: str | None, tag: str | None
) -> None:
    assert domain_tag([sample(f"s{k}", [True], **own) for k, own in enumerate(tags)], requested) == tag


def test_a_response_people_could_not_judge_has_no_label_even_if_its_sentences_do() -> None:
    unknown = Gold(id="response", level="response", factual=None)
    one = sample("a", [True, False])
    untold = one.model_copy(update={"gold": (*one.gold, unknown)})
    assert levels_of([untold]) == ("segment",)
    assert levels_of([untold, sample("b", [True, True])]) == ("segment", "response")
    assert matched([untold], "response", {}) == []
