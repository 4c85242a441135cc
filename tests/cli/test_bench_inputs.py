"""Commands under `factscope bench` never write their result over a file that they read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from factscope.cli import app

JUDGES = "--judge openai/a --judge openai/b"


@pytest.mark.parametrize(
    "words",
    [
        "factbench --data IN --answers a.jsonl --method builtin -o IN",
        "factbench --data Hard=IN --answers a.jsonl --method builtin -o IN",
        f"facts-grounding --data IN --answers a.jsonl {JUDGES} -o IN",
        f"facts-grounding --data blind=IN --answers a.jsonl {JUDGES} -o IN",
        f"facts-grounding --data e.csv --answers a.jsonl {JUDGES} --judge-errors IN -o IN",
        f"facts-templates --data IN --answers a.jsonl {JUDGES} -o IN",
        f"facts-templates --data e.csv --answers a.jsonl {JUDGES} --prompts IN -o IN",
        f"facts-probes {JUDGES} --prompts IN -o IN",
        "facts-table t.json --judge-errors IN -o IN",
        "short-answers simpleqa --data IN --answers a.jsonl --judge openai/a -o IN",
        "recall last --units IN -o IN",
        "recall last --facts IN -o IN",
        "rounds IN --model openai/a -o IN",
    ],
)
def test_a_result_is_not_written_over_an_input(words: str, tmp_path: Path) -> None:
    held = tmp_path / "held.csv"
    held.write_text("prompt,answer\nWhen?,1974\n", encoding="utf-8")
    environment = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    done = CliRunner().invoke(app, ["bench", *words.replace("IN", str(held)).split()], env=environment)
    assert (done.exit_code, "would be written over" in done.stderr) == (2, True), done.stderr
    assert held.read_text(encoding="utf-8") == "prompt,answer\nWhen?,1974\n"
