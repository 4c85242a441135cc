"""Labelled citations in the forms of AttributionBench and ALCE: how rows are read, and a checker measured on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.datasets import Notes, RowLocation, UnusableSampleError
from factscope.benchmarks.datasets.sets import attribution, citations
from factscope.cli import app

EXAMPLES = Path(__file__).parents[3] / "examples" / "cited"
ROW: dict[str, Any] = {"id": "a", "claim": "It is long.", "references": ["It is long."]}
DOCS = [{"title": "Bridge", "text": "It is long."}, {"text": "Roses want sun."}]


def sentence(text: str, **labels: Any) -> dict[str, Any]:
    return {"id": "b", "output": text, "docs": DOCS, "sentences": [{"text": text, **labels}]}


@pytest.mark.parametrize(("word", "factual"), [("attributable", True), ("not attributable", False)])
def test_a_claim_is_judged_against_all_its_references(word: str, factual: bool) -> None:
    row = {**ROW, "references": ["It is long.", "It is wide."], "attribution_label": word, "src_dataset": "x"}
    (sample,) = attribution(row, RowLocation("f", 1), Notes())
    assert (sample.gold[0].factual, len(sample.context), sample.tags["src_dataset"]) == (factual, 2, "x")


@pytest.mark.parametrize(
    "bad", [{"attribution_label": "maybe"}, {"references": [], "attribution_label": "attributable"}]
)
def test_an_unusable_row_gives_its_reason(bad: dict[str, Any]) -> None:
    with pytest.raises(UnusableSampleError, match=r"label|references"):
        list(attribution({**ROW, **bad}, RowLocation("f", 1), Notes()))


def test_a_sentence_is_judged_against_all_its_citations_and_against_each_one() -> None:
    row = sentence("It is long [1][2].", supported=True, citations={"1": "full", "2": "none"})
    samples = list(citations(row, RowLocation("f", 1), Notes()))
    assert [(one.tags["measure"], len(one.context), one.gold[0].factual) for one in samples] == [
        ("recall", 2, True), ("precision", 1, True), ("precision", 1, False)
    ]  # fmt: skip
    assert {one.response for one in samples} == {"It is long."}


def test_uncited_sentences_are_counted_and_wrong_citation_numbers_refused() -> None:
    notes = Notes()
    assert not list(citations(sentence("It is long.", supported=False), RowLocation("f", 1), notes))
    assert "cite nothing" in notes.lines()[0]
    with pytest.raises(UnusableSampleError, match="not among its 2"):
        list(citations(sentence("It is long [3].", supported=True), RowLocation("f", 1), Notes()))
    with pytest.raises(UnusableSampleError, match="full, partial or none"):
        list(citations(sentence("It is long [1].", citations={"1": "some"}), RowLocation("f", 1), Notes()))


@pytest.mark.parametrize(("name", "units"), [("attribution.jsonl", 6), ("alce.jsonl", 11)])
def test_the_samples_that_come_with_the_docs_are_measured(
    name: str, units: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "meta.json"
    words = ["meta", str(EXAMPLES / name), "--method", "builtin", "--resamples", "50", "-q", "-o", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert f'"n": {units}' in json.dumps(json.loads(out.read_text()))
