"""The page on Python: its blocks run, and every public name of the package stands on it or in the README."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import factscope
from tests import lab

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_a_block_runs(code: str, tmp_path: Path) -> None:
    places = {"FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "runs.db")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ) | places,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


PANDAS = """
class DataFrame:
    @classmethod
    def from_records(cls, rows, columns):
        made = cls()
        made.shape = (len(rows), len(columns))
        return made
"""


def test_every_call_runs_with_models_and_a_web(tmp_path: Path, documents: Path) -> None:
    """The block that calls everything, on the laboratory's models and pretended net; pandas by its one constructor."""
    (code,) = re.findall(r"```python lab\n(.*?)```", PAGE, re.DOTALL)
    shutil.copytree(documents, tmp_path / "docs")
    row = {"id": "a", "answer": "It opened in 1931.", "contexts": ["It opened in 1931."], "model": "m1"}
    grounding = {"id": "b", "request": "Tell me about the bridge.", "context": "The bridge was opened in 1931."}
    prompt = {"id": "b", "tier": "Hard", "prompt": "Tell me about the bridge."}
    for name, values in (("answers", row), ("grounding", grounding), ("prompts", prompt)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(values), encoding="utf-8")
    (tmp_path / "prices.json").write_text('{"models": {"openai/gpt-4.1-mini": [0.4, 1.6]}}', encoding="utf-8")
    (tmp_path / "pandas.py").write_text(PANDAS, encoding="utf-8")
    says = [{"when": {"model": name}, "do": {"text": "The bridge was opened in 1931."}} for name in ("good", "wrong")]
    with lab.model_server(says) as model, lab.web_server([{"do": {"pages_at": "http://pages.example"}}]) as web:
        environment = dict(os.environ) | {
            "FACTSCOPE_CACHE": str(tmp_path / "cache"), "FACTSCOPE_STORE": str(tmp_path / "own.db"),
            "FACTSCOPE_PRICES": str(tmp_path / "prices.json"), "WIKIPEDIA_URL": f"{web.url}/wikipedia",
            "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "sk-lab", "PYTHONPATH": f"{tmp_path}:{ROOT}",
            "LAB_WEB_PORT": web.url.rpartition(":")[2],
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", f"from tests.lab.launch import pretend\npretend()\n{code}"],
            capture_output=True, text=True, cwd=tmp_path, env=environment,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("r.html", "out.parquet", "result.html"):
        assert (tmp_path / name).stat().st_size > 100
    assert "openai/good" in done.stdout


def test_each_function_is_explained() -> None:
    for name in factscope.__all__:
        if name[0].islower():
            assert f"fs.{name}(" in PAGE
