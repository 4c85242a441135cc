"""Reports in a notebook: isolated in a frame, in both themes, without scripts; the example runs."""

from __future__ import annotations

import ast
import asyncio
import html
import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import factscope as fs
from factscope.integrations.python import bar
from tests.integrations.runner import CONTEXTS, GREETING, RIGHT, WRONG, failing_checker

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    labelled = [
        {"id": label, "prompt": "?", "response": answer, "segments": [{"text": answer, "label": label}]}
        for answer, label in ((RIGHT, "correct"), (WRONG, "incorrect"))
    ]
    with fs.Checker() as checker, checker.run([{"answer": WRONG, "contexts": CONTEXTS}]) as run:
        pages = {"report": run.reports[0]._repr_html_(), "run": run._repr_html_()}
    result = fs.evaluate(lambda prompt, units: [0.5] * len(units), labelled, level="segment", resamples=0)
    return {**pages, "evaluation": result._repr_html_()}


@pytest.mark.parametrize("name", ["report", "run", "evaluation"])
def test_displayed_objects_are_self_contained_frames_for_both_themes(shown: dict[str, str], name: str) -> None:
    (page,) = re.fullmatch(r'<iframe sandbox="" srcdoc="([^"]*)"[^>]*></iframe>', shown[name]).groups()
    page = html.unescape(page)
    assert re.search(r"prefers-color-scheme:\s*dark", page)
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["']?https?://""", page)


def test_right_wrong_not_assessed_and_failed_look_different() -> None:
    with fs.Checker() as checker:
        runs = [checker.run([{"answer": one, "contexts": CONTEXTS}]) for one in (RIGHT, WRONG, GREETING)]
    with failing_checker() as checker:
        runs.append(checker.run([{"answer": RIGHT, "contexts": CONTEXTS}]))
    shown = [html.unescape(run.reports[0]._repr_html_()) for run in runs]
    assert [run.reports[0].score for run in runs] == [1.0, 0.5, None, None]
    assert [run.reports[0].counts.get("contradicted", 0) for run in runs] == [0, 1, 0, 0]
    assert "In 1858 a first-order Fresnel lens was fitted." in shown[1]
    assert "None of the 2 claims could be checked." in shown[3]


def test_the_example_runs_as_in_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    space: dict[str, object] = {}

    async def run() -> None:
        for cell in cells:
            if cell["cell_type"] == "code" and "pandas" not in cell["metadata"].get("tags", []):
                code = compile("".join(cell["source"]), cell["id"], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                waited = eval(code, space)
                if inspect.iscoroutine(waited):
                    await waited

    asyncio.run(run())
    assert (
        "contradicted | The Fresnel lens was fitted in 1901. | In 1858 a Fresnel lens was fitted."
        in capsys.readouterr().out
    )


def test_the_example_runs_in_a_real_kernel() -> None:
    nbclient = pytest.importorskip("nbclient", exc_type=ImportError)
    pytest.importorskip("pandas", exc_type=ImportError)
    import nbformat

    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = json.dumps([cell.get("outputs", []) for cell in book.cells])
    assert "iframe sandbox" in outputs
    assert "3 of 3" in outputs or "2 of 3 texts checked" in outputs
    assert "verdict" in outputs


def test_the_progress_bar_updates_in_place_and_is_silent_outside_notebooks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = "IPython" in sys.modules
    with bar(3, requested=True) as show:
        show(2)
    assert capsys.readouterr() == ("", "")
    assert ("IPython" in sys.modules) == before
