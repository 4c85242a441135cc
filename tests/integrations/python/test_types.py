"""The types of the public interface, checked by pyright too; mypy checks the same file in `make types`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROMISED = Path(__file__).with_name("typed_api.py")
WRONG = 'import factscope as fs\nfs.check("A text.", evidnce="docs/")\nshare: float = fs.check("A text.").score\n'


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Run pyright on both files, and return its complaints by file name."""
    wrong = tmp_path_factory.mktemp("typed") / "wrong.py"
    wrong.write_text(WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", PROMISED, wrong]
    done = subprocess.run(command, capture_output=True, text=True)
    output = json.loads(done.stdout)
    assert output["summary"]["filesAnalyzed"] == 2, done.stdout + done.stderr
    said: dict[str, list[str]] = {PROMISED.name: [], wrong.name: []}
    for row in output["generalDiagnostics"]:
        said[Path(row["file"]).name].append(row["message"])
    return said


@pytest.mark.medium
def test_pyright_sees_the_types_that_callers_are_promised(complaints: dict[str, list[str]]) -> None:
    assert complaints["typed_api.py"] == []


@pytest.mark.medium
def test_pyright_sees_mistakes(complaints: dict[str, list[str]]) -> None:
    seen = "\n".join(complaints["wrong.py"])
    assert "evidnce" in seen
    assert '"float | None"' in seen
