"""Places for tests of integrations: a separate folder for each, and no telemetry to makers of libraries."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    quiet = (
        "DEEPEVAL_TELEMETRY_OPT_OUT",
        "DEEPEVAL_DISABLE_DOTENV",
        "RAGAS_DO_NOT_TRACK",
        "PROMPTFOO_DISABLE_TELEMETRY",
    )
    for name in quiet:
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
