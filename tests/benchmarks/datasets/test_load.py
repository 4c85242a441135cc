"""Data sets by name and as files: the plain form, hashes, licences, and unusable rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from factscope.benchmarks.datasets import DATASETS, find, load
from factscope.core import InputError, UsageError
from tests.benchmarks.datasets import example_records
from tests.lab.hub import hub_server, put

PLAIN: dict[str, Any] = {
    "id": "a1",
    "prompt": "Paris?",
    "response": "Paris is in France. It has 90 million people.",
    "segments": [
        {"text": "Paris is in France.", "label": "correct"},
        {"text": "It has 90 million people.", "label": "incorrect", "error_type": "number", "comment": "2 million"},
    ],
    "claims": [{"text": "Paris has 90 million people.", "label": False}, {"text": "Paris is old.", "label": None}],
    "references": [{"url": "https://paris.example", "text": "Two million live in Paris."}, "It is in France."],
    "domain": "wk",
    "model": "m1",
}


def test_the_plain_form_is_read_at_every_level(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, [PLAIN], file="mine.jsonl")
    (sample,) = loaded.samples
    assert loaded.name == "mine"
    assert (loaded.benchmark, loaded.notice, loaded.notes) == (None, None, ())
    assert [(one.id, one.level, one.factual, one.error_type) for one in sample.gold] == [
        ("g1", "segment", True, None),
        ("g2", "segment", False, "number"),
        ("c1", "claim", False, None),
        ("c2", "claim", None, None),
        ("response", "response", False, None),
    ]
    assert [one.text for one in sample.context] == ["Two million live in Paris.", "It is in France."]
    assert sample.tags == {"domain": "wk", "model": "m1"}
    (indexed,) = example_records.read(tmp_path, [{"": 7, "response": "It is.", "source": "log"}]).samples
    assert indexed.tags == {"source": "log"}, "the index of a table groups nothing"


def test_segments_may_be_offsets_and_one_label_may_cover_the_response(tmp_path: Path) -> None:
    row = {"response": "It is. So it is.", "segments": [{"start": 0, "end": 6, "label": False}], "label": "correct"}
    (sample,) = example_records.read(tmp_path, [row]).samples
    assert sample.gold[0].span
    assert sample.gold[0].span.of("It is. So it is.") == "It is."
    assert sample.gold[-1].factual is True


def test_a_list_of_errors_alone_is_a_comment_and_not_a_segmentation(tmp_path: Path) -> None:
    row = {"response": "It is. So it is.", "segments": [{"text": "So", "label": "incorrect"}], "label": "incorrect"}
    loaded = example_records.read(tmp_path, [row])
    assert [(one.level, one.comment) for one in loaded.samples[0].gold] == [("response", "So")]
    assert loaded.notes == (
        "segments, none labelled right, that do not make up a labelled response: read as a comment on its label"
        " (some-1)",
    )


@pytest.mark.parametrize("whole", [{}, {"label": None}])
def test_errors_count_where_only_errors_are_labelled(whole: dict[str, Any], tmp_path: Path) -> None:
    """Errors make an unlabelled response wrong, wherever they are and however they are located."""
    text = "The lens came in 1858. The tower is red."
    by_text = {"text": "The tower is red.", "label": "incorrect", "error_type": "colour"}
    by_offsets = {"start": 23, "end": 40, "label": "incorrect", "error_type": "colour"}
    rows = [
        {"id": f"k{number}", "response": text, "segments": [segment], **whole}
        for number, segment in enumerate((by_text, by_offsets))
    ]
    loaded = example_records.read(tmp_path, rows)
    first, second = loaded.samples
    assert first.gold == second.gold
    assert [(one.level, one.factual, one.error_type) for one in first.gold] == [
        ("segment", False, "colour"),
        ("response", False, None),
    ]
    assert first.gold[0].span
    assert first.gold[0].span.of(text) == "The tower is red."
    assert loaded.notes == ("segments that do not make up the response (k0)",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"label": "maybe"}, "the label 'maybe' is not among"),
        ({"segments": [{"start": 3, "end": 99, "label": True}]}, "a segment from 3 to 99 is not in a response"),
        ({"segments": ["words"]}, "an entry of column 'segments' is not an object"),
        ({"response": ["a"]}, "column 'response' contains no text"),
        ({"response": " "}, "column 'response' contains no text"),
        ({"claims": [{"label": True}]}, "column 'text' contains no text"),
    ],
)
def test_an_unusable_row_does_not_affect_the_others(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, [PLAIN, PLAIN | {"id": "a2"} | change])
    assert [sample.id for sample in loaded.samples] == ["a1"]
    assert len(loaded.notes) == 1
    assert loaded.notes[0].startswith(f"rows that can't be used: {reason}")


def test_a_repeated_id_is_counted(tmp_path: Path) -> None:
    loaded = example_records.read(tmp_path, [PLAIN, PLAIN, PLAIN])
    assert len(loaded.samples) == 1
    assert loaded.notes == ("rows that can't be used: another has the same id (2: a1, a1)",)


def test_a_file_of_the_wrong_form_is_refused_with_its_missing_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not felm: it lacks the column 'labels'"):
        example_records.read(tmp_path, [PLAIN], "felm")
    (tmp_path / "blank.jsonl").write_text(f"\n{json.dumps(PLAIN)}\n", encoding="utf-8")
    with pytest.raises(InputError, match="not felm: it lacks the column 'labels'"):
        load("felm", tmp_path / "blank.jsonl", cache=tmp_path)
    with pytest.raises(InputError, match=r"no form of labelled data.*put the text in a column 'response'"):
        example_records.read(tmp_path, [{"a": 1, "b": 2}])
    with pytest.raises(InputError, match="no labelled sample: rows that can't be used"):
        example_records.read(tmp_path, [{"response": 7} | {"label": "?"}])


def test_unknown_names_and_missing_files_are_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no data set and no file 'flem'") as caught:
        load("flem", cache=tmp_path)
    assert caught.value.hint == "Did you mean felm?"
    with pytest.raises(UsageError, match=r"File not found: .*none\.jsonl"):
        load("felm", tmp_path / "none.jsonl", cache=tmp_path)
    with pytest.raises(UsageError, match="not downloaded automatically") as caught:
        load("scifact", cache=tmp_path)
    assert "--data PATH" in caught.value.hint


def test_the_licence_is_shown_once(tmp_path: Path) -> None:
    first, second = (
        example_records.read(tmp_path, example_records.FELM, "felm"),
        example_records.read(tmp_path, example_records.FELM, "felm"),
    )
    assert first.notice
    assert "CC BY-NC-SA 4.0" in first.notice
    assert second.notice is None
    assert first.samples == second.samples


def test_a_local_copy_with_a_different_hash_is_used_with_a_notice(tmp_path: Path) -> None:
    first = example_records.read(tmp_path, example_records.FELM, "felm")
    assert not any("another" in note for note in first.notes)
    part = example_records.read(tmp_path, example_records.FELM[:1], "felm")
    assert part.notes == (
        f"the file is another than the one that is known (SHA-256 {first.sha256[:12]}…) ({part.sha256[:12]}…)",
    )


def test_an_unwritable_cache_costs_nothing(tmp_path: Path) -> None:
    path = example_records.written(tmp_path, "all.jsonl", example_records.FELM)
    (tmp_path / "file").write_text("x")
    assert len(load("felm", path, cache=tmp_path / "file").samples) == 4


def test_a_file_changed_on_the_hub_is_refused(tmp_path: Path) -> None:
    entry = find("felm")
    assert entry
    assert entry.revision
    content = "".join(json.dumps(row) + "\n" for row in example_records.FELM).encode()
    with hub_server() as server:
        put(server, "hkust-nlp/felm", entry.revision, {"all.jsonl": content, "math.jsonl": b"{}\n"})
        environment = {"HF_ENDPOINT": server.url}
        piece = example_records.written(tmp_path, "piece.jsonl", example_records.FELM[:1])
        assert len(load("felm", piece, cache=tmp_path, environment=environment).samples) == 1, "read first"
        loaded = load("felm", cache=tmp_path, environment=environment)
        assert len(loaded.samples) == 4
        assert loaded.benchmark == entry
        kept = json.loads((tmp_path / "benchmarks.json").read_text())
        assert kept["felm"]["sha256"] == loaded.sha256
        kept["felm"]["sha256"] = "0" * 64
        (tmp_path / "benchmarks.json").write_text(json.dumps(kept))
        with pytest.raises(InputError, match="another content than before"):
            load("felm", cache=tmp_path, environment=environment)
        with pytest.raises(UsageError, match=r"fava-uw/fava-data@aa2fd\w+:annotations.json: There is") as caught:
            load("favabench", cache=tmp_path, environment=environment)
        assert "--data PATH" in caught.value.hint


def test_a_parquet_copy_on_the_hub_is_read(tmp_path: Path) -> None:
    entry = find("halueval")
    assert entry
    assert entry.revision
    example_records.written(tmp_path, "general.jsonl", example_records.HALUEVAL[:1])
    duckdb.sql(f"COPY (FROM read_json('{tmp_path}/general.jsonl')) TO '{tmp_path}/general.parquet'")
    content = (tmp_path / "general.parquet").read_bytes()
    card = {"configs": [{"config_name": name, "data_files": [{"split": "data", "path": f"{name}/data-*"}]}
                        for name in ("general", "qa")]}  # fmt: skip
    files = {"general/data-00000-of-00001.parquet": content, "qa/data-00000-of-00001.parquet": content}
    with hub_server() as server:
        put(server, "pminervini/HaluEval", entry.revision, {**files, "_card": json.dumps(card).encode()})
        (sample,) = load("halueval", cache=tmp_path, environment={"HF_ENDPOINT": server.url}).samples
    assert sample.gold[0].factual is False
    assert sample.gold[0].comment == "opened in 1913"


def test_the_catalogue_of_data_sets_is_complete() -> None:
    assert [one.id for one in DATASETS] == [
        "factcheck-bench",
        "factscore",
        "favabench",
        "felm",
        "fm2",
        "halueval",
        "scifact",
        "wice",
    ]
    assert all(one.licence and one.citation and one.page and one.files for one in DATASETS)
    assert all(len(one.sha256) == 64 for one in DATASETS if one.sha256)
