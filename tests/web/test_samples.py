"""Bundled samples, the same as Factscope's results today."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.lab import warm

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "src" / "factscope" / "web" / "samples"
KEY = ROOT / "examples" / "harbour-guide.key.jsonl"


def test_the_samples_are_up_to_date(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "samples.py"
    done = subprocess.run([warm.python(), script, "--check"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_demo_accuses_no_sentence_that_its_own_key_calls_true() -> None:
    sample = json.loads((PLACE / "1-harbour-guide.json").read_text(encoding="utf-8"))
    verdicts = {event["unit_id"]: event["outcome"] for event in sample["events"] if event["type"] == "verdict"}
    segments = {event["id"]: event["text"] for event in sample["events"] if event["type"] == "segment"}
    accused = {" ".join(text.split()) for unit, text in segments.items() if verdicts[unit] == "contradicted"}
    rows = map(json.loads, KEY.read_text(encoding="utf-8").splitlines())
    labels = {" ".join(row["sentence"].split()): row["label"] for row in rows}
    assert {labels[sentence] for sentence in accused} == {"contradicted"}
