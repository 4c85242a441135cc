"""The curve of docs/cascade.md, made by perf/cascade.py: its arithmetic on hand-made judgements."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from factscope.core import Label
from factscope.judging.verifiers import ClaimPair, Prediction

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "perf"))
import cascade  # noqa: E402
from held_out import pasted  # noqa: E402

PAGE = (ROOT / "docs" / "cascade.md").read_text(encoding="utf-8")


class Row(NamedTuple):
    claim: str
    passage: str
    label: str
    group: str = ""


class Said:
    """A verifier that reads its prediction from the claim: `supported 0.9`."""

    name = "said"

    def verify(self, pairs: Sequence[ClaimPair]) -> list[Prediction]:
        return [said(*pair.claim.split()) for pair in pairs]


def said(label: str, sure: str) -> Prediction:
    known: dict[str, Label] = {
        "supported": "supported", "contradicted": "contradicted", "silent": "not_enough_evidence"
    }  # fmt: skip
    return Prediction(known[label], float(sure), None, "")


ROWS = [
    Row("supported 0.97", "x", "supported"),  # always kept, right
    Row("supported 0.6", "x", "contradicted"),  # kept at low thresholds, wrong
    Row("silent 0.8", "x", "contradicted"),  # kept up to high thresholds; right, but not the label
    Row("contradicted 0.99", "x", "contradicted"),  # always passed on
]


def at(threshold: float) -> int:
    return 1 + cascade.AT.index(threshold)


def test_the_cascade_rule_gives_two_columns_of_the_table() -> None:
    laid = cascade.lay("one", ROWS, Said())  # type: ignore[arg-type]
    found = cascade.mean([laid])
    assert laid.n == 4
    assert [found["passed"][place] for place in (0, at(0.0), at(0.7), at(0.85), at(0.99))] == [0, 0.25, 0.5, 0.75, 1]
    assert [found["most"][place] for place in (0, at(0.0), at(0.7), at(0.85))] == [0.75, 0.75, 1, 1]
    assert found["kept"][at(0.0)] == pytest.approx(2 / 3)
    assert np.isnan(found["kept"][at(0.99)])
    assert found["kept_exact"][at(0.7)] == 0.5
    assert found["most_exact"][at(0.7)] == 0.75
    assert found["model 0.8"][at(0.7)] == pytest.approx(0.5 + 0.8 * 0.5)


def test_data_sets_have_equal_weight_whatever_their_size() -> None:
    laid = [cascade.lay(name, rows, Said()) for name, rows in (("a", ROWS[:1]), ("b", ROWS[1:2] * 9))]  # type: ignore[arg-type]
    assert cascade.mean(laid)["most"][0] == 0.5


def test_rows_with_the_same_evidence_are_resampled_together() -> None:
    rows = [row._replace(group="g") for row in ROWS]
    assert len(cascade.lay("a", rows, Said()).sums) == 1  # type: ignore[arg-type]
    assert len(cascade.lay("a", ROWS, Said()).sums) == 4  # type: ignore[arg-type]


def test_the_tables_and_the_picture_replace_the_marked_block_of_the_page() -> None:
    rows = [*ROWS, Row("silent 0.7", "x", "not_enough_evidence")] * 3
    sets = [cascade.lay(name, rows, Said()) for name in ("a", "b")]  # type: ignore[arg-type]
    text = "\n".join(cascade.told(sets, "said"))
    page = f"before\n{cascade.MARKS[0]}\nold\n{cascade.MARKS[1]}\nafter\n"
    once = pasted(page, text, cascade.MARKS)
    assert pasted(once, text, cascade.MARKS) == once
    assert once.startswith("before\n")
    assert once.endswith("\nafter\n")
    assert "old" not in once
    with pytest.raises(SystemExit):
        pasted("no marks", text, cascade.MARKS)
    ET.fromstring(cascade.drawn(sets))


def test_the_page_shows_a_curve_and_states_what_is_assumed() -> None:
    block = PAGE.partition(cascade.MARKS[0])[2].partition(cascade.MARKS[1])[0]
    assert re.search(r"`builtin-\d+`, \d{4}-\d\d-\d\d: [\d,]+ labelled pairs", block)
    rows = [line.split("|")[1].strip() for line in block.splitlines() if re.match(r"\| (0|1)", line)]
    assert [float(row) for row in rows if "%" not in row] == list(cascade.AT)
    assert block.count("assumed model") == len(cascade.MODELS)
    picture = ROOT / "docs" / cascade.PICTURE
    assert f"]({cascade.PICTURE})" in PAGE.replace("\n", " ")
    titles = "".join(ET.parse(picture).getroot().itertext())
    assert "at most" in titles
    assert "assumed" in titles
    assert not re.search("[<](?:script|image)|href", picture.read_text(encoding="utf-8"))
