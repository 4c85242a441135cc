"""Malformed rows of known data sets: each costs only itself and gives a reason."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from factscope.benchmarks.datasets import LabelledData
from tests.benchmarks.datasets import example_records
from tests.benchmarks.datasets.example_records import CORPUS, FACTCHECK_BENCH, FACTSCORE, FAVA, FELM, HALUEVAL
from tests.lab.many_cases import try_all

CLAIM = {"id": "c1", "claim": "Tea cures colds.", "evidence": "Tea did nothing.", "label": "contradicted"}
FACTS = {
    "id": "f1",
    "response": "Ida built it. It stands.",
    "sentences": [{"text": "Ida built it.", "facts": [{"text": "Ida built it.", "label": "supported"}]}],
}
CITED = {
    "id": "q1",
    "output": "It stands [1].",
    "docs": [{"title": "On it", "text": "It stands still."}],
    "sentences": [{"text": "It stands [1].", "supported": True, "citations": {"1": "full"}}],
}
ATTRIBUTED = {"id": "b1", "claim": "It stands.", "references": ["It does."], "attribution_label": "attributable"}
PLAIN = {"id": "p1", "response": "It is.", "segments": [{"text": "It is.", "label": True}], "references": ["It was."]}
FORMS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "felm": (FELM, "felm"),
    "favabench": (FAVA, "favabench"),
    "factcheck-bench": (FACTCHECK_BENCH, "factcheck-bench"),
    "factscore": (FACTSCORE, "factscore"),
    "halueval": (HALUEVAL, "halueval"),
    "wice": (example_records.WICE, "wice"),
    "fm2": (example_records.FM2, "fm2"),
    "scifact": (example_records.SCIFACT, "scifact"),
    "claims": ([CLAIM], ""),
    "facts": ([FACTS], ""),
    "citations": ([CITED], ""),
    "attribution": ([ATTRIBUTED], ""),
    "plain": ([PLAIN], ""),
}


def load(folder: Path, form: str, rows: list[dict[str, Any]]) -> LabelledData:
    if form == "scifact":
        example_records.written(folder, "corpus.jsonl", CORPUS)
    return example_records.read(folder, rows, FORMS[form][1], "some.jsonl")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield every place in a value as the path of keys to it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def put(row: dict[str, Any], path: tuple[Any, ...], cell: Any) -> dict[str, Any]:
    """Copy the row with another cell in one place."""
    made: Any = copy.deepcopy(row)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = cell
    return made  # type: ignore[no-any-return]


@try_all("form", FORMS)
def test_well_formed_rows_are_read_without_error(tmp_path_factory: pytest.TempPathFactory, form: str) -> None:
    loaded = load(tmp_path_factory.mktemp("whole"), form, FORMS[form][0])
    assert loaded.samples
    assert not any(note.startswith("rows that can't be used") for note in loaded.notes)


ODD_CELLS: list[Any] = [
    None, True, -3, 2.5, "", "x", "half \ud83d", [], ["a"], [None], [["a"]], [3], {}, {"x": None}, [{}], {"text": 3},
    [{"text": "a"}], {"9": [{"label": ["x"]}]}, [{"label": {}}], [{"text": "half \ud83d", "label": "supported"}],
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_row_with_an_odd_cell_is_read_or_dropped_alone(tmp_path: Path, form: str) -> None:
    rows = FORMS[form][0]
    odd = []
    for row, cell in product(rows[:2], ODD_CELLS):
        for place in places(row):
            number = f"odd-{len(odd)}"
            named = {**row, "index": number, "ID": number} if "id" not in row else {**row, "id": number}
            odd.append(put(named, place, cell))
    loaded = load(tmp_path, form, [*rows, *odd])
    whole = load(tmp_path / "whole", form, rows)
    assert loaded.samples[: len(whole.samples)] == whole.samples
    assert len(loaded.samples) > len(whole.samples), "most odd cells cost nothing"
    assert 0 < loaded.n_unusable < len(odd)
    for sample in loaded.samples:
        assert sample.model_dump_json(), "it can be written"


@try_all(
    ("form", "change", "reason"),
    [
        ("facts", {"sentences": ["words"]}, "an entry of column 'sentences' is not an object"),
        ("facts", {"sentences": [{"text": "It.", "facts": ["It."]}]}, "an entry of column 'facts' is not an object"),
        ("facts", {"sentences": "It."}, "column 'sentences' contains no list"),
        ("facts", {"sentences": [{"text": "It.", "facts": [{"text": "It.", "label": "so so"}]}]}, "the label 'so so'"),
        ("factcheck-bench", {"sentences": {"s1": "It."}}, "an entry of column 'sentences' is not an object"),
        ("factcheck-bench", {"sentences": [{}]}, "column 'sentences' contains no object"),
        (
            "factcheck-bench",
            {"sentences": {"s1": {"text": "It.", "claims": ["It.", "Is."], "claims_factuality_label": [True]}}},
            "has 2 claims and 1 label in a sentence",
        ),
        ("factscore", {"annotations": ["words"]}, "an entry of column 'annotations' is not an object"),
        (
            "factscore",
            {"annotations": [{"text": "It.", "human-atomic-facts": [{"text": "It.", "label": ["S"]}]}]},
            "the label \"['S']\" is not among S, NS, IR",
        ),
        ("scifact", {"evidence": {"11": ["SUPPORT"]}}, "an entry of column '11' is not an object"),
        ("scifact", {"evidence": {"11": [{"label": ["SUPPORT"]}]}}, "has other labels for document 11"),
        ("scifact", {"evidence": {"11": 3}}, "column '11' contains no list"),
        ("scifact", {"evidence": {"11": [{"label": "SUPPORT"}, {"label": "CONTRADICT"}]}}, "has other labels for"),
        ("wice", {"evidence": []}, "has no evidence"),
        ("fm2", {"gold_evidence": ["words"]}, "has no evidence"),
        ("claims", {"label": "perhaps"}, "the label 'perhaps' is not among"),
        ("claims", {"evidence": "half \ud83d"}, "column 'evidence' contains half a character"),
        ("citations", {"sentences": ["It stands [1]."]}, "sentence 1 is not an object"),
        ("citations", {"docs": []}, "cites a document that is not among its 0"),
        ("attribution", {"references": []}, "has no references"),
        ("attribution", {"references": ["half \ud83d"]}, "a document contains half a character"),
        ("plain", {"references": [3]}, "an entry of column 'references' is not an object"),
        ("felm", {"segmented_response": ["half \ud83d"], "labels": [True]}, "has a segment with half a character"),
        ("favabench", {"annotated": "<entity><mark>all of it</mark></entity>"}, "has no sentence outside"),
        ("halueval", {"hallucination": "maybe"}, "the label 'maybe' is neither yes nor no"),
    ],
)
def test_an_unusable_row_gives_its_reason(
    tmp_path_factory: pytest.TempPathFactory, form: str, change: dict[str, Any], reason: str
) -> None:
    rows = FORMS[form][0]
    loaded = load(tmp_path_factory.mktemp("bad"), form, [*rows, {**rows[0], "id": "bad", "index": "bad", **change}])
    bad = [note for note in loaded.notes if note.startswith("rows that can't be used")]
    assert len(bad) == 1
    assert reason in bad[0], bad[0]
    assert loaded.n_unusable == 1


def test_bad_descriptive_cells_do_not_cost_the_row(tmp_path: Path) -> None:
    """Half a character in an unused column or in a comment."""
    noted = {**PLAIN, "note": "half \ud83d", "colour": "red"}
    (sample,) = load(tmp_path, "plain", [noted]).samples
    assert sample.tags == {"colour": "red"}
    felm = {**FELM[0], "comment": ["half \ud83d", ""]}
    (sample,) = load(tmp_path, "felm", [felm]).samples
    assert [gold.comment for gold in sample.gold] == [None, None, None]
    wice = {**example_records.WICE[0], "meta": {"id": "w1", "claim_title": "half \ud83d"}}
    assert load(tmp_path, "wice", [wice]).samples[0].context[0].title is None
