"""A build whose answers are checked on a cluster: real Ray on this machine, and the same tables as in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from factscope.benchmarks.curate import open_folder
from tests import lab
from tests.benchmarks.curate.releases import contents

pytestmark = pytest.mark.xdist_group("ray")
ROOT = Path(__file__).parents[3]
SHORT = """
from factscope.benchmarks.curate import stage_list as chain, evaluate_answers as evaluated
from tests.benchmarks.curate.releases import CHAIN

chain.CHAIN = tuple(evaluated.STAGE if stage.name == "evaluated" else stage for stage in CHAIN)

from factscope.cli import main

main()
"""
"""The command with rule-based topics, since the real ones are slow."""


def build(folder: Path, name: str, server: lab.Server, *more: str) -> Path:
    words = ["curate", "build", "--logs", "log.jsonl", "--out", name, "--evidence", str(ROOT / "examples" / "harbour")]
    words += ["--model", "openai/stand-in", "--store", f"{name}.db", *more]
    given = {"OPENAI_API_KEY": "sk-lab", "OPENAI_BASE_URL": server.base_url}
    done = subprocess.run(
        [sys.executable, "-c", SHORT, *words],
        cwd=folder,
        env={**os.environ, **given, "FACTSCOPE_CACHE": f"{name}-cache", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / name


@pytest.mark.slow
def test_a_cluster_produces_the_same_tables_as_one_process(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"c{n}",
            "prompt": f"What is there to know of ships, and of lighthouse {n}?",
            "response": f"Lighthouse {n} was built in {1800 + n}. It is {20 + n} metres tall.",
            "model": "gpt-4",
        }
        for n in range(12)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with lab.model_server() as server:
        here = build(tmp_path, "here", server)
        asked = server.count()
        there = build(tmp_path, "there", server, "--engine", "ray", "--ray-workers", "2")
        assert server.count() == 2 * asked
    assert asked > len(rows), "claims were judged"
    assert open_folder(here).table("evaluated").height == len(rows)
    assert tables(there) == tables(here)
    facts = [[step.facts for step in open_folder(folder).manifest.steps] for folder in (here, there)]
    assert facts[0] == facts[1]


def tables(folder: Path) -> dict[str, str]:
    """Hash all tables."""
    return {name: found for name, found in contents(folder).items() if name.endswith(".parquet")}
