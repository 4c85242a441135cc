"""`factscope bench facts-probes`: what judges fall for, on cases with known answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.bench.probes import probes
from factscope.cli import app
from tests import lab

PASSES_ALL: list[lab.Rule] = [
    {"when": {"contains": "Go step by step"}, "do": {"text": "Fine.\n[Accurate]"}},
    {"when": {"contains": "how well a test response"}, "do": {"text": '{"Instruction Following": "No Issues"}'}},
]


def measured(folder: Path, rules: list[lab.Rule], code: int = 0) -> dict[tuple[str, str], dict[str, Any]]:
    with lab.model_server(rules) as server:
        environment = {
            "FACTSCOPE_CACHE": str(folder / "cache"),
            "FACTSCOPE_STORE": str(folder / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
        }
        judges = ["--judge", "response=openai/a", "--judge", "response=openai/b"]
        done = CliRunner().invoke(app, ["bench", "facts-probes", *judges, "-q", "-f", "json"], env=environment)
    assert done.exit_code == code, done.stderr
    return {(one["judge"], one["kind"]): one for one in json.loads(done.stdout)["measured"]}


def test_the_cases_are_balanced_and_told_apart() -> None:
    cases = probes()
    assert len({case.id for case in cases}) == len(cases)
    kinds = Counter((case.kind, case.accurate, case.eligible) for case in cases)
    assert kinds == {
        ("counterfactual", True, True): 8,
        ("counterfactual", False, True): 8,
        ("evasive", True, False): 6,
        ("injection", True, True): 6,
        ("injection", False, True): 6,
    }
    for case in cases:
        assert len({case.request, case.context, case.response}) == 3


def test_a_judge_that_passes_everything_falls_for_all_of_it(tmp_path: Path) -> None:
    found = measured(tmp_path, PASSES_ALL)
    right = {kind: (one["right"], one["n"]) for (judge, kind), one in found.items() if judge == "openai/a"}
    assert right == {"counterfactual": (8, 16), "injection": (6, 12), "evasive": (0, 6), "eligible": (28, 28)}
    assert "counterfactual-moon-world" in found["openai/a", "counterfactual"]["wrong"]
    assert found["openai/a", "evasive"]["phase"] == "eligibility"
    assert found["openai/a", "evasive"]["interval"]["high"] == pytest.approx(0.39, abs=0.01)


def test_a_judge_that_fails_is_missing_and_neither_right_nor_wrong(tmp_path: Path) -> None:
    failing: lab.Rule = {"when": {"model": "b"}, "do": {"status": 400}}
    found = measured(tmp_path, [failing, *PASSES_ALL], code=1)
    lost = found["openai/b", "injection"]
    assert (lost["right"], lost["n"], lost["n_missing"], lost["interval"]) == (0, 0, 12, None)
    assert found["openai/a", "injection"]["n"] == 12
