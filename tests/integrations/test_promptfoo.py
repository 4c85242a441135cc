"""The assertion for promptfoo: its return value, and the result in promptfoo's own runner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from factscope.core import FactscopeError, UsageError
from factscope.integrations import NotAssessedError, get_assert
from tests.integrations.node import node, package
from tests.integrations.runner import CONTEXTS, GREETING, HALF, QUESTION, REPLAY, RIGHT, WRONG


def graded(answer: object, contexts: object = CONTEXTS, **config: object) -> dict:
    return get_assert(answer, {"vars": {"question": QUESTION, "context": contexts}, "config": config})


def test_right_and_wrong_answers_get_a_result_for_each_statement() -> None:
    right = graded(RIGHT)
    assert (right["pass"], right["score"]) == (True, 1.0)
    wrong = graded(f"{WRONG} {GREETING}")
    assert (wrong["pass"], wrong["score"], wrong["namedScores"]["coverage"]) == (False, 0.5, 1.0)
    assert [one["pass"] for one in wrong["componentResults"]] == [False, True]
    assert "In 1858 a first-order Fresnel lens was fitted.” (context-1)" in wrong["componentResults"][0]["reason"]
    assert json.loads(json.dumps(wrong)) == wrong
    assert graded(WRONG, min_score=0.5)["pass"]


def test_a_partly_judged_answer_passes_only_with_a_lower_required_coverage() -> None:
    half = graded(HALF)
    assert (half["pass"], half["score"]) == (False, 1.0)
    assert half["reason"].startswith("coverage 0.50 is below 1.00")
    assert graded(HALF, min_coverage=0.5)["pass"]


def test_other_variables_hold_the_contexts() -> None:
    found = get_assert(RIGHT, {"vars": {"passages": "\n".join(CONTEXTS)}, "config": {"contexts": "passages"}})
    assert found["pass"]


def test_missing_contexts_and_failed_checks_raise_an_error() -> None:
    with pytest.raises(NotAssessedError, match="without contexts"):
        graded(RIGHT, None)
    with pytest.raises(FactscopeError, match="could not be checked"):
        graded(RIGHT, method="verify", model="openai/by-hand", settings={"replay": str(REPLAY)})


def test_an_answer_that_is_not_a_text_is_an_error() -> None:
    for answer, kind in (({"answer": RIGHT}, "an object"), ([RIGHT], "a list"), (1858, "a number")):
        with pytest.raises(UsageError, match=f"The answer is {kind}, not a text"):
            graded(answer)


def test_a_mistyped_option_is_named() -> None:
    with pytest.raises(UsageError, match="config does not take min_scor"):
        graded(RIGHT, min_scor=0.5)


def test_a_minimum_that_is_not_a_share_is_named_before_anything_is_checked() -> None:
    for name in ("min_score", "min_coverage"):
        for wrong in ("high", None, 80, -0.1, "nan", [0.8]):
            with pytest.raises(UsageError, match=f"{name} is "):
                graded(RIGHT, None, **{name: wrong})  # missing contexts alone would be another error
    assert graded(WRONG, min_score="0.5")["pass"]  # a string, as in a template


def runner(folder: Path, *tests: dict) -> tuple[int, dict]:
    """Evaluate with promptfoo's provider `echo`, which returns the prompt; return the exit code and the results."""
    main = package("promptfoo")
    (folder / "grounded.py").write_text("from factscope.integrations.promptfoo import get_assert\n", encoding="utf-8")
    grounded = {"type": "python", "value": "file://grounded.py", "config": {"contexts": "context", "min_score": 0.8}}
    whole = {"assert": [grounded], "options": {"disableVarExpansion": True}}
    config = {"prompts": ["{{answer}}"], "providers": ["echo"], "defaultTest": whole, "tests": list(tests)}
    (folder / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    quiet = {f"PROMPTFOO_{name}": "1" for name in ("DISABLE_TELEMETRY", "DISABLE_UPDATE", "DISABLE_REMOTE_GENERATION")}
    places = {"PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}
    words = ["eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-cache", "--no-table", "--no-progress-bar"]
    program = main / json.loads((main / "package.json").read_text(encoding="utf-8"))["bin"]["promptfoo"]
    done = subprocess.run(
        [str(node()), str(program), *words], cwd=folder, env={**os.environ, **quiet, **places},
        capture_output=True, text=True,
    )  # fmt: skip
    assert (folder / "out.json").exists(), done.stdout + done.stderr
    return done.returncode, json.loads((folder / "out.json").read_text(encoding="utf-8"))["results"]


def test_the_promptfoo_runner_passes_fails_and_reports_errors(tmp_path: Path) -> None:
    asked = {"question": QUESTION, "context": CONTEXTS}
    code, done = runner(
        tmp_path,
        {"vars": {"answer": RIGHT, **asked}},
        {"vars": {"answer": WRONG, **asked}},
        {"vars": {"answer": RIGHT, "question": QUESTION}},
    )
    right, wrong, bare = sorted(done["results"], key=lambda row: row["testIdx"])
    assert code == 100
    assert (right["success"], right["score"]) == (True, 1)
    assert right["namedScores"]["coverage"] == 1
    assert (wrong["success"], wrong["score"]) == (False, 0.5)
    assert "contradicted: The Fresnel lens was fitted in 1901." in wrong["error"]
    assert "In 1858 a first-order Fresnel lens was fitted." in wrong["error"]
    statements = wrong["gradingResult"]["componentResults"]
    assert [(one["pass"], one["score"]) for one in statements if "Fresnel" in one["reason"]][-1] == (False, 0)
    # promptfoo counts an error as 0 in the total; the measures have no value.
    assert (bare["success"], bare["namedScores"]) == (False, {})
    assert "NotAssessedError: Not assessed: the answer came without contexts" in bare["error"]
