"""Standard streams that services and pipes leave closed, full or without a reader, with no result lost."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.cli.test_cli import clean_environment
from tests.conftest import TEXT
from tests.lab import warm


def test_a_report_is_written_though_nobody_reads_the_progress(documents: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [warm.python(), "-m", "factscope", "check", TEXT, "-e", documents, "-o", "report.json"]
    done = subprocess.run(command, stderr=writer, cwd=tmp_path, env=clean_environment(tmp_path))
    os.close(writer)
    assert done.returncode == 0
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["counts"]["failed"] == 0


def test_a_closed_stream_is_treated_as_empty(documents: Path, tmp_path: Path) -> None:
    def call(stream: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        code = f"import sys; sys.{stream} = None; from factscope.__main__ import main; main()"
        command = [warm.python(), "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=clean_environment(tmp_path))

    empty = call("stdin", "check", "-", "-e", documents)
    assert (empty.returncode, empty.stderr.splitlines()[-2]) == (1, "factscope: The text is empty.")
    report = call("stderr", "check", TEXT, "-e", documents, "-f", "json")
    assert (report.returncode, json.loads(report.stdout)["counts"]["failed"]) == (0, 0)
