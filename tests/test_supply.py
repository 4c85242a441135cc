"""Supply chain of the package: no code from outside, few dependencies, each locked and free to use."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import metadata, requires
from pathlib import Path

import pytest

import factscope
from tests.test_names import nodes

PACKAGE = Path(factscope.__file__).parent
LOCK = Path(__file__).parents[1] / "uv.lock"
RUNS_CODE = {"eval", "exec", "compile", "__import__"}
READS_CODE = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "yaml", "joblib"}
FREE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Mozilla|MPL|Zlib|Unlicense|CC0|LGPL|Artistic|public domain",
    re.IGNORECASE,
)


def code_runners(nodes_of_module: Iterable[ast.AST]) -> Iterator[str]:
    """Name a module's calls and imports that could run what it reads."""
    for node in nodes_of_module:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS_CODE:
            yield node.func.id
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] in READS_CODE)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in READS_CODE:
            yield str(node.module)


def test_no_outside_data_is_run_as_code(cases: Callable[[int], None]) -> None:
    found = {}
    files = [(path, walked) for path, walked in nodes() if "_laboratory" not in path.parts]
    for path, walked in files:
        name = path.relative_to(PACKAGE).as_posix()
        if said := list(code_runners(walked)):
            found[name] = said
    cases(len(files))
    assert found == {}


def direct() -> list[str]:
    """List the packages that a plain installation requires."""
    return [re.split(r"[\s<>=!\[;(]", line)[0] for line in requires("factscope") or () if "extra ==" not in line]


def test_every_dependency_has_a_free_licence(cases: Callable[[int], None]) -> None:
    names = direct()
    cases(len(names))
    for name in names:
        about = metadata(name)
        classifiers = [value for value in about.get_all("Classifier") or () if value.startswith("License")]
        licence = " ".join([str(about.get("License-Expression") or ""), str(about.get("License") or ""), *classifiers])
        assert FREE.search(licence), f"{name}: {licence[:200]}"


@pytest.mark.skipif(not LOCK.exists(), reason="an installed package has no lock file")
def test_every_locked_file_has_a_checksum(cases: Callable[[int], None]) -> None:
    packages = tomllib.loads(LOCK.read_text(encoding="utf-8"))["package"]
    files = [file for one in packages for file in [one.get("sdist"), *one.get("wheels", ())] if file]
    cases(len(files))
    assert all(file.get("hash", "").startswith("sha256:") for file in files)
