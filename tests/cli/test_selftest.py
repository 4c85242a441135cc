"""The reliability card: promises name tests that exist, cases are counted, and each result has its row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from factscope.cli.selftest import RECORD, TrialCard, TrialRow, card_result, laboratory, read_promises
from tests.lab.many_cases import try_all

COUNTED = """
import pytest
from hypothesis import given, settings, strategies as st

@settings(max_examples=37, database=None)
@given(st.integers())
def test_generated(number): assert number == number

def test_counted(record_property): record_property("cases", 40)

def test_plain(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_table(n): assert n == 1

def test_skipped(): pytest.skip("not here")
"""


@pytest.mark.medium
def test_a_test_counts_its_generated_or_declared_cases_or_one(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(COUNTED)
    record = tmp_path / "record.jsonl"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "factscope.cli.selftest.recorder", "-p", "no:cacheprovider"]
    subprocess.run(
        [*command, "--rootdir", str(tmp_path), "-c", os.devnull, "test_some.py"],
        cwd=tmp_path, env={**os.environ, RECORD: str(record)}, capture_output=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    counted = {line["test"].rpartition("::")[2]: (line["outcome"], line["cases"]) for line in lines}
    assert counted == {
        "test_generated": ("passed", 37),
        "test_counted": ("passed", 40),
        "test_plain": ("passed", 1),
        "test_table[1]": ("passed", 1),
        "test_table[2]": ("failed", 1),
        "test_skipped": ("skipped", 1),
    }


@try_all("promise", read_promises())
def test_a_promise_names_tests_that_exist(promise: object) -> None:
    from factscope.cli.selftest import Promise

    assert isinstance(promise, Promise)
    assert promise.tests
    assert promise.quick
    for name in (*promise.tests, *promise.quick):
        path, _, test = name.partition("::")
        source = (laboratory() / path).read_text(encoding="utf-8")
        assert f"def {test.partition('[')[0]}(" in source if test else "def test_" in source, name


def row(result: str, **changed: object) -> TrialRow:
    values = {
        "id": "R1", "promise": "No <claim> is dropped.", "trial": "Faults.", "cases": 5_000, "asked": 4_000,
        "failures": (), "skipped": 0, "result": result, "seconds": 1.5, "open": "",
    }  # fmt: skip
    return TrialRow.model_validate({**values, **changed})


def test_the_card_shows_every_result_in_every_form() -> None:
    rows = (
        row("held"),
        row("broken", id="R2", failures=("tests/x.py::test_y: assert 1 == 2\nmore",)),
        row("fewer cases", id="D1", cases=12, open="a real power cut"),
        row("not tried", id="S1", cases=0),
    )
    card = TrialCard(
        factscope="0.1.0", date="2026-01-01", system="Linux", python="3.11", mode="quick", seconds=61.0, rows=rows
    )
    assert [broken.id for broken in card.broken] == ["R2"]
    result = card_result(card)
    assert TrialCard.model_validate_json(result.text("json")) == card
    page = result.text("html")
    for text in (page, result.text("md")):
        assert "4 promises, 10,012 cases: 1 held, 1 broken, 1 fewer cases, 1 not tried." in text
        assert "tests/x.py::test_y" in text.replace("\\_", "_")
        assert "Not shown: a real power cut" in text
        assert "factscope selftest --quick" in text
    assert "No &lt;claim&gt; is dropped." in page
    assert "<script" not in page


@pytest.mark.slow
def test_the_command_shows_its_progress_and_ignores_options_meant_for_other_tests(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTEST_ADDOPTS": "--no-such-option"}
    command = [sys.executable, "-m", "factscope", "selftest", "--quick", "--only", "S7", "-o", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "100 % of the tests have ended" in done.stderr
    assert json.loads((tmp_path / "card.json").read_text())["rows"][0]["result"] == "held"
