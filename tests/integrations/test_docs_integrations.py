"""The page on integrations: short examples that run where their library is installed, and a complete table."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

import pytest

from tests.integrations.runner import python
from tests.lab.many_cases import try_all

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BLOCKS = {
    re.sub(r"\W+", "_", title.lower()): block[1]
    for title, text in SECTIONS.items()
    if (block := re.search(r"```python\n(.*?)```", text, re.DOTALL))
}


_BEFORE = {"inspect": "import inspect_ai.model._model as model\nmodel.count_text_tokens = len\n"}
"""Code that avoids a download: Inspect's mock model counts tokens by a table that it fetches."""


def libraries(code: str) -> set[str]:
    """List the libraries that an example imports besides Factscope."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    own = {"llama_index": "llama_index.core", "opentelemetry": "opentelemetry._logs"}
    ours = {own[name] for node in nodes if (name := str(node.module).rpartition(".")[2]) in own}
    return ours | {str(node.module).partition(".")[0] for node in nodes} - {"factscope"}


@pytest.mark.medium
@pytest.mark.parametrize("name", BLOCKS)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    code = BLOCKS[name]
    for library in libraries(code):
        pytest.importorskip(library, exc_type=ImportError)
    (tmp_path / "test_example.py").write_text(_BEFORE.get(name, "") + code, encoding="utf-8")
    run = (
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
        if "def test_" in code
        else ["test_example.py"]
    )
    done = python(*run, folder=tmp_path, DEEPEVAL_TELEMETRY_OPT_OUT="1", RAGAS_DO_NOT_TRACK="true")
    assert done.returncode == 0, done.stdout + done.stderr


LARGEST = 150
"""Lines allowed in an integration, without blank lines and docstrings."""
SHARED = ("assessment",)
FILES = {
    "pytest": ("pytest_plugin",),
    "MCP": ("mcp",),
    "Inspect, scorers": ("inspect_scorers", "inspect_registry"),
    "Inspect, tasks": ("inspect_tasks",),
    "Inspect, logs": ("inspect_log",),
    "DeepEval": ("deepeval",),
    "Ragas": ("ragas",),
    "LlamaIndex": ("llama_index",),
    "openevals": ("openevals",),
    "pydantic-evals": ("pydantic_evals",),
    "promptfoo": ("promptfoo",),
    "OpenTelemetry": ("opentelemetry", "opentelemetry_export"),
    "Langfuse and Phoenix": ("trace_scores",),
    "pull requests": ("pull_request",),
    "Hugging Face": ("hugging_face",),
}


def lines_of_code(name: str) -> int:
    text = (ROOT / "src/factscope/integrations" / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    described = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    prose = [node for node in described if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    without = {line for node in prose for line in range(node.lineno, node.end_lineno + 1)}
    return sum(bool(line.strip()) for number, line in enumerate(text.splitlines(), 1) if number not in without)


def test_every_integration_is_small_and_on_the_page() -> None:
    sizes = {name: sum(map(lines_of_code, modules)) for name, modules in FILES.items()}
    assert max(sizes.values()) <= LARGEST, sizes
    assert median(sizes.values()) <= 80
    listed = {*SHARED, *(module for modules in FILES.values() for module in modules)}
    assert listed == {path.stem for path in (ROOT / "src/factscope/integrations").glob("[a-z]*.py")}
    for title in SECTIONS:
        slug = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        assert f"](#{slug})" in PAGE


@try_all("title", SECTIONS)
def test_every_integration_example_is_short(title: str) -> None:
    for block in re.findall(r"```\w+\n(.*?)```", SECTIONS[title], re.DOTALL):
        assert len([line for line in block.splitlines() if line.strip()]) <= 10


def test_an_installed_library_with_a_broken_import_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "ragas").mkdir()
    (tmp_path / "ragas" / "__init__.py").write_text("import langchain_of_old", encoding="utf-8")
    done = python("-c", "import factscope.integrations.ragas", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert "This needs ragas, which can't be imported: No module named 'langchain_of_old'." in done.stderr


_WITHOUT = """
import importlib, sys
from factscope.core.errors import UsageError
for module, library in (pair.split("=") for pair in sys.argv[1:]):
    sys.modules[library] = None  # as if it were not installed
    try:
        importlib.import_module(f"factscope.integrations.{module}")
    except UsageError as error:
        print(f"{module}: {error}")
import factscope
sys.modules["pandas"] = None
try:
    factscope.check("The lens came in 1858.", contexts=["The lens came in 1858."]).to_pandas()
except UsageError as error:
    print(f"notebook: {error}")
"""


def test_a_missing_library_is_named_with_its_install_command(tmp_path: Path) -> None:
    lines = {
        "deepeval": ("deepeval", "pip install deepeval"),
        "ragas": ("ragas", "pip install ragas 'langchain-community<0.4.2'"),
        "llama_index": ("llama_index", "pip install llama-index-core"),
        "pydantic_evals": ("pydantic_evals", "pip install pydantic-evals"),
        "inspect_scorers": ("inspect_ai", "pip install inspect-ai"),
        "inspect_log": ("inspect_ai", "pip install inspect-ai"),
        "inspect_registry": ("inspect_ai", "pip install inspect-ai"),
        "mcp": ("mcp", "pip install 'factscope[mcp]'"),
        "opentelemetry_export": ("opentelemetry.exporter", "pip install 'factscope[otel]'"),
        "opentelemetry": ("opentelemetry", "pip install 'factscope[otel]'"),
    }
    (tmp_path / "without.py").write_text(_WITHOUT, encoding="utf-8")
    pairs = [f"{module}={library}" for module, (library, _) in lines.items()]
    done = python("without.py", *pairs, folder=tmp_path)
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    expected = {module: line for module, (_, line) in lines.items()} | {"notebook": "pip install pandas"}
    assert set(found) == set(expected), done.stderr
    for module, line in expected.items():
        assert f"which is not installed. {line}" in found[module]
