"""Small results with known figures, and a store with the verdicts of judges on them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from factscope.benchmarks.leaderboard import RunRecord
from factscope.core.records import Report
from factscope.methods.library import with_judges
from tests.report.test_judges import judged

N = 20
RUN = "0123456789abcdef"
SECRET = "top-secret-row"
"""Prefix of every id in the private split."""
JUDGES = ("x/one", "x/two")


def result(**good: int) -> dict[str, Any]:
    """Build models with these counts of accurate answers of `N`, by both judges; every other example is private."""
    verdicts = [
        {
            "id": f"{SECRET}-{n}" if n % 2 else f"seen-{n}",
            "split": "blind" if n % 2 else "open",
            "model": model.replace("_", "/"),
            "accurate": [n < right, None if n == 0 else n < right],
            "ineligible": [n == 1, n == 1],
            "refused": False,
        }
        for model, right in good.items()
        for n in range(N)
    ]
    return {
        "benchmark": "facts-grounding",
        "factscope": "0.1.0",
        "run": RUN,
        "examples": {"sha256": "ab" * 32, "n": N, "splits": ["open", "blind"]},
        "judges": [{"name": name, "model": name, "template": "json", "family": None} for name in JUDGES],
        "method": with_judges(["json", "json"]).model_dump(mode="json"),
        "verdicts": verdicts,
    }


def written(path: Path, values: dict[str, Any]) -> Path:
    """Write the values as a JSON file."""
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def entry(folder: Path, *others: str, **change: Any) -> Path:
    """Write a valid entry with its result beside it, and with these changes; None removes a field.

    `others` are further models in the result.
    """
    path = written(folder / "acme.json", result(acme_a=15, **dict.fromkeys(others, 20)))
    fields = {
        "model": "acme/a",
        "date": "2026-11-01",
        "result": path.name,
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "score": 0.6944,
        "coverage": 0.975,
        "command": "factscope bench facts-grounding --data mine.csv --model acme/a",
        "link": "https://example.org/a",
    } | change
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items() if value is not None]
    target = folder / "acme.toml"
    target.write_text("\n".join(lines), encoding="utf-8")
    return target


def stored(*ids: str) -> RunRecord:
    """Build a stored run with the verdicts of two judges on these responses."""
    reports = {name: _renamed(judged(), name) for name in ids}
    return RunRecord(RUN, "facts-grounding ab", "2026-11-02T10:00:00", "0.1.0", {}, {}, None, reports)


def _renamed(report: Report, name: str) -> Report:
    response = report.response.model_copy(update={"id": name, "prompt": f"Asked in {name}"})
    verdicts = [one.model_copy(update={"unit_id": name}) if one.level == "response" else one for one in report.verdicts]
    return report.model_copy(update={"response": response, "verdicts": tuple(verdicts)})
