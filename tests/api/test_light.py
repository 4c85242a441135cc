"""What is loaded before it is needed: next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "onnxruntime", "trafilatura", "lxml", "fastapi", "aiohttp", "bm25s", "pypdf", "pandas", "jinja2")


def loaded(code: str) -> set[str]:
    code = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_no_library() -> None:
    found = loaded("import factscope; dir(factscope)")
    assert not found & {*HEAVY, "pydantic", "typer", "rich"}
    assert {name for name in found if name.startswith("factscope.")} <= {
        "factscope.core", "factscope.core.version",
    }  # fmt: skip


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_loads_no_library_but_that_of_the_command_line(words: list[str]) -> None:
    code = f"from typer.testing import CliRunner\nfrom factscope.cli import app\nCliRunner().invoke(app, {words})"
    found = loaded(code)
    assert not found & {*HEAVY, "pydantic", "rich", "factscope.engine", "factscope.methods"}
