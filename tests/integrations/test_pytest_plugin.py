"""The pytest plugin in separate pytest sessions: right, wrong, nothing to assess, failed, xdist, recordings."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.integrations.runner import CONTEXTS, GREETING, RIGHT, WRONG, python

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "verify-examples"


def session(folder: Path, code: str, *words: str) -> tuple[int, str]:
    """Run the tests in `code`, and return the exit code and pytest's whole output."""
    (folder / "test_it.py").write_text(f"import pytest\nC = {CONTEXTS!r}\n{code}", encoding="utf-8")
    plugins = ["-p", "factscope.integrations.pytest_plugin", *(["-p", "xdist"] if "-n" in words else [])]
    done = python(
        "-m", "pytest", "-p", "no:cacheprovider", "-rs", *plugins, *words,
        folder=folder, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_right_answer_passes_and_a_wrong_one_fails_with_sentence_verdict_quote_and_source(tmp_path: Path) -> None:
    code = (
        f"def test_right(factual):\n    assert factual({RIGHT!r}, contexts=C).score == 1\n"
        f"def test_wrong(factual):\n    factual({WRONG!r}, contexts=C)\n"
    )
    exit_code, said = session(tmp_path, code)
    assert exit_code == 1
    assert "1 failed, 1 passed" in said
    assert "score 0.50 is below 0.80" in said
    assert "contradicted: The Fresnel lens was fitted in 1901." in said
    assert "“In 1858 a first-order Fresnel lens was fitted.” (context-1)" in said
    assert f">       factual({WRONG!r}, contexts=C)" in said or "factual(" in said
    assert "pytest_plugin.py" not in said.partition("short test summary")[0]
    assert "factscope: 2 checks of 4 claims: 3 supported, 1 contradicted; 0 model calls" in said


@pytest.mark.medium
def test_marker_and_call_choose_score_and_evidence_and_workers_report_together(tmp_path: Path) -> None:
    code = (
        "pytestmark = pytest.mark.factscope(min_score=0.9, evidence=C)\n"
        f"@pytest.mark.factscope(min_score=0.5)\ndef test_low(factual):\n    factual({WRONG!r})\n"
        f"def test_high(factual):\n    factual({WRONG!r})\n"
        f"def test_call(factual):\n    factual({WRONG!r}, min_score=0.5)\n"
    )
    exit_code, said = session(tmp_path, code, "-n", "2")
    assert exit_code == 1
    assert "1 failed, 2 passed" in said
    assert "score 0.50 is below 0.90" in said
    assert "factscope: 3 checks of 6 claims: 3 supported, 3 contradicted; 0 model calls" in said


def test_nothing_to_assess_is_skipped_and_never_passes(tmp_path: Path) -> None:
    code = (
        f"def test_bare(factual):\n    factual({RIGHT!r}, contexts=[])\n"
        f"def test_greeting(factual):\n    factual({GREETING!r}, contexts=C)\n"
    )
    exit_code, said = session(tmp_path, code)
    assert (exit_code, "2 skipped" in said) == (0, True)
    assert "Not assessed: the answer came without contexts" in said
    assert "Not assessed: nothing in the answer can be checked" in said
    assert "factscope: 0 checks; 2 unassessed answers; 0 model calls" in said


def test_an_answer_not_fully_judged_fails_unless_a_lower_coverage_is_required(tmp_path: Path) -> None:
    german = "Die Brücke von Marlow wurde im Jahr 1931 für den Verkehr geöffnet."
    half = f"The Fresnel lens was fitted in 1858.\n\n{german}"
    code = (
        f"HALF, LITTLE = {half!r}, {german!r}\n"
        "def test_half(factual):\n    factual(HALF, contexts=C, min_score=1.0)\n"
        "def test_call(factual):\n    factual(HALF, contexts=C, min_score=1.0, min_coverage=0.5)\n"
        "@pytest.mark.factscope(min_coverage=0.5)\ndef test_mark(factual):\n    factual(HALF, contexts=C)\n"
        "def test_little(factual):\n    factual(LITTLE, contexts=C)\n"
        "def test_any(factual):\n    factual(LITTLE, contexts=C, min_coverage=0)\n"
    )
    exit_code, said = session(tmp_path, code)
    assert exit_code == 1, said
    assert "2 failed, 2 passed, 1 skipped" in said
    assert "coverage 0.50 is below 1.00" in said
    assert "coverage 0.00 is below 1.00" in said
    assert said.count("not judged (language): it is in German") == 2
    assert "Not assessed: too little of the answer could be judged" in said


def test_a_score_just_below_the_bound_is_shown_with_enough_decimals_to_differ(tmp_path: Path) -> None:
    exit_code, said = session(tmp_path, f"def test_it(factual):\n    factual({WRONG!r}, contexts=C, min_score=0.503)\n")
    assert exit_code == 1, said
    assert "score 0.500 is below 0.503" in said


def test_a_bound_that_is_not_a_share_is_named(tmp_path: Path) -> None:
    bounds = ["min_score=float('nan')", "min_score='0.9'", "min_coverage=-80", "min_coverage=5"]
    code = "".join(
        f"def test_{n}(factual):\n    factual({RIGHT!r}, contexts=C, {bound})\n" for n, bound in enumerate(bounds)
    )
    code += "@pytest.mark.factscope(min_coverage='half')\ndef test_mark(factual):\n    factual('', contexts=C)\n"
    exit_code, said = session(tmp_path, code)
    assert (exit_code, "5 failed" in said) == (1, True), said
    for name, value in (
        ("min_score", "nan"), ("min_score", "a string"), ("min_coverage", "-80"), ("min_coverage", "5"),
        ("min_coverage", "a string"),
    ):  # fmt: skip
        assert f"UsageError: {name} is {value}." in said


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    (found,) = (one for one in entry_points(group="pytest11") if one.name == "factscope")
    assert hasattr(found.load(), "factual")


def test_the_fixture_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    code = (
        "import asyncio\n"
        f"def test_async(factual):\n    async def work():\n        return factual({RIGHT!r}, contexts=C)\n"
        "    assert asyncio.run(work()).score == 1\n"
    )
    exit_code, said = session(tmp_path, code)
    assert exit_code == 0, said


def test_a_recording_replaces_the_models_and_a_missing_call_is_an_error(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        f"ANSWER = Path({str(EXAMPLE / 'answer.txt')!r}).read_text(encoding='utf-8')\n"
        f"@pytest.mark.factscope(evidence={str(EXAMPLE / 'evidence')!r})\n"
        "class TestIt:\n"
        "    def test_recorded(self, factual):\n"
        "        assert factual(ANSWER, min_score=0).counts['contradicted'] == 2\n"
        "    def test_other(self, factual):\n        factual('The bridge opened in 1931.', min_score=0)\n"
    )
    # With "=": pytest takes a path in a separate argument for a test, and its folder for the root of the session.
    replay = f"--factscope-replay={EXAMPLE / 'recording.jsonl'}"
    exit_code, said = session(tmp_path, code, "--factscope-method=verify", "--factscope-model=openai/by-hand", replay)
    assert exit_code == 1
    assert "1 failed, 1 passed" in said
    assert re.search(r"CheckFailedError.*could not be checked.*recording\.jsonl lacks a call", said, re.DOTALL)
    assert re.search(r"factscope: 1 check of \d claims: .*2 contradicted.*; 1 failed check; \d+ model calls", said)


@pytest.mark.medium
@pytest.mark.parametrize("workers", ["0", "2"])
def test_recordings_of_all_checkers_and_workers_are_merged(tmp_path: Path, workers: str) -> None:
    (tmp_path / "calls.jsonl.gw0-0.part").write_text('{"key":"b"}\n{"key":"a"}\n', encoding="utf-8")
    (tmp_path / "calls.jsonl.gw1-0.part").write_text('{"key":"a"}\n', encoding="utf-8")
    words = [f"--factscope-record={tmp_path / 'calls.jsonl'}", "-n", workers]
    exit_code, said = session(tmp_path, "def test_nothing():\n    pass\n", *words)
    assert exit_code == 0, said
    assert (tmp_path / "calls.jsonl").read_text(encoding="utf-8") == '{"key":"a"}\n{"key":"b"}\n'
    assert not list(tmp_path.glob("*.part"))


def test_wrong_options_and_markers_are_reported(tmp_path: Path) -> None:
    exit_code, said = session(tmp_path, "", "--factscope-record=a", "--factscope-replay=b")
    assert exit_code == 4
    assert "exclude each other" in said
    code = "@pytest.mark.factscope(minimum=1)\ndef test_it(factual):\n    factual('A lens.', contexts=C)\n"
    assert "does not take minimum. It takes min_score" in session(tmp_path, code)[1]
    assert "takes its options by name, not 0.9" in session(tmp_path, code.replace("minimum=1", "0.9"))[1]
