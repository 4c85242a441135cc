"""Imports before first use: almost none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "onnxruntime", "trafilatura", "lxml", "fastapi", "aiohttp", "pypdf", "pandas", "jinja2")


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
def test_help_loads_only_the_command_line_library(words: list[str]) -> None:
    found = loaded(f"{RUN}.invoke(app, {words})")
    assert not found & {*HEAVY, "pydantic", "rich"}
    assert own(found) <= {
        "cli",
        "cli.command_table",
        "cli.lazy_group",
        "cli.program",
        "core",
        "core.errors",
        "core.version",
    }


def test_help_of_a_command_loads_that_command_and_no_engine() -> None:
    """Typer builds options with pydantic, so pydantic is loaded, but nothing that checks."""
    found = loaded(f"{RUN}.invoke(app, ['check', '--help'])")
    assert not found & {*HEAVY, "rich", "pydantic_settings"}
    assert not {name for name in own(found) if name.partition(".")[0] not in ("cli", "core")}
    assert "cli.check_command" in own(found)
    assert "cli.run_command" not in own(found)


@pytest.mark.medium
def test_a_check_against_plain_text_loads_no_page_or_citation_readers(tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text("The bridge opened in 1931.", encoding="utf-8")
    found = loaded(f"""
import factscope
report = factscope.check("The bridge opened in 1931.", evidence={str(tmp_path)!r}, verifier="builtin-features")
assert str(report)
""")
    assert not found & {"trafilatura", "lxml", "fastapi", "aiohttp", "pypdf", "jinja2", "courlan", "numba", "scipy"}
    packages = {".".join(name.split(".")[:2]) for name in own(found)}
    assert not packages & {"evidence.fetch", "evidence.search", "evidence.citations", "claims.citations"}


RUN = "from typer.testing import CliRunner\nfrom factscope.cli import app\nCliRunner()"


def own(found: set[str]) -> set[str]:
    """Return Factscope's modules among these, without the package name."""
    return {name.removeprefix("factscope.") for name in found if name.startswith("factscope.")}
