"""Data sets in their original forms: how rows are read, and how odd ones are reported."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscope.benchmarks.datasets import Notes, RowLocation, load, locate_parts
from factscope.benchmarks.datasets.sets import felm_set
from factscope.core.records import Sample
from tests.benchmarks.datasets import example_records


def words(sample: Sample, level: str) -> list[tuple[str | None, bool | None]]:
    """Return the text and label of each unit of a level."""
    return [
        (one.span.of(sample.response or "") if one.span else one.text, one.factual)
        for one in sample.gold
        if one.level == level
    ]


def test_felm_rows_are_read_with_their_labels(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, example_records.FELM, "felm")
    bridge, sums, nothing, books = loaded.samples
    assert [sample.id for sample in loaded.samples] == ["0", "1", "350", "3"]
    assert words(bridge, "segment") == [
        ("The Marlow bridge was opened in 1913.", False),
        ("It has four arches.", True),
    ]
    assert words(bridge, "response") == [(None, False)]
    assert bridge.gold[0].error_type == "knowledge_error"
    assert bridge.gold[0].comment == "It was 1931."
    assert bridge.tags == {"domain": "wk", "source": "quora"}
    assert [document.url for document in bridge.context] == [
        "https://marlow.example/bridge",
        "https://marlow.example/gone",
    ]
    assert [document.text is None for document in bridge.context] == [False, True]
    assert words(sums, "segment")[0] == ("1.", True)
    assert sums.context == ()
    assert nothing.response == "x = 1\nx = 2", "the segments that people labelled, though there is no response"
    assert words(nothing, "segment") == [("x = 1", True), ("x = 2", False)]
    assert books.response == "Read Salt Roads (Ida Kern).\nRead The Osk Tower.\nNothing of the sort stands there"
    assert words(books, "segment") == [
        ("Read Salt Roads (Ida Kern).", True),
        ("Read The Osk Tower.", True),
        ("Nothing of the sort stands there", False),
    ]
    assert len(books.context) == 3
    assert loaded.notes == (
        "responses of no text, read as their segments in lines (350)",
        "responses that their segments do not make up, read as their segments in lines (3)",
        "wrong segments without a type of error (350)",
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"labels": [True]}, "has 2 segments and 1 label"),
        ({"labels": [True, 1]}, "has a label that is neither true nor false"),
        ({"labels": [True, float("nan")]}, "has a label that is neither true nor false"),
        ({"segmented_response": []}, "has no list of segments"),
        ({"labels": "yes"}, "column 'labels' contains no list"),
    ],
)
def test_an_unusable_felm_row_is_counted_and_the_others_are_used(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    loaded = example_records.read(tmp_path, [example_records.FELM[0] | change, example_records.FELM[1]], "felm")
    assert [sample.id for sample in loaded.samples] == ["1"]
    assert loaded.notes == (f"rows that can't be used: {reason} (row 1)",)


def test_comments_that_do_not_match_the_number_of_segments_are_dropped_and_counted(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, [example_records.FELM[0] | {"comment": ["one"]}], "felm")
    assert [one.comment for one in loaded.samples[0].gold] == [None, None, None]
    assert loaded.samples[0].gold[0].error_type == "knowledge_error"
    assert loaded.notes == ("another number of entries in 'comment' than of segments (0)",)


def test_the_labelled_segments_replace_a_response_they_do_not_make_up(tmp_path: Path) -> None:
    """The released file has escaped line breaks, and marks and words that were added or removed."""
    response = "To find it:\\n\\nmarkdown\\n14*5\\n---\\n70\\nSo it is 70. In fact, it is."
    segments = ["To find it:\n\n\n14*5\n---\n70\n", "So it is 70.", "*In fact, it is."]
    row = example_records.FELM[1] | {"response": response, "segmented_response": segments, "labels": [True, True, True]}
    loaded = example_records.read(tmp_path, [row], "felm")
    assert [text for text, _ in words(loaded.samples[0], "segment")] == [
        "To find it:\n\n\n14*5\n---\n70", "So it is 70.", "*In fact, it is."
    ]  # fmt: skip
    assert loaded.notes == ("responses that their segments do not make up, read as their segments in lines (1)",)


def test_a_segment_of_empty_text_keeps_its_label(tmp_path: Path) -> None:
    row = example_records.FELM[1] | {"segmented_response": ["1.\n2 + 2 = 4.", "", "So it is 4."]}
    loaded = example_records.read(tmp_path, [row], "felm")
    assert words(loaded.samples[0], "segment") == [("1.\n2 + 2 = 4.", True), ("", True), ("So it is 4.", True)]
    assert loaded.notes == ("segments of empty text (1, segment 2)",)


def test_the_domain_may_come_from_the_file_name(tmp_path: Path) -> None:
    rows = [{name: cell for name, cell in example_records.FELM[1].items() if name != "domain"}]
    assert example_records.read(tmp_path, rows, "felm", "reasoning.jsonl").samples[0].tags["domain"] == "reasoning"
    assert "domain" not in example_records.read(tmp_path, rows, "felm", "all.jsonl").samples[0].tags


SEGMENTS = st.lists(st.text(alphabet="ab1. \n-É", max_size=8), min_size=1, max_size=8)


@given(SEGMENTS, st.data())
def test_felm_segments_that_make_up_the_response_have_offsets(segments: list[str], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.sampled_from(["", " ", "\n\n"]), min_size=len(segments), max_size=len(segments)))
    response = "".join(segment + gap for segment, gap in zip(segments, gaps, strict=True))
    labels = data.draw(st.lists(st.booleans(), min_size=len(segments), max_size=len(segments)))
    notes = Notes()
    row = {"index": "7", "response": response, "segmented_response": segments, "labels": labels}
    (sample,) = felm_set.read(row, RowLocation("all", 1), notes)
    gold = [one for one in sample.gold if one.level == "segment"]
    assert [one.factual for one in gold] == labels
    assert sample.gold[-1].factual == all(labels)
    assert notes.count(felm_set.NOT_THE_WHOLE) == 0
    assert [text for text, _ in words(sample, "segment")] == [one.strip() for one in segments]


@given(SEGMENTS, st.text(alphabet="ab1. \n-É", max_size=30))
def test_felm_segments_are_placed_without_error_in_any_response(segments: list[str], response: str) -> None:
    row = {"index": "7", "response": response, "segmented_response": segments, "labels": [True] * len(segments)}
    (sample,) = felm_set.read(row, RowLocation("all", 1), Notes())
    placed = [one.span for one in sample.of("segment") if one.span]
    assert [text for text, _ in words(sample, "segment")] == [one.strip() for one in segments]
    assert all(before.end <= after.start for before, after in pairwise(placed))


@given(SEGMENTS)
def test_offsets_cover_everything_but_white_space(segments: list[str]) -> None:
    whole = "".join(segments)
    spans = locate_parts(segments, whole)
    assert spans is not None
    covered = {at for span in spans if span for at in range(span.start, span.end)}
    assert all(character.isspace() or at in covered for at, character in enumerate(whole))


def test_favabench_rows_are_read_with_their_labels(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, example_records.FAVA, "favabench", "annotations.json")
    kern, hald = loaded.samples
    assert kern.id == "annotations-1"
    assert words(kern, "segment") == [
        ("Ida Kern is a painter.", False),
        ("She built the hall.", False),
        ("She sings badly.", False),
        ("She may fly.", True),
    ]
    assert [one.error_type for one in kern.of("segment")] == ["entity", "relation", "subjective", None]
    assert kern.gold[0].comment == "entity: architect"
    assert words(kern, "response") == [(None, False)]
    assert [right for _, right in words(hald, "segment")] == [True, False, True]
    assert hald.tags == {"model": "llama"}
    assert loaded.notes == ("tags mended: <invented> is not closed (annotations-2)",)


def test_an_annotated_text_that_differs_from_the_output_is_counted(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, [example_records.FAVA[0] | {"output": "Something else."}])
    assert loaded.notes == ("annotated texts that without their tags are not the output (some-1)",)
    assert loaded.samples[0].response == example_records.FAVA[0]["output"]


def test_factcheck_bench_rows_are_read_with_their_labels(tmp_path: Path) -> None:
    (sample,) = example_records.read(tmp_path, example_records.FACTCHECK_BENCH, "factcheck-bench").samples
    assert words(sample, "segment") == [("The bridge opened in 1913.", False), ("It is lovely.", None)]
    assert [right for _, right in words(sample, "claim")] == [False, True, None]
    assert words(sample, "response") == [(None, False)]


def test_factscore_rows_are_read_with_their_labels(tmp_path: Path) -> None:
    first, second = example_records.read(tmp_path, example_records.FACTSCORE, "factscore", "ChatGPT.jsonl").samples
    assert [(one.text, one.factual, one.label) for one in first.of("claim")] == [
        ("Ida Kern is an architect.", True, "supported"),
        ("She lives in Oslo.", False, "not_supported"),
        ("Oslo is a city.", None, "irrelevant"),
    ]
    assert words(first, "segment") == [("Ida Kern is an architect.", True), ("She lives in Oslo.", False)]
    assert first.tags == {"model": "ChatGPT", "topic": "Ida Kern"}
    assert second.tags["abstained"] == "yes"
    assert second.of("claim") == ()


def test_halueval_rows_are_read_with_their_labels(tmp_path: Path) -> None:
    general, right, wrong = example_records.read(tmp_path, example_records.HALUEVAL, "halueval", "qa_data.json").samples
    assert words(general, "response") == [(None, False)]
    assert general.gold[0].comment == "opened in 1913"
    assert (right.response, words(right, "response")) == ("1931", [(None, True)])
    assert (wrong.response, words(wrong, "response")) == ("In the year 1913", [(None, False)])
    assert right.context[0].text == "The bridge opened in 1931."
    assert right.prompt == "When did the bridge open?"


@pytest.mark.parametrize(
    ("name", "rows", "claim", "label"),
    [
        ("wice", example_records.WICE, "Ida Kern built the hall in 1908.", "not_supported"),
        ("fm2", example_records.FM2, "The hall is older than the town.", "contradicted"),
    ],
)
def test_data_sets_of_single_claims_are_recognised_by_name_and_by_columns(
    name: str, rows: list[dict[str, Any]], claim: str, label: str, tmp_path: Path
) -> None:
    by_name, by_columns = example_records.read(tmp_path, rows, name), example_records.read(tmp_path, rows)
    assert by_name.samples == by_columns.samples
    (sample,) = by_name.samples
    assert words(sample, "claim") == [(claim, False)]
    assert sample.gold[0].label == label
    assert sample.context[0].text


def test_scifact_claims_are_read_with_their_abstracts(tmp_path: Path) -> None:
    example_records.written(tmp_path, "corpus.jsonl", example_records.CORPUS)
    loaded = example_records.read(tmp_path, example_records.SCIFACT, "scifact", "claims_dev.jsonl")
    (sample,) = loaded.samples
    assert (sample.id, sample.response, sample.gold[0].label) == ("1-11", "Tea cures colds.", "contradicted")
    assert sample.context[0].text == "Tea did nothing. Colds went by."
    assert loaded.notes == (
        "abstracts that corpus.jsonl does not have (3, 99)",
        "claims without a label (2)",
    )


@pytest.mark.parametrize("blank", [None, float("nan"), "", " "])
def test_a_unit_without_a_label_does_not_affect_the_others(blank: object, tmp_path: Path) -> None:
    """An unlabelled unit is NaN in a data frame and an empty cell in a table."""
    row = {"id": "a", "response": "One. Two.", "label": blank}
    row["segments"] = [{"text": "One.", "label": blank}, {"text": "Two.", "label": "incorrect"}]
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    loaded = load(str(path), cache=tmp_path)
    assert loaded.notes == ()
    assert [(one.id, one.factual) for one in loaded.samples[0].gold] == [
        ("g1", None),
        ("g2", False),
        ("response", False),
    ]


def test_the_context_of_a_labelled_response_is_a_text_an_object_or_a_list_of_these(tmp_path: Path) -> None:
    cases: list[Any] = ["It was.", ["It was."], {"text": "It was."}, [{"text": "It was."}]]
    columns = ("context", "references", "contexts", "retrieved_contexts", "retrieval_context")
    nothing: list[Any] = [" ", None, [], float("nan")]
    rows: list[dict[str, Any]] = [
        {"response": "It is.", "references": float("nan"), column: cell} for column in columns for cell in cases
    ]
    rows.append({"response": "It is.", "contexts": [{"page_content": "It was.", "metadata": {}}]})
    rows += [{"response": "It is.", "context": empty} for empty in nothing]
    loaded = example_records.read(tmp_path, rows)
    assert [[document.text for document in sample.context] for sample in loaded.samples] == [["It was."]] * 21 + [
        []
    ] * 4
    assert (loaded.notes, {name for sample in loaded.samples for name in sample.tags}) == ((), set())
    prompted = [{"response": "It is.", column: "Is it?"} for column in ("prompt", "question", "user_input")]
    assert [sample.prompt for sample in example_records.read(tmp_path, prompted).samples] == ["Is it?"] * 3
    with_gap = example_records.read(tmp_path, [{"response": "It is.", "contexts": ["It was.", None]}])
    assert [document.text for document in with_gap.samples[0].context] == ["It was."]
    wrong = example_records.read(tmp_path, [rows[0], {"response": "It is.", "context": [5]}])
    assert "an entry of column 'context' is not an object" in wrong.notes[0]
