"""The page on Python: its blocks run, and every public name of the package is on it or in the README."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import factscope
from factscope.benchmarks.datasets import find
from tests import lab
from tests.benchmarks.datasets.example_records import FELM
from tests.lab import warm
from tests.lab.hub import hub_server, put

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
EVERY_CALL = PAGE.partition("## Every call\n")[2]
(ALL_CALLS,) = BLOCK.findall(EVERY_CALL)


@pytest.mark.parametrize("code", [code for code in BLOCK.findall(PAGE) if code != ALL_CALLS])
def test_a_python_block_runs(code: str, tmp_path: Path) -> None:
    places = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    done = subprocess.run(
        [warm.python(), "-W", "error", "-c", code],
        capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ) | places,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


BRIDGE = "The Marlow bridge was opened in 1931. It has four arches and is 212 metres long. It was designed by Ida Kern."
RIGHT = "The Marlow bridge was opened in 1931. The Marlow bridge was designed by Ida Kern."
WRONG = "The Marlow bridge was opened in 1950. The Marlow bridge has six arches, and much else."
ANSWERING: list[lab.Rule] = [
    {"when": {"model": "gpt-4.1-mini", "contains": "about the bridge"}, "do": {"text": RIGHT}},
    {"when": {"model": "gpt-4.1-nano", "contains": "about the bridge"}, "do": {"text": WRONG}},
]
AFTER_IT = """
assert report.score == 0.5 and report.coverage == 1 and not report.passed(0.8)
assert sum(report.counts.values()) == len(report.claims) == 2
assert [c.verdict for c in report.problems] == ["contradicted"]
assert report._repr_html_().startswith("<iframe")
assert run.score is not None and not run.failed and run.by("model")["m1"].n == 1
assert other.compare(again).n_compared == 1
assert {side.name for side in result.record.checkers} == {"standard openai/gpt-4.1-mini", "my_function"}
ranked = grounding.to_dict()["summary"]["final"]["rows"]
assert {row["model"]: row["average"]["score"] for row in ranked} == dict(zip(models, (1.0, 0.0)))
ranked = factbench.to_dict()["summary"]["tiers"][0]["rows"]
assert {row["model"]: row["precision"]["value"] for row in ranked} == dict(zip(models, (1.0, 0.0)))
assert one.label == "supported" and sum(one.probabilities.values()) > 0.99
"""


def csv_of(**cells: str) -> bytes:
    written = io.StringIO()
    table = csv.DictWriter(written, list(cells))
    table.writeheader()
    table.writerow(cells)
    return written.getvalue().encode()


@pytest.mark.medium
def test_every_documented_call_runs(tmp_path: Path, documents: Path) -> None:
    """Calls use the laboratory's models, its fake web for the encyclopaedia, and its hub for the data sets."""
    shutil.copytree(documents, tmp_path / "docs")
    row = {"id": "a", "answer": "The Marlow bridge was opened in 1931.", "contexts": [BRIDGE], "model": "m1"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "prices.json").write_text('{"models": {"openai/gpt-4.1-mini": [0.4, 1.6]}}', encoding="utf-8")
    (felm,) = (entry for entry in [find("felm")] if entry)
    asked = "Tell me about the bridge."
    grounding = csv_of(system_instruction="Use the document only.", user_request=asked, context_document=BRIDGE)
    with (
        lab.model_server(ANSWERING) as model,
        lab.web_server([{"do": {"pages_at": "http://pages.example"}}]) as web,
        hub_server() as hub,
    ):
        put(hub, "hkust-nlp/felm", felm.revision or "main", {"all.jsonl": json.dumps(FELM[0]).encode()})
        put(hub, "google/FACTS-grounding-public", "main", {"examples.csv": grounding})
        tiers = {f"tier_{number}.csv": csv_of(id=f"p{number}", prompt=asked) for number in (1, 2, 3)}
        put(hub, "launch/FactBench", "main", tiers)
        environment = dict(os.environ) | {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "own.db"),
            "FACTSCOPE_PRICES": str(tmp_path / "prices.json"),
            "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "sk-lab", "HF_ENDPOINT": hub.url,
            "WIKIPEDIA_URL": f"{web.url}/wikipedia", "LAB_WEB_PORT": str(urlsplit(web.url).port),
            "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        code = f"from tests.lab.launch import pretend\npretend()\n{ALL_CALLS}\n{AFTER_IT}"
        done = subprocess.run(
            [warm.python(), "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment
        )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in ("r.html", "out.parquet", "felm.html"):
        assert (tmp_path / name).stat().st_size > 100


def test_each_function_is_explained() -> None:
    for name in factscope.__all__:
        if name[0].islower():
            assert f"fs.{name}(" in PAGE
