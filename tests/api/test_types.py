"""The types of the public interface, held by pyright too; mypy sees the same file in `make types`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def pyright(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(path)]
    return subprocess.run(command, capture_output=True, text=True)


def test_pyright_sees_the_types_that_callers_are_promised() -> None:
    done = pyright(HERE / "typed_api.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_sees_mistakes(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        'import factscope as fs\nfs.check("A text.", evidnce="docs/")\nshare: float = fs.check("A text.").score\n',
        encoding="utf-8",
    )
    done = pyright(wrong)
    assert done.returncode == 1
    assert "evidnce" in done.stdout
    assert '"float | None"' in done.stdout
