"""`factscope bench facts-probes`: mistakes that judges make on cases with known answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.facts_grounding import own_probes, planted, ranks
from factscope.benchmarks.facts_grounding import probes as long_set
from factscope.cli import app
from tests import lab
from tests.lab.csv_lines import csv_lines

PASSES_ALL: list[lab.Rule] = [
    {"when": {"contains": "Go step by step"}, "do": {"text": "Fine.\n[Accurate]"}},
    {"when": {"contains": "how well a test response"}, "do": {"text": '{"Instruction Following": "No Issues"}'}},
]


def written(
    folder: Path, rules: list[lab.Rule], form: str, *more: str, code: int = 0, template: str = "response"
) -> str:
    with lab.model_server(rules) as server:
        environment = {
            "FACTSCOPE_CACHE": str(folder / "cache"),
            "FACTSCOPE_STORE": str(folder / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
        }
        judges = ["--judge", f"{template}=openai/a", "--judge", "response=openai/b"]
        done = CliRunner().invoke(app, ["bench", "facts-probes", *judges, *more, "-q", "-f", form], env=environment)
    assert done.exit_code == code, done.stderr
    return done.stdout


def measured(
    folder: Path, rules: list[lab.Rule], *more: str, code: int = 0, template: str = "response"
) -> dict[tuple[str, str], dict[str, Any]]:
    found = json.loads(written(folder, rules, "json", *more, code=code, template=template))
    return {(one["judge"], one["kind"]): one for one in found["measured"]}


def test_the_cases_are_balanced_and_distinct() -> None:
    cases = own_probes()
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


def test_a_judge_that_passes_everything_fails_every_trap(tmp_path: Path) -> None:
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
    lines = csv_lines(written(tmp_path, [failing, *PASSES_ALL], "csv", code=1))
    assert lines["injection, grounding", "openai/b", "missing"]["value"] == "12"
    assert lines["injection, grounding", "openai/b", "accuracy"]["value"] == ""
    for (judge, kind), row in found.items():
        accuracy = lines[f"{kind}, {row['phase']}", judge, "accuracy"]
        assert accuracy["n"] == str(row["n"])
        if row["n"]:
            assert accuracy["value"] == f"{row['right'] / row['n']:.6f}"
            assert accuracy["high"] == f"{row['interval']['high']:.6f}"


def test_no_word_of_the_table_is_truncated_on_a_narrow_terminal(tmp_path: Path) -> None:
    with lab.model_server(PASSES_ALL) as server:
        environment = {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"),
            "FACTSCOPE_STORE": str(tmp_path / "runs.db"),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-lab",
            "COLUMNS": "80",
        }
        words = ["bench", "facts-probes", "--judge", "response=openai/a", "--judge", "response=openai/b", "-q"]
        done = CliRunner().invoke(app, words, env=environment)
    assert done.exit_code == 0, done.output
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "evasive: wrong on evasive-report, evasive-terms" in done.stdout
    assert "and 2 more" in done.stdout


# Facts planted in long documents


def test_planted_cases_are_balanced_and_longer_than_the_window() -> None:
    cases = planted(4_000)
    assert Counter(case.kind for case in cases) == {"planted": 12, "reworded": 12, "changed": 6, "absent": 6}
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert len(case.context) / 4 > 2.5 * 4_000
        if case.kind == "planted":
            assert all(sentence not in case.context for sentence in case.response.split("\n"))
    assert planted(4_000) == cases


def test_the_ranking_of_pieces_finds_planted_evidence() -> None:
    assert ranks(4_000, "planted") == (36, 36, 36)
    reworded = ranks(4_000, "reworded")
    assert reworded.first < reworded.among_eight >= 32  # some appear only in a later look


@pytest.mark.medium
@pytest.mark.parametrize("template", ["json", "span"])
def test_judging_in_pieces_finds_exactly_the_planted_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    some = tuple(case for case in planted(4_000) if case.kind != "reworded")[:8]
    monkeypatch.setattr(long_set, "planted", lambda window: some)
    monkeypatch.setattr("factscope.benchmarks.facts_grounding.probes.own_probes", lambda: own_probes()[:1])
    found = measured(tmp_path, [], "--window", "4000", template=template)
    for judge in ("openai/a", "openai/b"):
        for kind in ("planted", "changed", "absent"):
            assert found[judge, kind]["right"] == found[judge, kind]["n"] > 0, found[judge, kind]
